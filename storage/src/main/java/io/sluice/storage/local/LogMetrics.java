package io.sluice.storage.local;

import io.sluice.base.metric.Metric;
import io.sluice.base.metric.Metrics;
import java.util.concurrent.atomic.LongAdder;

/** The engine's counters, looked up once. */
record LogMetrics(
        LongAdder appendedBytes,
        LongAdder appendedRecords,
        LongAdder corruptBatches,
        LongAdder checkpoints,
        LongAdder copiedForwardBytes,
        Metrics.Histogram checkpointTime) {
    static LogMetrics of(Metrics metrics) {
        return new LogMetrics(
                metrics.counter(Metric.LOG_APPENDED_BYTES),
                metrics.counter(Metric.LOG_APPENDED_RECORDS),
                metrics.counter(Metric.LOG_CORRUPT_BATCHES),
                metrics.counter(Metric.LOG_CHECKPOINTS),
                metrics.counter(Metric.LOG_COPIED_FORWARD_BYTES),
                metrics.histogram(Metric.LOG_CHECKPOINT_SECONDS));
    }
}
