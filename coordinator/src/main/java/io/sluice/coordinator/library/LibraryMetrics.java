package io.sluice.coordinator.library;

import io.sluice.base.metric.Metric;
import io.sluice.base.metric.Metrics;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRuntime.CoordinatorState;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRuntimeMetrics;

/** What of the library's many measurements goes into our catalogue. The rest is dropped here. */
final class LibraryMetrics implements CoordinatorRuntimeMetrics {
    private final Metrics metrics;
    private final Metrics.Histogram loadSeconds;
    private final Metrics.Histogram eventWaitSeconds;

    LibraryMetrics(Metrics metrics) {
        this.metrics = metrics;
        this.loadSeconds = metrics.histogram(Metric.GROUP_LOAD_SECONDS);
        this.eventWaitSeconds = metrics.histogram(Metric.GROUP_EVENT_WAIT_SECONDS);
    }

    @Override
    public void recordPartitionLoadSensor(long startMillis, long endMillis) {
        loadSeconds.observe(TimeUnit.MILLISECONDS.toNanos(endMillis - startMillis));
    }

    @Override
    public void recordEventQueueTime(long millis) {
        eventWaitSeconds.observe(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    @Override
    public void registerEventQueueSizeGauge(Supplier<Integer> size) {
        metrics.gauge(Metric.GROUP_EVENT_QUEUE_EVENTS, size::get);
    }

    @Override
    public void close() {
        metrics.remove(Metric.GROUP_EVENT_QUEUE_EVENTS);
    }

    @Override
    public void recordPartitionStateChange(CoordinatorState before, CoordinatorState after) {}

    @Override
    public void recordEventProcessingTime(long millis) {}

    @Override
    public void recordEventPurgatoryTime(long millis) {}

    @Override
    public void recordLingerTime(long millis) {}

    @Override
    public void recordFlushTime(long millis) {}

    @Override
    public void recordThreadIdleTime(double millis) {}

    @Override
    public void recordBackgroundQueueTime(long millis) {}

    @Override
    public void recordBackgroundProcessingTime(long millis) {}

    @Override
    public void recordBackgroundThreadBusyTime(double millis) {}

    @Override
    public void registerBufferCacheSizeGauge(Supplier<Long> size) {}

    @Override
    public void recordBufferCacheDiscarded() {}
}
