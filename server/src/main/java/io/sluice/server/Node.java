package io.sluice.server;

import io.sluice.base.metric.Metrics;
import io.sluice.base.time.Clock;
import io.sluice.cli.Version;
import io.sluice.server.config.ListenerPlan;
import io.sluice.server.config.NodeConfig;
import io.sluice.server.http.AdminServer;
import io.sluice.server.http.NodeHealth;
import io.sluice.server.http.Page;
import io.sluice.server.process.DirectoryLock;
import io.sluice.server.process.NamedThreads;
import io.sluice.server.process.ProcessStatus;
import io.sluice.storage.config.ListenerKeys;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One node: everything it consists of, wired by hand, started in order and stopped in reverse. */
final class Node implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Node.class);
    private static final String METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";
    private static final long MIN_DESCRIPTORS = 4096;

    private final NodeConfig config;
    private final Clock clock;
    private final NodeHealth health = new NodeHealth();
    private final Metrics metrics = new Metrics();
    /** Closed from the last to the first. */
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    private int adminPort;

    private Node(NodeConfig config, Clock clock) {
        this.config = config;
        this.clock = clock;
    }

    /** Starts a node; when this returns it serves. What was started is stopped again when something fails. */
    static Node start(NodeConfig config, Clock clock) {
        Node node = new Node(config, clock);
        boolean started = false;
        try {
            node.open();
            started = true;
        } finally {
            if (!started) {
                node.close();
            }
        }
        return node;
    }

    private void open() {
        LOG.atInfo()
                .addKeyValue("version", Version.current())
                .addKeyValue("data", config.dataDirectory())
                .log("starting");
        parts.push(DirectoryLock.acquire(config.dataDirectory(), Instant.ofEpochMilli(clock.epochMillis())));
        ProcessStatus.register(metrics);
        warn();
        startAdminServer();
        health.toReady();
    }

    private void warn() {
        long limit = ProcessStatus.descriptorLimit();
        if (limit >= 0 && limit < MIN_DESCRIPTORS) {
            LOG.atWarn()
                    .addKeyValue("limit", limit)
                    .addKeyValue("wanted", MIN_DESCRIPTORS)
                    .log("few descriptors may be open: raise the hard limit (ulimit -Hn), see 'sluice doctor'");
        }
        for (ListenerPlan.Endpoint endpoint : config.listeners().endpoints()) {
            if (endpoint.openToOthers()) {
                LOG.atWarn()
                        .addKeyValue("listener", endpoint.bind())
                        .log("other machines can connect, and nobody has to say who they are");
            }
        }
    }

    private void startAdminServer() {
        String host = config.values().get(ListenerKeys.ADMIN_HOST);
        Map<String, Supplier<Page>> pages = Map.of(
                "/metrics", this::metricsPage, "/health/live", health::livePage, "/health/ready", health::readyPage);
        AdminServer admin =
                AdminServer.start(host, config.values().get(ListenerKeys.ADMIN_PORT), pages, new NamedThreads("admin"));
        parts.push(admin);
        adminPort = admin.port();
        LOG.atInfo().addKeyValue("host", host).addKeyValue("port", adminPort).log("admin port open");
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

    /** What to say now that it serves. */
    Ready ready() {
        long startMillis = ManagementFactory.getRuntimeMXBean().getStartTime();
        return new Ready(
                Version.current(),
                config.listeners().endpoints().get(0).bind().address(),
                clock.epochMillis() - startMillis,
                config.dataDirectory(),
                adminPort);
    }

    /** Takes no new work, finishes what was begun and stops. */
    @Override
    @SuppressWarnings("checkstyle:IllegalCatch") // one part that fails to stop must not keep the others running
    public void close() {
        health.toStopping();
        LOG.atInfo().log("stopping");
        while (!parts.isEmpty()) {
            AutoCloseable part = parts.pop();
            try {
                part.close();
            } catch (Exception e) {
                LOG.atError()
                        .addKeyValue("part", part.getClass().getSimpleName())
                        .setCause(e)
                        .log("failed to stop");
            }
        }
        LOG.atInfo().log("stopped");
    }
}
