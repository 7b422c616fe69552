package io.sluice.broker.serving;

import io.sluice.base.metric.Metric;
import io.sluice.base.metric.Metrics;
import java.util.concurrent.atomic.LongAdder;

/**
 * The metric series of one topic, or of all topics that have none of their own. Safe on every thread.
 *
 * @param bytesIn bytes of batches appended
 * @param recordsIn records appended
 * @param bytesOut bytes of batches sent to consumers
 * @param recordsOut records sent to consumers
 * @param publishNanos time from a request's arrival to the durability of its records
 */
public record TopicSeries(
        LongAdder bytesIn,
        LongAdder recordsIn,
        LongAdder bytesOut,
        LongAdder recordsOut,
        Metrics.Histogram publishNanos) {
    static TopicSeries of(Metrics metrics, String topic) {
        return new TopicSeries(
                metrics.counter(Metric.TOPIC_IN_BYTES, topic),
                metrics.counter(Metric.TOPIC_IN_RECORDS, topic),
                metrics.counter(Metric.TOPIC_OUT_BYTES, topic),
                metrics.counter(Metric.TOPIC_OUT_RECORDS, topic),
                metrics.histogram(Metric.TOPIC_PUBLISH_SECONDS, topic));
    }

    static void remove(Metrics metrics, String topic) {
        metrics.remove(Metric.TOPIC_IN_BYTES, topic);
        metrics.remove(Metric.TOPIC_IN_RECORDS, topic);
        metrics.remove(Metric.TOPIC_OUT_BYTES, topic);
        metrics.remove(Metric.TOPIC_OUT_RECORDS, topic);
        metrics.remove(Metric.TOPIC_PUBLISH_SECONDS, topic);
    }
}
