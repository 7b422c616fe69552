package io.sluice.coordinator.library;

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
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.coordinator.common.runtime.CoordinatorLoader;
import org.apache.kafka.coordinator.common.runtime.CoordinatorPlayback;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;

/**
 * Rebuilds groups by reading a partition of the offsets topic from start to end. At most {@link #CONCURRENT_LOADS}
 * partitions load at a time, each reading one buffer; the rest wait in order. One that cannot go on for the moment makes
 * room and waits again afterwards. Safe on every thread.
 */
final class LogLoader implements CoordinatorLoader<CoordinatorRecord> {
    static final int CONCURRENT_LOADS = 2;

    private final OffsetsTopic topic;
    private final Time time;
    private final Scheduler scheduler;
    private final Executor executor;
    private final int bufferBytes;
    private final LoadListener listener;
    private final Queue<LogLoad> waiting = new ArrayDeque<>();
    private final Set<LogLoad> running = new HashSet<>();
    private final Set<LogLoad> pausing = new HashSet<>();
    private boolean closed;

    /** Hears, on the load's executor, of what came of it. */
    interface LoadListener {
        /** The library knows that a partition is loaded, in which there were offsets for these topics. */
        void onLoaded(Set<CommittedTopic> topics);

        /**
         * The partition, elected under this epoch, has no log, or none that serves soon: whoever hears of one later has to
         * elect it again.
         */
        void onUnusable(int partition, int leaderEpoch);
    }

    /**
     * A loader for one incarnation of the topic.
     *
     * @param bufferBytes read at once, for each partition that loads
     * @param listener hears of what came of the loads
     */
    LogLoader(
            OffsetsTopic topic,
            Time time,
            Scheduler scheduler,
            Executor executor,
            int bufferBytes,
            LoadListener listener) {
        this.topic = topic;
        this.time = time;
        this.scheduler = scheduler;
        this.executor = executor;
        this.bufferBytes = bufferBytes;
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

    OffsetsTopic topic() {
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
