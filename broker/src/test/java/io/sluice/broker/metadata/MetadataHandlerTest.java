package io.sluice.broker.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.base.concurrent.TimeLimit;
import io.sluice.base.id.TopicId;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.time.SimulatedTime;
import io.sluice.broker.directory.BrokerDirectory;
import io.sluice.broker.directory.KafkaIds;
import io.sluice.broker.simulation.InMemoryPartitionLogStore;
import io.sluice.broker.simulation.RecordingCall;
import io.sluice.broker.simulation.RecordingConnection;
import io.sluice.broker.topic.AutoTopicCreation;
import io.sluice.coordinator.runtime.CatalogueTopics;
import io.sluice.storage.config.DynamicConfigs;
import io.sluice.storage.config.TopicDefaults;
import io.sluice.storage.metadata.ClusterImages;
import io.sluice.storage.metadata.InMemoryMetadataStore;
import io.sluice.storage.metadata.LocalOwnership;
import io.sluice.storage.metadata.NewTopic;
import io.sluice.storage.metadata.PartitionLifecycle;
import io.sluice.storage.metadata.TopicCatalogue;
import io.sluice.storage.metadata.TopicCreator;
import io.sluice.storage.metadata.TopicOutcome;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.MetadataRequest;
import org.apache.kafka.common.requests.MetadataResponse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MetadataHandlerTest {
    private static final Executor DIRECT = Runnable::run;
    private static final int EPOCH = 4;

    private final World world = new World(Map.of("num.partitions", "3"));

    @ParameterizedTest
    @ValueSource(shorts = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13})
    void aTopicIsToldWithItsLeaderInEveryVersion(short version) {
        TopicImage topic = world.create("t", 2);
        MetadataResponseTopic told = find(world.ask(version, named("t")), "t");
        assertThat(told).isNotNull();
        assertThat(told.errorCode()).isEqualTo(Errors.NONE.code());
        assertThat(told.isInternal()).isFalse();
        assertThat(told.partitions()).hasSize(2).allSatisfy(partition -> {
            assertThat(partition.leaderId()).isEqualTo(1);
            assertThat(partition.leaderEpoch()).isEqualTo(EPOCH);
            assertThat(partition.replicaNodes()).containsExactly(1);
            assertThat(partition.isrNodes()).containsExactly(1);
        });
        assertThat(told.topicId()).isEqualTo(KafkaIds.toUuid(topic.id()));
    }

    @Test
    void brokersAreToldByTheListenerAskedOn() {
        MetadataResponseData told = world.ask((short) 13, named("t"));
        assertThat(told.clusterId()).isEqualTo(World.CLUSTER_ID);
        assertThat(told.controllerId()).isEqualTo(1);
        assertThat(told.brokers()).singleElement().satisfies(broker -> {
            assertThat(broker.nodeId()).isEqualTo(1);
            assertThat(broker.host()).isEqualTo("broker.example");
            assertThat(broker.port()).isEqualTo(9092);
        });
    }

    @Test
    void noListMeansAllAndAnEmptyListMeansAllInVersionZeroOnly() {
        world.create("a", 1);
        world.create("b", 1);
        MetadataRequestData none = new MetadataRequestData().setTopics(List.of());
        MetadataRequestData absent = new MetadataRequestData().setTopics(null);
        assertThat(world.ask((short) 0, none).topics()).hasSize(2);
        assertThat(world.ask((short) 1, none).topics()).isEmpty();
        assertThat(world.ask((short) 1, absent).topics()).hasSize(2);
        assertThat(world.ask((short) 13, absent).topics()).hasSize(2);
    }

    @Test
    void theAnswerForAllTopicsFollowsEveryChange() {
        MetadataRequestData absent = new MetadataRequestData().setTopics(null);
        world.create("a", 1);
        assertThat(world.ask((short) 12, absent).topics()).hasSize(1);
        assertThat(world.ask((short) 12, absent).topics()).hasSize(1);
        TopicImage b = world.create("b", 2);
        assertThat(world.ask((short) 12, absent).topics()).hasSize(2);
        world.topics.delete(b.id());
        assertThat(world.ask((short) 12, absent).topics()).hasSize(1);
        world.brokers.set(List.of());
        assertThat(world.ask((short) 12, absent).brokers()).isEmpty();
    }

    @Test
    void anUnknownTopicIsCreatedAndToldAtTheNextQuestion() {
        assertThat(error(world.ask((short) 4, named("new")), "new")).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        MetadataResponseData second = world.ask((short) 4, named("new"));
        assertThat(error(second, "new")).isEqualTo(Errors.NONE);
        assertThat(Objects.requireNonNull(find(second, "new")).partitions()).hasSize(3);
    }

    @Test
    void anUnknownTopicStaysUnknownWhereNobodyAllowsItsCreation() {
        MetadataRequestData request = named("new").setAllowAutoTopicCreation(false);
        World strict = new World(Map.of("auto.create.topics.enable", "false"));
        for (int i = 0; i < 2; i++) {
            assertThat(error(world.ask((short) 4, request), "new")).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
            assertThat(error(strict.ask((short) 4, named("new")), "new")).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        }
    }

    @Test
    void anInternalTopicWithoutACoordinatorIsNotCreated() {
        String name = "__share_group_state";

        assertThat(error(world.ask((short) 9, named(name)), name)).isEqualTo(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        assertThat(world.images.current().topics()).isEmpty();
    }

    @Test
    void theTopicOfTransactionsComesIntoBeingAsItsCoordinatorWantsIt() {
        world.ask((short) 9, named("__transaction_state"));

        TopicImage topic = world.images.current().topic("__transaction_state");
        assertThat(topic).isNotNull();
        assertThat(topic.partitions()).hasSize(8);
        assertThat(topic.configs())
                .containsEntry("cleanup.policy", "compact")
                .containsEntry("compression.type", "uncompressed")
                .containsEntry("min.insync.replicas", "1")
                .containsEntry("sluice.durability", "disk");
    }

    @Test
    void aBadNameIsRefusedAndNotCreated() {
        assertThat(error(world.ask((short) 9, named("a b")), "a b")).isEqualTo(Errors.INVALID_TOPIC_EXCEPTION);
        assertThat(world.images.current().topics()).isEmpty();
    }

    @Test
    void theOffsetsTopicComesIntoBeingAsItsCoordinatorWantsIt() {
        world.ask((short) 9, named("__consumer_offsets"));
        MetadataResponseTopic told = find(world.ask((short) 9, named("__consumer_offsets")), "__consumer_offsets");
        assertThat(told).isNotNull();
        assertThat(told.isInternal()).isTrue();
        assertThat(told.partitions()).hasSize(8);
        TopicImage topic = Objects.requireNonNull(world.images.current().topic("__consumer_offsets"));
        assertThat(topic.configs()).containsEntry("cleanup.policy", "compact");
    }

    @Test
    void topicsAreFoundByIdAndAnUnknownIdHasNoName() {
        TopicImage topic = world.create("t", 1);
        Uuid unknown = Uuid.randomUuid();
        MetadataRequestData request = new MetadataRequestData()
                .setTopics(List.of(
                        new MetadataRequestTopic().setName(null).setTopicId(KafkaIds.toUuid(topic.id())),
                        new MetadataRequestTopic().setName(null).setTopicId(unknown)));
        MetadataResponseData told = world.ask((short) 12, request);
        assertThat(error(told, "t")).isEqualTo(Errors.NONE);
        assertThat(told.topics())
                .filteredOn(one -> one.topicId().equals(unknown))
                .singleElement()
                .satisfies(one -> {
                    assertThat(one.errorCode()).isEqualTo(Errors.UNKNOWN_TOPIC_ID.code());
                    assertThat(one.name()).isNull();
                });
    }

    @Test
    void idsBeforeVersionTwelveAreAnInvalidRequest() {
        MetadataRequestData request = new MetadataRequestData()
                .setTopics(List.of(new MetadataRequestTopic().setName("t").setTopicId(Uuid.randomUuid())));
        assertThat(world.ask((short) 11, request).topics())
                .singleElement()
                .satisfies(topic -> assertThat(topic.errorCode()).isEqualTo(Errors.INVALID_REQUEST.code()));
    }

    @Test
    void authorizedOperationsAreToldWhenAskedFor() {
        world.create("t", 1);
        MetadataRequestData asked =
                named("t").setIncludeTopicAuthorizedOperations(true).setIncludeClusterAuthorizedOperations(true);
        MetadataResponseData told = world.ask((short) 9, asked);
        assertThat(told.clusterAuthorizedOperations()).isEqualTo(AuthorizedOperations.CLUSTER);
        assertThat(Objects.requireNonNull(find(told, "t")).topicAuthorizedOperations())
                .isEqualTo(AuthorizedOperations.TOPIC);
        MetadataResponseData notAsked = world.ask((short) 9, named("t"));
        assertThat(notAsked.clusterAuthorizedOperations()).isEqualTo(Integer.MIN_VALUE);
        assertThat(Objects.requireNonNull(find(notAsked, "t")).topicAuthorizedOperations())
                .isEqualTo(Integer.MIN_VALUE);
    }

    private static MetadataRequestData named(String name) {
        return new MetadataRequestData().setTopics(List.of(new MetadataRequestTopic().setName(name)));
    }

    private static @Nullable MetadataResponseTopic find(MetadataResponseData answer, String name) {
        return answer.topics().stream()
                .filter(topic -> name.equals(topic.name()))
                .findFirst()
                .orElse(null);
    }

    private static Errors error(MetadataResponseData told, String name) {
        return Errors.forCode(Objects.requireNonNull(find(told, name)).errorCode());
    }

    /** A node whose metadata thread is the caller. */
    private static final class World {
        static final String CLUSTER_ID = "AAAAAAAAAAAAAAAAAAAAAA";

        final ClusterImages images;
        final TopicCatalogue topics;
        final BrokerDirectory brokers = new BrokerDirectory();
        private final MetadataHandler handler;
        private final RecordingConnection connection = new RecordingConnection(1);

        World(Map<String, String> settings) {
            InMemoryMetadataStore store = new InMemoryMetadataStore(DIRECT);
            images = new ClusterImages(store, DIRECT, CLUSTER_ID);
            images.load();
            DynamicConfigs configs = new DynamicConfigs(settings, 1);
            LocalOwnership ownership = new LocalOwnership(images, 1, EPOCH, DIRECT);
            PartitionLifecycle lifecycle = new PartitionLifecycle(new InMemoryPartitionLogStore(), ownership, DIRECT);
            lifecycle.start(images);
            topics = new TopicCatalogue(store, images, TopicId::random, () -> TopicDefaults.NONE, () -> 100, 1);
            TopicCreator creator = new TopicCreator(topics, lifecycle, new TimeLimit(new SimulatedTime(0), DIRECT), 1);
            AutoTopicCreation autoCreation = new AutoTopicCreation(
                    creator,
                    new CatalogueTopics(topics, images, lifecycle::whenServing, 1),
                    () -> configs.current().values(),
                    1);
            handler = new MetadataHandler(images, ownership, brokers, autoCreation);
            BrokerDirectory.Address address = new BrokerDirectory.Address("broker.example", 9092);
            brokers.set(List.of(new BrokerDirectory.Broker(1, Map.of(connection.listenerName(), address), null)));
        }

        TopicImage create(String name, int partitions) {
            TopicOutcome outcome = topics.create(new NewTopic(name, partitions, 1, Map.of()))
                    .toCompletableFuture()
                    .join();
            return ((TopicOutcome.Done) outcome).topic();
        }

        MetadataResponseData ask(short version, MetadataRequestData data) {
            MetadataRequest request = new MetadataRequest(data, version);
            RecordingCall<MetadataRequest> call = new RecordingCall<>(request, connection, 0);
            handler.handle(call);
            MetadataResponseData encoded = request.isAllTopics() ? decode(call.parts(), version) : null;
            return encoded == null ? ((MetadataResponse) call.response()).data() : encoded;
        }

        private static @Nullable MetadataResponseData decode(List<Object> parts, short version) {
            ByteBuf body = (ByteBuf) parts.get(0);
            MetadataResponseData data = new MetadataResponseData(new ByteBufferAccessor(body.nioBuffer()), version);
            body.release();
            return data;
        }
    }
}
