package io.sluice.testkit.fuzz;

import io.sluice.base.time.SystemClock;
import io.sluice.testkit.process.Await;
import io.sluice.testkit.process.NamedThreads;
import io.sluice.testkit.wire.RawConnection;
import io.sluice.testkit.wire.SimpleRequests;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.jspecify.annotations.Nullable;

/**
 * A well-behaved client beside the trouble: sends a record and fetches it, again and again, on one connection, and notes the
 * slowest round and the first failure. Safe on every thread.
 */
public final class Bystander implements AutoCloseable {
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(30);
    private static final long PAUSE_MILLIS = 5;
    private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final InetSocketAddress address;
    private final String topic;
    private final Thread thread;
    private volatile boolean stopping;
    private volatile @Nullable Throwable failure;
    private volatile long rounds;
    private volatile long slowestNanos;
    private final AtomicLong slowRounds = new AtomicLong();

    /** Starts it; the topic has one partition and nobody else writes to it. */
    public Bystander(InetSocketAddress address, String topic) {
        this.address = address;
        this.topic = topic;
        this.thread = NamedThreads.start("bystander", this::run);
    }

    /** Rounds done. */
    public long rounds() {
        return rounds;
    }

    /** The slowest round so far, in milliseconds. */
    public long slowestMillis() {
        return TimeUnit.NANOSECONDS.toMillis(slowestNanos);
    }

    /** Rounds that took more than a second. */
    public long slowRounds() {
        return slowRounds.get();
    }

    /** What went wrong first. */
    public @Nullable Throwable failure() {
        return failure;
    }

    @SuppressWarnings("checkstyle:IllegalCatch") // Whatever happens to the bystander is the finding.
    private void run() {
        try (RawConnection connection = RawConnection.open(address, READ_TIMEOUT)) {
            for (long done = 0; !stopping; done++) {
                rounds = done;
                long startNanos = SystemClock.INSTANCE.nanoTime();
                round(connection, done);
                noteRound(SystemClock.INSTANCE.nanoTime() - startNanos);
                Await.pause(PAUSE_MILLIS);
            }
        } catch (Exception | Error e) {
            failure = e;
        }
    }

    private void noteRound(long nanos) {
        slowestNanos = Math.max(slowestNanos, nanos);
        slowRounds.addAndGet(nanos > SLOW_NANOS ? 1 : 0);
    }

    private void round(RawConnection connection, long number) throws Exception {
        ProduceResponseData produced = connection.call(
                ProduceResponseData.class,
                SimpleRequests.PRODUCE_BY_NAME,
                SimpleRequests.produce(topic, 0, (short) -1, "round " + number));
        SimpleRequests.requireNoError(produced);
        long offset = produced.responses()
                .iterator()
                .next()
                .partitionResponses()
                .get(0)
                .baseOffset();
        if (offset != number) {
            throw new IllegalStateException("Record " + number + " got offset " + offset);
        }
        FetchResponseData fetched = connection.call(
                FetchResponseData.class,
                SimpleRequests.FETCH_BY_NAME,
                SimpleRequests.fetch(topic, 0, offset, 1_000, 1 << 20));
        FetchResponseData.PartitionData partition =
                fetched.responses().get(0).partitions().get(0);
        if (partition.errorCode() != 0 || partition.records().sizeInBytes() == 0) {
            throw new IllegalStateException("Record " + offset + " could not be fetched: " + partition);
        }
    }

    /** Lets it finish its round. */
    @Override
    public void close() {
        stopping = true;
        try {
            thread.join(READ_TIMEOUT.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
