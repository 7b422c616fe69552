package io.sluice.storage.local.content;

import io.sluice.storage.local.producer.ProducerLimit;
import java.util.Arrays;
import java.util.Collection;
import org.agrona.collections.LongArrayList;

/**
 * Forgets the producers that have been idle for longest, in whichever log they are, where the logs of a node remember too
 * many. For one thread; it holds the append lock of one log at a time.
 */
public final class IdleProducers {
    private final ProducerLimit limit;
    private final Collection<LogContents> logs;

    /**
     * Producers of these logs.
     *
     * @param limit that all of them count towards
     */
    public IdleProducers(ProducerLimit limit, Collection<LogContents> logs) {
        this.limit = limit;
        this.logs = logs;
    }

    /**
     * Forgets as many as there are too many, and a few more, so that this need not come with each new one; none of those
     * that are resending, perhaps.
     */
    public void trim(long nowMillis) {
        int excess = limit.excess();
        limit.onTrimmed(excess <= 0 ? 0 : forget(excess, nowMillis - ProducerLimit.RECENT_MILLIS));
    }

    private int forget(int excess, long latestMillis) {
        long[] times = lastSeenMillis();
        if (times.length == 0) {
            return 0;
        }
        Arrays.sort(times);
        long until = Math.min(latestMillis, times[Math.min(excess, times.length) - 1]);
        int forgotten = forget(until - 1, excess);
        return forgotten + forget(until, excess - forgotten); // of those heard of in one millisecond some may stay
    }

    private long[] lastSeenMillis() {
        LongArrayList times = new LongArrayList();
        for (LogContents log : logs) {
            synchronized (log) {
                log.producers().forEachIdle(times::addLong);
            }
        }
        return times.toLongArray();
    }

    private int forget(long untilMillis, int most) {
        int forgotten = 0;
        for (LogContents log : logs) {
            synchronized (log) {
                forgotten += log.producers().forgetIdle(untilMillis, most - forgotten);
            }
        }
        return forgotten;
    }
}
