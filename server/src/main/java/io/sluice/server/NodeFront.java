package io.sluice.server;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.broker.directory.BrokerDirectory;
import io.sluice.broker.directory.BrokerDirectory.Address;
import io.sluice.broker.directory.BrokerDirectory.Broker;
import io.sluice.broker.handshake.ApiVersionsHandler;
import io.sluice.broker.handshake.FeatureLevel;
import io.sluice.broker.net.BoundListener;
import io.sluice.broker.net.BrokerServer;
import io.sluice.broker.net.ConnectionTable;
import io.sluice.broker.net.FrontConfig;
import io.sluice.broker.net.ListenerConfig;
import io.sluice.cli.connect.ListenProbe;
import io.sluice.coordinator.runtime.CatalogueTopics;
import io.sluice.coordinator.runtime.InternalTopics;
import io.sluice.server.config.ListenerPlan;
import io.sluice.server.config.MachineLimits;
import io.sluice.server.config.NodeConfig;
import io.sluice.storage.config.StorageKeys;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What clients see of a node: listeners, the handlers behind them, and the coordinators. */
final class NodeFront implements AutoCloseable {
    private static final int ONE_BROKER = 1;

    private final NodeCoordinators coordinators;
    private final BrokerServer server;

    private NodeFront(NodeCoordinators coordinators, BrokerServer server) {
        this.coordinators = coordinators;
        this.server = server;
    }

    /**
     * Refuses at once what could only fail after the recovery.
     *
     * @throws UserException naming an address that somebody else listens on
     */
    static void requireFree(ListenerPlan plan) {
        for (ListenerPlan.Endpoint endpoint : plan.endpoints()) {
            ListenProbe.Refusal refusal =
                    ListenProbe.refusal(endpoint.bind().host(), endpoint.bind().port());
            if (refusal != null) {
                throw new UserException(
                        ExitCode.CANNOT_CREATE,
                        "Cannot listen on " + endpoint.bind().address() + ": " + refusal.reason()
                                + (refusal.hostIsWrong()
                                        ? ". Name one of this machine's addresses with --host H (or listeners)."
                                        : ". Stop what uses the address, or choose another with --port N."));
            }
        }
    }

    /** Begins to serve. */
    static NodeFront open(NodeConfig config, NodeRuntime runtime, NodeStorage storage) {
        InternalTopics internalTopics =
                new CatalogueTopics(storage.topics, storage.images, storage.lifecycle::whenServing, ONE_BROKER);
        NodeCoordinators coordinators = new NodeCoordinators(config, runtime, storage, internalTopics);
        BrokerDirectory brokers = new BrokerDirectory();
        NodeHandlers handlers = new NodeHandlers(runtime, storage, coordinators, brokers, internalTopics);
        BrokerServer server = new BrokerServer(
                new FrontConfig(config.values(), MachineLimits.ofThisProcess().connections(config.values())),
                ApiVersionsHandler.registry(handlers.all(), FeatureLevel.SERVED),
                runtime.allocator(),
                runtime.metrics(),
                runtime.clock(),
                runtime.scheduler());
        int nodeId = config.values().get(StorageKeys.NODE_ID);
        List<ListenerConfig> wanted = listenerConfigs(config.listeners());
        // A client may ask before the last listener is bound; nobody can know a port that the system has yet to choose.
        brokers.set(
                List.of(broker(nodeId, wanted.stream().map(NodeFront::asBound).toList())));
        brokers.set(List.of(broker(nodeId, server.start(wanted))));
        return new NodeFront(coordinators, server);
    }

    private static BoundListener asBound(ListenerConfig wanted) {
        int advertised = wanted.advertisedPort() == 0 ? wanted.port() : wanted.advertisedPort();
        return new BoundListener(wanted.name(), wanted.host(), wanted.port(), wanted.advertisedHost(), advertised);
    }

    private static Broker broker(int nodeId, List<BoundListener> bound) {
        Map<String, Address> addresses = new HashMap<>();
        for (BoundListener listener : bound) {
            addresses.put(listener.name(), new Address(listener.advertisedHost(), listener.advertisedPort()));
        }
        return new Broker(nodeId, addresses, null);
    }

    private static List<ListenerConfig> listenerConfigs(ListenerPlan plan) {
        return plan.endpoints().stream()
                .map(endpoint -> new ListenerConfig(
                        endpoint.bind().name(),
                        endpoint.bind().host(),
                        endpoint.bind().port(),
                        endpoint.advertisedHost(),
                        endpoint.advertisedPort(0)))
                .toList();
    }

    /** What was bound, in the order configured. */
    List<BoundListener> listeners() {
        return server.listeners();
    }

    /** Who is connected. */
    ConnectionTable connections() {
        return server.connections();
    }

    /** Answers what is in flight, then lets the coordinators write their last. */
    @Override
    public void close() {
        server.close();
        coordinators.close();
    }
}
