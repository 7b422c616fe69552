package io.sluice.broker.telemetry;

import io.sluice.storage.config.ClientMetricsKeys;
import io.sluice.storage.config.ClientMetricsSubscription;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.TreeSet;
import java.util.zip.CRC32C;
import org.apache.kafka.common.Uuid;

/**
 * What one client is asked for: all subscriptions that match it, as one.
 *
 * @param id tells the client whether it is still the same: of metrics, interval and instance
 * @param metrics beginnings of names, in their order; all of them is {@link ClientMetricsKeys#ALL_METRICS} alone
 * @param intervalMs the shortest of the subscriptions, at most the default
 */
record Assignment(int id, List<String> metrics, int intervalMs) {
    /** Kafka's default for clients that nothing matches. */
    private static final int DEFAULT_INTERVAL_MS =
            ClientMetricsKeys.INTERVAL_MS.parse(String.valueOf(ClientMetricsKeys.INTERVAL_MS.defaultText()));

    static Assignment of(Uuid instanceId, List<ClientMetricsSubscription> matching) {
        TreeSet<String> metrics = new TreeSet<>();
        int intervalMs = DEFAULT_INTERVAL_MS;
        for (ClientMetricsSubscription each : matching) {
            metrics.addAll(each.metrics());
            intervalMs = Math.min(intervalMs, each.intervalMs());
        }
        List<String> asked = metrics.contains(ClientMetricsKeys.ALL_METRICS)
                ? List.of(ClientMetricsKeys.ALL_METRICS)
                : List.copyOf(metrics);
        CRC32C crc = new CRC32C();
        crc.update((asked.toString() + intervalMs).getBytes(StandardCharsets.UTF_8));
        return new Assignment((int) crc.getValue() ^ instanceId.hashCode(), asked, intervalMs);
    }
}
