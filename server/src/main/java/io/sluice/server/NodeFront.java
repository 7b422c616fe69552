package io.sluice.server;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.HandlerRegistry;
import io.sluice.broker.group.GroupHandlers;
import io.sluice.broker.group.NodeEndpoints;
import io.sluice.broker.handshake.ApiVersionsHandler;
import io.sluice.broker.handshake.FeatureLevel;
import io.sluice.broker.handshake.SaslAuthenticateHandler;
import io.sluice.broker.handshake.SaslHandshakeHandler;
import io.sluice.broker.net.BoundListener;
import io.sluice.broker.net.BrokerServer;
import io.sluice.broker.net.ConnectionTable;
import io.sluice.broker.net.FrontConfig;
import io.sluice.broker.net.ListenerConfig;
import io.sluice.broker.produce.ProduceHandler;
import io.sluice.broker.serving.ServedTopics;
import io.sluice.coordinator.group.CatalogueTopics;
import io.sluice.coordinator.group.GroupLag;
import io.sluice.coordinator.group.GroupPort;
import io.sluice.coordinator.library.GroupEnvironment;
import io.sluice.coordinator.library.LibraryGroups;
import io.sluice.server.config.ListenerPlan;
import io.sluice.server.config.NodeConfig;
import io.sluice.storage.config.StorageKeys;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Node;

/** What clients see of a node: listeners, the handlers behind them, and the coordinators. */
final class NodeFront implements AutoCloseable {
    private static final int ONE_BROKER = 1;

    private final GroupPort groups;
    private final BrokerServer server;

    private NodeFront(GroupPort groups, BrokerServer server) {
        this.groups = groups;
        this.server = server;
    }

    /**
     * Refuses at once what could only fail after the recovery.
     *
     * @throws UserException naming an address that somebody else listens on
     */
    static void requireFree(ListenerPlan plan) {
        for (ListenerPlan.Endpoint endpoint : plan.endpoints()) {
            try (ServerSocket probe = new ServerSocket()) {
                probe.setReuseAddress(true);
                probe.bind(new InetSocketAddress(
                        endpoint.bind().host(), endpoint.bind().port()));
            } catch (IOException e) {
                throw new UserException(
                        ExitCode.CANNOT_CREATE,
                        "Cannot listen on " + endpoint.bind().address() + ": " + e.getMessage()
                                + ". Stop what uses the address, or choose another with --port N.",
                        e);
            }
        }
    }

    /** Begins to serve. */
    static NodeFront open(NodeConfig config, NodeRuntime runtime, NodeStorage storage) {
        GroupPort groups = new LibraryGroups(new GroupEnvironment(
                config.values(),
                runtime.clock(),
                runtime.scheduler(),
                runtime.background(),
                storage.logs,
                storage.ownership,
                storage.images,
                new CatalogueTopics(storage.topics, storage.images, storage.lifecycle::whenServing, ONE_BROKER),
                runtime.allocator(),
                runtime.metrics()));
        GroupLag.register(groups, storage.images, storage.logs, runtime.clock(), runtime.metrics());
        Endpoints endpoints = new Endpoints(config.values().get(StorageKeys.NODE_ID));
        HandlerRegistry registry =
                ApiVersionsHandler.registry(handlers(runtime, storage, groups, endpoints), FeatureLevel.SERVED);
        BrokerServer server = new BrokerServer(
                new FrontConfig(config.values()),
                registry,
                runtime.allocator(),
                runtime.metrics(),
                runtime.clock(),
                runtime.scheduler());
        endpoints.bound = server.start(listenerConfigs(config.listeners()));
        return new NodeFront(groups, server);
    }

    private static List<ApiHandler<?>> handlers(
            NodeRuntime runtime, NodeStorage storage, GroupPort groups, NodeEndpoints endpoints) {
        ServedTopics served =
                new ServedTopics(storage.images, () -> storage.configs.current().topicDefaults(), runtime.metrics());
        List<ApiHandler<?>> handlers = new ArrayList<>();
        handlers.add(new SaslHandshakeHandler());
        handlers.add(new SaslAuthenticateHandler());
        handlers.add(new ProduceHandler(
                served,
                storage.logs,
                storage.ownership,
                runtime.clock(),
                runtime.scheduler(),
                runtime.allocator(),
                runtime.metrics()));
        handlers.addAll(GroupHandlers.all(groups, storage.images, endpoints));
        return handlers;
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
        groups.close();
    }

    /** Where clients reach this node, the only one. */
    private static final class Endpoints implements NodeEndpoints {
        private final int nodeId;
        private volatile List<BoundListener> bound = List.of();

        Endpoints(int nodeId) {
            this.nodeId = nodeId;
        }

        @Override
        public @org.jspecify.annotations.Nullable Node find(int wanted, String listenerName) {
            return wanted != nodeId
                    ? null
                    : bound.stream()
                            .filter(listener -> listener.name().equals(listenerName))
                            .map(listener -> new Node(nodeId, listener.advertisedHost(), listener.advertisedPort()))
                            .findFirst()
                            .orElse(null);
        }
    }
}
