package io.sluice.storage.local;

import io.sluice.base.metric.Metric;
import io.sluice.base.metric.Metrics;
import java.util.concurrent.atomic.LongAdder;

/** How far the cleaner has got, for metrics. Written by the cleaner's thread, read by any. */
final class CleanerProgress {
    private final LongAdder cleanings;
    private final LongAdder read;
    private final LongAdder written;
    private volatile long remaining;
    private volatile long waiting;
    private long waitingInRound;

    CleanerProgress(Metrics metrics) {
        this.cleanings = metrics.counter(Metric.LOG_CLEANINGS);
        this.read = metrics.counter(Metric.LOG_CLEANED_BYTES);
        this.written = metrics.counter(Metric.LOG_CLEANER_WRITTEN_BYTES);
        metrics.gauge(Metric.LOG_CLEANING_REMAINING_BYTES, () -> remaining);
        metrics.gauge(Metric.LOG_CLEANER_WAITING_BYTES, () -> waiting);
    }

    /** A look at every log begins. */
    void onRoundBegins() {
        waitingInRound = 0;
    }

    /** A log has so many bytes that no cleaning has seen, and they are not enough for one. */
    void onWaiting(long bytes) {
        waitingInRound += bytes;
    }

    /** Every log has been looked at. */
    void onRoundEnds() {
        waiting = waitingInRound;
    }

    /** A cleaning begins that has so much to read. */
    void onCleaningBegins(long bytes) {
        remaining = bytes;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
    void onRead(int bytes) {
        read.add(bytes);
        remaining = Math.max(0, remaining - bytes);
    }

    void onWritten(int bytes) {
        written.add(bytes);
    }

    void onCleaningEnds(boolean done) {
        if (done) {
            cleanings.increment();
        }
        remaining = 0;
    }
}
