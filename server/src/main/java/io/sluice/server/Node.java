package io.sluice.server;

import io.sluice.base.time.Clock;
import io.sluice.broker.net.BoundListener;
import io.sluice.cli.Version;
import io.sluice.server.config.Listener;
import io.sluice.server.config.ListenerPlan;
import io.sluice.server.config.MachineLimits;
import io.sluice.server.config.NodeConfig;
import io.sluice.server.http.AdminServer;
import io.sluice.server.http.NodeHealth;
import io.sluice.server.process.NamedThreads;
import io.sluice.server.process.ProcessStatus;
import io.sluice.storage.config.ListenerKeys;
import io.sluice.storage.config.StorageKeys;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.local.DataDirectory;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One node: everything it consists of, wired by hand, started in order and stopped in reverse. */
final class Node implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Node.class);
    private static final long MIN_DESCRIPTORS = 4096;

    private final NodeConfig config;
    private final Clock clock;
    private final FileSystem files;
    private final NodeHealth health = new NodeHealth();
    /** Closed from the last to the first. */
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    private List<BoundListener> listeners = List.of();
    private int adminPort;

    private Node(NodeConfig config, Clock clock, FileSystem files) {
        this.config = config;
        this.clock = clock;
        this.files = files;
    }

    /** Starts a node; when this returns it serves. What was started is stopped again when something fails. */
    static Node start(NodeConfig config, Clock clock, FileSystem files) {
        Node node = new Node(config, clock, files);
        boolean started = false;
        try {
            node.open();
            started = true;
        } finally {
            if (!started) { // what never served has not stopped either: the refusal is all there is to say
                node.health.toStopping();
                boolean unused = closeAll(node.parts);
            }
        }
        return node;
    }

    private void open() {
        LOG.atInfo()
                .addKeyValue("version", Version.current())
                .addKeyValue("data", config.dataDirectory())
                .log("starting");
        warn();
        requireFreeWhereNothingIsBegun();
        String journalDirectory = config.values().find(StorageKeys.JOURNAL_DIR);
        JournalPlace.require(files, config.dataDirectory(), journalDirectory);
        DataDirectory directory = DataDirectory.open(
                files, config.dataDirectory(), null, config.values().get(StorageKeys.NODE_ID));
        parts.push(directory);
        JournalPlace journal = JournalPlace.take(files, directory.path(), journalDirectory);
        parts.push(journal);
        NodeRuntime runtime = new NodeRuntime(clock);
        parts.push(runtime);
        ProcessStatus.register(runtime.metrics());
        AdminPages pages = new AdminPages(runtime.metrics(), health);
        startAdminServer(pages);
        NodeFront.requireFree(config.listeners());
        health.toStep("recovering");
        NodeConfig effective = config.withAdminPort(adminPort);
        NodeStorage storage = NodeStorage.open(directory, journal.path(), files, effective, runtime, health);
        parts.push(storage);
        health.toStep("opening listeners");
        NodeFront front = NodeFront.open(effective, runtime, storage);
        parts.push(front);
        pages.showClients(front.connections());
        listeners = front.listeners();
        health.toReady();
    }

    /** A refused start leaves nothing behind; of a directory that a node may hold, the lock says more than the port. */
    private void requireFreeWhereNothingIsBegun() {
        if (!Files.exists(config.dataDirectory().resolve(DataDirectory.META_FILE))) {
            AdminServer.requireFree(
                    config.values().get(ListenerKeys.ADMIN_HOST),
                    config.values().get(ListenerKeys.ADMIN_PORT));
            NodeFront.requireFree(config.listeners());
        }
    }

    private void warn() {
        MachineLimits machine = MachineLimits.ofThisProcess();
        if (machine.descriptors() >= 0 && machine.descriptors() < MIN_DESCRIPTORS) {
            LOG.atWarn()
                    .addKeyValue("limit", machine.descriptors())
                    .addKeyValue("wanted", MIN_DESCRIPTORS)
                    .addKeyValue("connections", machine.connections(config.values()))
                    .addKeyValue("segmentFiles", machine.openFiles(config.values()))
                    .log("few descriptors may be open: raise the hard limit (ulimit -Hn), see 'sluice doctor'");
        }
        for (ListenerPlan.Endpoint endpoint : config.listeners().endpoints()) {
            if (endpoint.openToOthers()) {
                LOG.atWarn()
                        .addKeyValue("listener", endpoint.bind())
                        .log("other machines can connect, and nobody has to say who they are");
            }
        }
        if (config.isAdminOpenToOthers()) {
            LOG.atWarn()
                    .addKeyValue("host", config.values().get(ListenerKeys.ADMIN_HOST))
                    .log(
                            "other machines can open the admin page, which has no authentication: it shows metrics and who is"
                                    + " connected");
        }
    }

    private void startAdminServer(AdminPages pages) {
        String host = config.values().get(ListenerKeys.ADMIN_HOST);
        AdminServer admin = AdminServer.start(
                host, config.values().get(ListenerKeys.ADMIN_PORT), pages.byPath(), new NamedThreads("admin"));
        parts.push(admin);
        adminPort = admin.port();
        LOG.atInfo().addKeyValue("host", host).addKeyValue("port", adminPort).log("admin port open");
    }

    /** What to say now that it serves. */
    Ready ready() {
        BoundListener first = listeners.get(0);
        long startMillis = ManagementFactory.getRuntimeMXBean().getStartTime();
        return new Ready(
                Version.current(),
                new Listener(first.name(), first.host(), first.port()).address(),
                clock.epochMillis() - startMillis,
                config.dataDirectory(),
                adminPort);
    }

    /** The same as {@link #stop}. */
    @Override
    public void close() {
        boolean unused = stop();
    }

    /**
     * Takes no new work, finishes what was begun and stops.
     *
     * @return whether every part stopped as it should; what did not is in the log
     */
    boolean stop() {
        health.toStopping();
        LOG.atInfo().log("stopping");
        boolean stopped = closeAll(parts);
        LOG.atInfo().addKeyValue("clean", stopped).log("stopped");
        return stopped;
    }

    @SuppressWarnings("checkstyle:IllegalCatch") // one part that fails to stop must not keep the others running
    static boolean closeAll(Deque<AutoCloseable> parts) {
        boolean allStopped = true;
        while (!parts.isEmpty()) {
            AutoCloseable part = parts.pop();
            try {
                part.close();
            } catch (Exception e) {
                allStopped = false;
                LOG.atError()
                        .addKeyValue("part", part.getClass().getSimpleName())
                        .setCause(e)
                        .log("failed to stop");
            }
        }
        return allStopped;
    }
}
