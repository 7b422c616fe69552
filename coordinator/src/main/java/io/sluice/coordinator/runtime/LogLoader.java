package io.sluice.coordinator.runtime;

import io.sluice.base.concurrent.SerialExecutor;
import io.sluice.base.time.Scheduler;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.coordinator.common.runtime.CoordinatorLoader;
import org.apache.kafka.coordinator.common.runtime.CoordinatorPlayback;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.Deserializer;

/**
 * Rebuilds a coordinator's state by reading a partition of its topic from start to end. At most {@link #CONCURRENT_LOADS}
 * partitions load at a time, each reading one buffer; the rest wait in order. One that cannot go on for the moment makes
 * room and waits again afterwards. Safe on every thread.
 */
public final class LogLoader implements CoordinatorLoader<CoordinatorRecord> {
    /** The longest that a load which cannot go on waits before it tries again. */
    public static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

    static final int CONCURRENT_LOADS = 2;

    private final StateTopic topic;
    private final Time time;
    private final Scheduler scheduler;
    private final Executor executor;
    private final int bufferBytes;
    private final Deserializer<CoordinatorRecord> serde;
    private final LoadListener listener;
    private final Queue<LogLoad> waiting = new ArrayDeque<>();
    private final Set<LogLoad> running = new HashSet<>();
    private final Set<LogLoad> pausing = new HashSet<>();
    private boolean closed;

    /** Hears, on the load's executor, of what came of it. */
    public interface LoadListener {
        /** A partition begins to load. */
        LoadWatch onLoading(int partition);

        /**
         * The partition, elected under this epoch, has no log, or none that serves soon: whoever hears of one later has to
         * elect it again.
         */
        void onUnusable(int partition, int leaderEpoch);
    }

    /** Hears of one load, on its executor. */
    public interface LoadWatch {
        /** Wants to know nothing. */
        LoadWatch NONE = new LoadWatch() {};

        /** A record was replayed. */
        default void onRecord(CoordinatorRecord replayed) {}

        /** The library knows that the partition is loaded. */
        default void onLoaded() {}
    }

    /**
     * A loader for one incarnation of the topic.
     *
     * @param bufferBytes read at once, for each partition that loads
     * @param serde reads the coordinator's records; safe on every thread
     * @param listener hears of what came of the loads
     */
    public LogLoader(
            StateTopic topic,
            Time time,
            Scheduler scheduler,
            Executor executor,
            int bufferBytes,
            Deserializer<CoordinatorRecord> serde,
            LoadListener listener) {
        this.topic = topic;
        this.time = time;
        this.scheduler = scheduler;
        this.executor = executor;
        this.bufferBytes = bufferBytes;
        this.serde = serde;
        this.listener = listener;
    }

    @Override
    public CompletableFuture<LoadSummary> load(
            TopicPartition partition, CoordinatorPlayback<CoordinatorRecord> playback) {
        LogLoad load = new LogLoad(this, partition, playback, new SerialExecutor(executor));
        synchronized (waiting) {
            if (closed) {
                return CompletableFuture.failedFuture(new NotLeaderOrFollowerException("the coordinator is closing"));
            }
            waiting.add(load);
        }
        startNext();
        return load.future();
    }

    @Override
    public void close() {
        List<LogLoad> unfinished;
        synchronized (waiting) {
            closed = true;
            unfinished = new ArrayList<>(waiting);
            unfinished.addAll(running);
            unfinished.addAll(pausing);
            waiting.clear();
        }
        unfinished.forEach(LogLoad::cancel);
    }

    Deserializer<CoordinatorRecord> serde() {
        return serde;
    }

    LoadListener listener() {
        return listener;
    }

    void onDone(LogLoad load) {
        synchronized (waiting) {
            running.remove(load);
            pausing.remove(load);
        }
        startNext();
    }

    /** Lets others load meanwhile. */
    void pause(LogLoad load) {
        synchronized (waiting) {
            running.remove(load);
            pausing.add(load);
        }
        startNext();
    }

    /** Waits for its turn, unless it has ended meanwhile. */
    void resume(LogLoad load) {
        synchronized (waiting) {
            if (!pausing.remove(load) || closed) {
                return;
            }
            waiting.add(load);
        }
        startNext();
    }

    private void startNext() {
        while (true) {
            LogLoad next;
            synchronized (waiting) {
                next = running.size() < CONCURRENT_LOADS ? waiting.poll() : null;
                if (next == null) {
                    return;
                }
                running.add(next);
            }
            next.start();
        }
    }

    StateTopic topic() {
        return topic;
    }

    Time time() {
        return time;
    }

    Scheduler scheduler() {
        return scheduler;
    }

    int bufferBytes() {
        return bufferBytes;
    }
}
