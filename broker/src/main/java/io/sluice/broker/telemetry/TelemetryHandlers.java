package io.sluice.broker.telemetry;

import io.sluice.base.concurrent.SerialExecutor;
import io.sluice.base.config.ConfigValues;
import io.sluice.base.metric.Metric;
import io.sluice.base.metric.Metrics;
import io.sluice.broker.api.ApiHandler;
import io.sluice.storage.config.TelemetryKeys;
import java.util.List;

/** The handlers of client telemetry (KIP-714), and the series of what they receive. */
public final class TelemetryHandlers {
    /** What a payload may expand to is this many times what it may have as it was sent. */
    private static final int EXPANSION = 10;

    private static final int MAX_EXPANDED_BYTES = 32 << 20;
    private static final String PREFIX = "sluice_client_";
    private static final String HELP = "Measured and pushed by clients (KIP-714): the newest value of each.";

    private TelemetryHandlers() {}

    /** One of each; their series are among the metrics from now on. */
    public static List<ApiHandler<?>> all(TelemetryEnvironment env) {
        ConfigValues values = env.values();
        Metrics metrics = env.metrics();
        int maxBytes = values.get(TelemetryKeys.MAX_BYTES);
        int clientSeries = values.get(TelemetryKeys.MAX_CLIENT_SERIES);
        ClientInstances instances = new ClientInstances(
                new SubscriptionTable(env.images()), values.get(TelemetryKeys.MAX_INSTANCES), env.clock());
        ReceivedMetrics received = new ReceivedMetrics(
                new ReceivedMetrics.Limits(
                        values.get(TelemetryKeys.MAX_CLIENTS), clientSeries, values.get(TelemetryKeys.MAX_SERIES)),
                env.clock());
        metrics.gauge(Metric.TELEMETRY_INSTANCES, instances::size);
        metrics.gauge(Metric.TELEMETRY_CLIENTS, received::clientCount);
        metrics.gauge(Metric.TELEMETRY_SERIES, received::seriesCount);
        metrics.foreign(PREFIX, HELP, received::series);
        TelemetryReceiver receiver = new TelemetryReceiver(
                received, (int) Math.min(MAX_EXPANDED_BYTES, (long) EXPANSION * maxBytes), clientSeries, metrics);
        return List.of(
                new GetTelemetrySubscriptionsHandler(instances, maxBytes, env.clock(), env.newIds()),
                new PushTelemetryHandler(
                        instances, receiver, maxBytes, new SerialExecutor(env.background()), env.clock(), metrics));
    }
}
