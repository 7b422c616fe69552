package io.sluice.server;

import io.sluice.base.metric.Metrics;
import io.sluice.broker.net.ConnectionInfo;
import io.sluice.broker.net.ConnectionTable;
import io.sluice.cli.output.Json;
import io.sluice.cli.output.Times;
import io.sluice.server.http.NodeHealth;
import io.sluice.server.http.Page;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What the admin port shows. Pages are made on its event loop. */
final class AdminPages {
    private static final String METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
    private static final int SERVICE_UNAVAILABLE = 503;

    private final Metrics metrics;
    private final NodeHealth health;
    private volatile @Nullable ConnectionTable connections;

    AdminPages(Metrics metrics, NodeHealth health) {
        this.metrics = metrics;
        this.health = health;
    }

    /** From now on there are clients to show. */
    void showClients(ConnectionTable table) {
        connections = table;
    }

    Map<String, Supplier<Page>> byPath() {
        return Map.of(
                "/metrics",
                this::metricsPage,
                "/health/live",
                health::livePage,
                "/health/ready",
                health::readyPage,
                "/clients",
                this::clientsPage);
    }

    private Page metricsPage() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            metrics.writeText(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Page(200, METRICS_TYPE, out.toByteArray());
    }

    private Page clientsPage() {
        ConnectionTable table = connections;
        if (table == null) {
            return Page.json(SERVICE_UNAVAILABLE, Json.write(Map.of("status", "starting")));
        }
        List<Map<String, Object>> clients =
                table.snapshot().stream().map(AdminPages::document).toList();
        return Page.json(200, Json.write(clients));
    }

    private static Map<String, Object> document(ConnectionInfo info) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("id", info.id());
        document.put("clientId", info.clientId());
        document.put("softwareName", info.softwareName());
        document.put("softwareVersion", info.softwareVersion());
        document.put("address", info.address());
        document.put("listener", info.listener());
        document.put("connectedAt", Times.format(info.sinceEpochMillis(), ZoneOffset.UTC));
        document.put("topics", info.topics());
        document.put("bytesIn", info.bytesIn());
        document.put("bytesOut", info.bytesOut());
        document.put("requests", info.requests());
        return document;
    }
}
