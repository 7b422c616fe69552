package io.sluice.server;

import io.sluice.base.concurrent.TimeLimit;
import io.sluice.base.config.ConfigValues;
import io.sluice.broker.administration.AdministrationEnvironment;
import io.sluice.broker.administration.AdministrationHandlers;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.directory.BrokerDirectory;
import io.sluice.broker.directory.BrokerDirectory.Address;
import io.sluice.broker.directory.BrokerDirectory.Broker;
import io.sluice.broker.fetch.FetchHandler;
import io.sluice.broker.group.GroupHandlers;
import io.sluice.broker.group.ShareGroupHandlers;
import io.sluice.broker.group.StreamsGroupHandlers;
import io.sluice.broker.handshake.FeatureLevel;
import io.sluice.broker.handshake.SaslAuthenticateHandler;
import io.sluice.broker.handshake.SaslHandshakeHandler;
import io.sluice.broker.handshake.UpdateFeaturesHandler;
import io.sluice.broker.offset.ListOffsetsHandler;
import io.sluice.broker.offset.OffsetForLeaderEpochHandler;
import io.sluice.broker.produce.ProduceHandler;
import io.sluice.broker.producerid.InitProducerIdHandler;
import io.sluice.broker.security.SecurityOffHandler;
import io.sluice.broker.serving.ServedTopics;
import io.sluice.broker.share.DeadLetterQueue;
import io.sluice.broker.share.ShareGroupConfigs;
import io.sluice.broker.share.ShareHandlers;
import io.sluice.broker.share.SharePartitions;
import io.sluice.broker.share.ShareStateHandlers;
import io.sluice.broker.telemetry.TelemetryEnvironment;
import io.sluice.broker.telemetry.TelemetryHandlers;
import io.sluice.broker.topic.StreamsTopicCreation;
import io.sluice.broker.transaction.DescribeProducersHandler;
import io.sluice.broker.transaction.TransactionHandlers;
import io.sluice.broker.transaction.WriteTxnMarkersHandler;
import io.sluice.coordinator.runtime.InternalTopics;
import io.sluice.coordinator.share.SharePartition;
import io.sluice.server.logging.LogbackLevels;
import io.sluice.storage.config.ListenerKeys;
import io.sluice.storage.config.ShareGroupKeys;
import io.sluice.storage.config.TransactionKeys;
import io.sluice.storage.metadata.TopicCreator;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Every API that a node serves.
 *
 * @param brokers filled when the listeners are bound
 */
record NodeHandlers(
        NodeRuntime runtime,
        NodeStorage storage,
        NodeCoordinators coordinators,
        BrokerDirectory brokers,
        InternalTopics internalTopics) {

    List<ApiHandler<?>> all() {
        List<ApiHandler<?>> handlers = new ArrayList<>();
        handlers.add(new SaslHandshakeHandler());
        handlers.add(new SaslAuthenticateHandler());
        handlers.add(new UpdateFeaturesHandler(FeatureLevel.SERVED));
        handlers.addAll(SecurityOffHandler.all());
        handlers.addAll(records());
        handlers.addAll(AdministrationHandlers.all(administration()));
        handlers.addAll(GroupHandlers.all(
                coordinators.groups(),
                coordinators.transactions(),
                coordinators.shareState(),
                storage.images,
                this::endpoint));
        handlers.addAll(TelemetryHandlers.all(new TelemetryEnvironment(
                storage.images,
                storage.configs.current().values(),
                runtime.background(),
                runtime.clock(),
                runtime.metrics(),
                Uuid::randomUuid)));
        handlers.addAll(transactions());
        handlers.addAll(ShareStateHandlers.all(coordinators.shareState()));
        handlers.addAll(StreamsGroupHandlers.all(coordinators.groups(), streamsTopics()));
        return handlers;
    }

    private StreamsTopicCreation streamsTopics() {
        int limitMillis = storage.configs.current().values().get(ListenerKeys.REQUEST_TIMEOUT_MS);
        TopicCreator creator = new TopicCreator(
                storage.topics,
                storage.lifecycle,
                new TimeLimit(runtime.scheduler(), runtime.metadataThread()),
                TimeUnit.MILLISECONDS.toNanos(limitMillis));
        return new StreamsTopicCreation(creator, () -> storage.configs.current().values(), runtime.clock());
    }

    private List<ApiHandler<?>> transactions() {
        List<ApiHandler<?>> handlers =
                new ArrayList<>(TransactionHandlers.all(coordinators.transactions(), storage.images));
        handlers.add(new WriteTxnMarkersHandler(coordinators.markers()));
        handlers.add(new DescribeProducersHandler(storage.images, storage.ownership, storage.logs));
        return handlers;
    }

    private List<ApiHandler<?>> records() {
        ServedTopics served =
                new ServedTopics(storage.images, () -> storage.configs.current().topicDefaults(), runtime.metrics());
        ConfigValues values = storage.configs.current().values();
        FetchHandler.Limits limits = new FetchHandler.Limits(
                values.get(ListenerKeys.FETCH_MAX_BYTES),
                values.get(ListenerKeys.MAX_INCREMENTAL_FETCH_SESSION_CACHE_SLOTS),
                new SecureRandom()::nextInt);
        List<ApiHandler<?>> handlers = new ArrayList<>(List.of(
                new ProduceHandler(
                        served,
                        new ProduceHandler.Target(storage.logs, storage.ownership, coordinators.transactions()),
                        runtime.clock(),
                        runtime.scheduler(),
                        runtime.allocator(),
                        runtime.metrics()),
                new FetchHandler(
                        served,
                        storage.logs,
                        storage.ownership,
                        new FetchHandler.Time(runtime.clock(), runtime.scheduler()),
                        limits,
                        runtime.allocator()::reservedBuffer,
                        runtime.metrics()),
                new ListOffsetsHandler(served, storage.logs, storage.ownership),
                new OffsetForLeaderEpochHandler(served, storage.logs, storage.ownership),
                new InitProducerIdHandler(
                        storage.producerIds, coordinators.transactions(), values.get(TransactionKeys.MAX_TIMEOUT_MS))));
        handlers.addAll(shares(served, values));
        return handlers;
    }

    private List<ApiHandler<?>> shares(ServedTopics served, ConfigValues values) {
        SharePartitions.Records records = new SharePartitions.Records(served, storage.logs, storage.ownership);
        ShareGroupConfigs configs = new ShareGroupConfigs(storage.images, values);
        SharePartition.Time time = new SharePartition.Time(runtime.clock(), runtime.scheduler(), runtime.background());
        DeadLetterQueue queue = new DeadLetterQueue(records, configs, internalTopics, runtime.allocator(), time);
        SharePartitions partitions =
                new SharePartitions(records, coordinators.patientShareState(), configs, queue::of, time);
        List<ApiHandler<?>> handlers = new ArrayList<>(ShareHandlers.all(
                partitions,
                runtime.clock(),
                runtime.scheduler(),
                values.get(ListenerKeys.FETCH_MAX_BYTES),
                values.get(ShareGroupKeys.MAX_SESSIONS)));
        handlers.addAll(ShareGroupHandlers.all(coordinators.groups(), storage.images));
        return handlers;
    }

    private AdministrationEnvironment administration() {
        return new AdministrationEnvironment(
                storage.images,
                storage.ownership,
                brokers,
                storage.topics,
                storage.configCatalogue,
                internalTopics,
                storage.lifecycle,
                storage.logs,
                storage.configs,
                new LogbackLevels(),
                storage.logDirectory,
                new TimeLimit(runtime.scheduler(), runtime.metadataThread()),
                runtime.clock());
    }

    private @Nullable Node endpoint(int nodeId, String listenerName) {
        for (Broker broker : brokers.brokers()) {
            Address address = broker.addresses().get(listenerName);
            if (broker.nodeId() == nodeId && address != null) {
                return new Node(nodeId, address.host(), address.port());
            }
        }
        return null;
    }
}
