package io.sluice.coordinator.runtime;

import io.sluice.base.metric.Metric;
import io.sluice.base.metric.Metrics;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRuntime.CoordinatorState;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRuntimeMetrics;

/** What of the library's many measurements goes into our catalogue, by coordinator. The rest is dropped here. */
public final class RuntimeMetrics implements CoordinatorRuntimeMetrics {
    private final Metrics metrics;
    private final String coordinator;
    private final Metrics.Histogram loadSeconds;
    private final Metrics.Histogram eventWaitSeconds;

    /**
     * Of one coordinator.
     *
     * @param coordinator the label: group, transaction or share
     */
    public RuntimeMetrics(Metrics metrics, String coordinator) {
        this.metrics = metrics;
        this.coordinator = coordinator;
        this.loadSeconds = metrics.histogram(Metric.COORDINATOR_LOAD_SECONDS, coordinator);
        this.eventWaitSeconds = metrics.histogram(Metric.COORDINATOR_EVENT_WAIT_SECONDS, coordinator);
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
        metrics.gauge(Metric.COORDINATOR_EVENT_QUEUE_EVENTS, size::get, coordinator);
    }

    @Override
    public void close() {
        metrics.remove(Metric.COORDINATOR_EVENT_QUEUE_EVENTS, coordinator);
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
