package io.sluice.broker.administration;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.base.metadata.TopicImage;
import io.sluice.broker.fixture.RecordedLog;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.CreateTopicsResult;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicCollection;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.InvalidReplicaAssignmentException;
import org.apache.kafka.common.errors.InvalidReplicationFactorException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.errors.OffsetOutOfRangeException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.TopicDeletionDisabledException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TopicHandlersTest {
    @Test
    void aCreatedTopicIsUsableAndDescribedAtOnce() throws Exception {
        try (AdministrationWorld world = new AdministrationWorld(Map.of());
                Admin admin = world.admin()) {
            CreateTopicsResult created =
                    create(admin, new NewTopic("t", 3, (short) 1).configs(Map.of("retention.ms", "5000")));
            assertThat(created.numPartitions("t").get()).isEqualTo(3);
            assertThat(created.replicationFactor("t").get()).isEqualTo(1);
            assertThat(created.config("t").get().get("retention.ms").value()).isEqualTo("5000");
            TopicImage topic = world.requireTopic("t");
            assertThat(created.topicId("t").get().toString())
                    .isEqualTo(topic.id().toString());
            for (int i = 0; i < 3; i++) {
                assertThat(world.logs.find(topic.partitionId(i))).isNotNull();
            }
            TopicDescription description = describe(admin, "t");
            assertThat(description.partitions()).hasSize(3).allSatisfy(partition -> {
                assertThat(partition.leader().id()).isEqualTo(AdministrationWorld.NODE_ID);
                assertThat(partition.isr()).hasSize(1);
            });
            assertThat(description.authorizedOperations()).contains(AclOperation.READ, AclOperation.DELETE);
            assertThat(admin.listTopics().names().get()).containsExactly("t");
        }
    }

    @Test
    void theSettingsOfTheFirstThousandTopicsOfARequestAreTold() throws Exception {
        try (AdministrationWorld world = new AdministrationWorld(Map.of());
                Admin admin = world.admin()) {
            List<NewTopic> topics = new ArrayList<>();
            for (int i = 0; i < 1_001; i++) {
                topics.add(new NewTopic("t" + i, 1, (short) 1));
            }
            CreateTopicsResult created = admin.createTopics(topics);
            created.all().get(60, TimeUnit.SECONDS);
            assertThat(world.requireTopic("t1000").partitions()).hasSize(1);
            long told = topics.stream()
                    .filter(topic -> !created.config(topic.name()).isCompletedExceptionally())
                    .count();
            assertThat(told).isEqualTo(1_000);
            assertThat(created.topicId("t0").isDone()).isTrue();
        }
    }

    @Test
    void partitionsAndReplicasComeFromTheNodesSettingsWhereLeftOpen() throws Exception {
        try (AdministrationWorld world = new AdministrationWorld(Map.of("num.partitions", "4"));
                Admin admin = world.admin()) {
            create(admin, new NewTopic("t", java.util.Optional.empty(), java.util.Optional.empty()));
            assertThat(world.requireTopic("t").partitions()).hasSize(4);
        }
    }

    @Test
    void everyWrongCreationHasItsError() throws Exception {
        try (AdministrationWorld world = new AdministrationWorld(Map.of("sluice.max.partitions", "10"));
                Admin admin = world.admin()) {
            create(admin, new NewTopic("t", 2, (short) 1), new NewTopic("a.b", 1, (short) 1));
            refused(admin, new NewTopic("t", 1, (short) 1), TopicExistsException.class)
                    .hasMessageContaining("'t'");
            refused(admin, new NewTopic("z", 0, (short) 1), InvalidPartitionsException.class);
            refused(admin, new NewTopic("z", 1, (short) 0), InvalidReplicationFactorException.class);
            refused(admin, new NewTopic("z", 1, (short) 3), InvalidReplicationFactorException.class)
                    .hasMessageContaining("3");
            refused(admin, new NewTopic("z z", 1, (short) 1), InvalidTopicException.class)
                    .hasMessageContaining("'z z'");
            refused(admin, new NewTopic("a_b", 1, (short) 1), InvalidTopicException.class)
                    .hasMessageContaining("a.b");
            refused(
                            admin,
                            new NewTopic("z", 1, (short) 1).configs(Map.of("retention.mss", "1")),
                            InvalidConfigurationException.class)
                    .hasMessageContaining("'retention.ms'");
            refused(
                            admin,
                            new NewTopic("z", 1, (short) 1).configs(Map.of("retention.ms", "soon")),
                            InvalidConfigurationException.class)
                    .hasMessageContaining("'soon'");
            refused(admin, new NewTopic("z", Map.of(0, List.of(2))), InvalidReplicaAssignmentException.class);
            refused(admin, new NewTopic("z", Map.of(1, List.of(1))), InvalidReplicaAssignmentException.class);
            refused(admin, new NewTopic("z", Map.of(0, List.of(1, 1))), InvalidReplicaAssignmentException.class);
            refused(admin, new NewTopic("z", 8, (short) 1), PolicyViolationException.class)
                    .hasMessageContaining("sluice.max.partitions is 10");
            assertThat(admin.listTopics().names().get()).containsExactlyInAnyOrder("t", "a.b");
            assertThat(world.images.current().partitionCount()).isEqualTo(3);
        }
    }

    @Test
    void validatingCreatesNothing() throws Exception {
        try (AdministrationWorld world = new AdministrationWorld(Map.of());
                Admin admin = world.admin()) {
            CreateTopicsOptions validate = new CreateTopicsOptions().validateOnly(true);
            CreateTopicsResult result = admin.createTopics(List.of(new NewTopic("t", 2, (short) 1)), validate);
            assertThat(result.numPartitions("t").get()).isEqualTo(2);
            refused(
                    admin.createTopics(List.of(new NewTopic("t", 0, (short) 1)), validate)
                            .all(),
                    InvalidPartitionsException.class);
            assertThat(world.images.current().topics()).isEmpty();
        }
    }

    @Test
    void anAssignmentByHandIsTaken() throws Exception {
        try (AdministrationWorld world = new AdministrationWorld(Map.of());
                Admin admin = world.admin()) {
            create(admin, new NewTopic("t", Map.of(0, List.of(1), 1, List.of(1))));
            assertThat(world.requireTopic("t").partitions()).hasSize(2);
        }
    }

    @Test
    void aTopicWhoseLogsDoNotOpenIsAnsweredWithAStorageError() throws Exception {
        try (AdministrationWorld world = new AdministrationWorld(Map.of());
                Admin admin = world.admin()) {
            world.logs.refuseToOpen();
            refused(admin, new NewTopic("t", 1, (short) 1), KafkaStorageException.class);
        }
    }

    @Test
    void thousandTopicsAreCreatedInOneRequest() throws Exception {
        try (AdministrationWorld world = new AdministrationWorld(Map.of());
                Admin admin = world.admin()) {
            List<NewTopic> topics = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                topics.add(new NewTopic("t" + i, 1, (short) 1));
            }
            admin.createTopics(topics).all().get(30, TimeUnit.SECONDS);
            assertThat(admin.listTopics().names().get()).hasSize(1000);
        }
    }

    @Test
    void topicsAreDeletedByNameAndById() throws Exception {
        try (AdministrationWorld world = new AdministrationWorld(Map.of());
                Admin admin = world.admin()) {
            create(admin, new NewTopic("a", 1, (short) 1), new NewTopic("b", 1, (short) 1));
            TopicImage a = world.requireTopic("a");
            Uuid b = Uuid.fromString(world.requireTopic("b").id().toString());
            admin.deleteTopics(List.of("a")).all().get();
            admin.deleteTopics(TopicCollection.ofTopicIds(List.of(b))).all().get();
            assertThat(admin.listTopics().names().get()).isEmpty();
            assertThat(world.logs.find(a.partitionId(0))).isNull();
            refused(admin.deleteTopics(List.of("a")).all(), UnknownTopicOrPartitionException.class);
            refused(admin.deleteTopics(TopicCollection.ofTopicIds(List.of(b))).all(), UnknownTopicIdException.class);
            create(admin, new NewTopic("a", 1, (short) 1));
            assertThat(world.requireTopic("a").id()).isNotEqualTo(a.id());
        }
    }

    @Test
    void saysWhatIsForgottenWithAnInternalTopicOnceItIsDeleted() throws Exception {
        try (AdministrationWorld world = new AdministrationWorld(Map.of());
                Admin admin = world.admin();
                RecordedLog log = new RecordedLog("io.sluice.broker.topic")) {
            create(admin, new NewTopic("__consumer_offsets", 2, (short) 1), new NewTopic("t", 1, (short) 1));
            admin.deleteTopics(List.of("__consumer_offsets", "t")).all().get();
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .startsWith("WARN ")
                    .contains("topic=\"__consumer_offsets\"", "offsets that they have committed");
        }
    }

    @Test
    void anInternalTopicThatCannotBeDeletedIsNotSaidToBeForgotten() throws Exception {
        try (AdministrationWorld world = new AdministrationWorld(Map.of());
                Admin admin = world.admin();
                RecordedLog log = new RecordedLog("io.sluice.broker.topic")) {
            create(admin, new NewTopic("__consumer_offsets", 2, (short) 1));
            world.store.close();
            refused(admin.deleteTopics(List.of("__consumer_offsets")).all(), KafkaStorageException.class);
            assertThat(log.lines()).isEmpty();
        }
    }

    @Test
    void deletionCanBeSwitchedOff() throws Exception {
        try (AdministrationWorld world = new AdministrationWorld(Map.of("delete.topic.enable", "false"));
                Admin admin = world.admin()) {
            create(admin, new NewTopic("t", 1, (short) 1));
            refused(admin.deleteTopics(List.of("t")).all(), TopicDeletionDisabledException.class);
        }
    }

    @Test
    void partitionsAreAddedAndNeverTakenAway() throws Exception {
        try (AdministrationWorld world = new AdministrationWorld(Map.of());
                Admin admin = world.admin()) {
            create(admin, new NewTopic("t", 1, (short) 1));
            grow(admin, "t", NewPartitions.increaseTo(3));
            TopicImage topic = world.requireTopic("t");
            assertThat(topic.partitions()).hasSize(3);
            assertThat(world.logs.find(topic.partitionId(2))).isNotNull();
            refusedGrowth(admin, "t", NewPartitions.increaseTo(3), InvalidPartitionsException.class);
            refusedGrowth(admin, "t", NewPartitions.increaseTo(2), InvalidPartitionsException.class);
            refusedGrowth(admin, "nope", NewPartitions.increaseTo(2), UnknownTopicOrPartitionException.class);
            refusedGrowth(
                    admin,
                    "t",
                    NewPartitions.increaseTo(4, List.of(List.of(9))),
                    InvalidReplicaAssignmentException.class);
            refusedGrowth(
                    admin,
                    "t",
                    NewPartitions.increaseTo(5, List.of(List.of(1))),
                    InvalidReplicaAssignmentException.class);
        }
    }

    @Test
    void partitionsOfAnInternalTopicAreNotAdded() throws Exception {
        try (AdministrationWorld world = new AdministrationWorld(Map.of());
                Admin admin = world.admin()) {
            create(admin, new NewTopic("__consumer_offsets", 2, (short) 1));
            refusedGrowth(admin, "__consumer_offsets", NewPartitions.increaseTo(3), InvalidPartitionsException.class);
            assertThat(world.requireTopic("__consumer_offsets").partitions()).hasSize(2);
        }
    }

    @Test
    void describingAnUnknownTopicOrIdSaysSo() throws Exception {
        try (AdministrationWorld world = new AdministrationWorld(Map.of("auto.create.topics.enable", "false"));
                Admin admin = world.admin()) {
            refused(admin.describeTopics(List.of("nope")).allTopicNames(), UnknownTopicOrPartitionException.class);
            Collection<Uuid> unknown = List.of(Uuid.randomUuid());
            refused(
                    admin.describeTopics(TopicCollection.ofTopicIds(unknown)).allTopicIds(),
                    UnknownTopicIdException.class);
        }
    }

    @Test
    void manyPartitionsAreDescribedPageByPage() throws Exception {
        try (AdministrationWorld world = new AdministrationWorld(Map.of());
                Admin admin = world.admin()) {
            create(admin, new NewTopic("a", 5, (short) 1), new NewTopic("b", 7, (short) 1));
            Map<String, TopicDescription> described = admin.describeTopics(
                            List.of("a", "b"), new DescribeTopicsOptions().partitionSizeLimitPerResponse(3))
                    .allTopicNames()
                    .get();
            assertThat(requireNonNull(described.get("a")).partitions()).hasSize(5);
            assertThat(requireNonNull(described.get("b")).partitions()).hasSize(7);
        }
    }

    @Test
    void theClusterIsDescribed() throws Exception {
        try (AdministrationWorld world = new AdministrationWorld(Map.of());
                Admin admin = world.admin()) {
            var cluster = admin.describeCluster(new DescribeClusterOptions().includeAuthorizedOperations(true));
            assertThat(cluster.clusterId().get()).isEqualTo(AdministrationWorld.CLUSTER_ID);
            assertThat(cluster.nodes().get()).singleElement().satisfies(node -> {
                assertThat(node.id()).isEqualTo(AdministrationWorld.NODE_ID);
                assertThat(node.port()).isEqualTo(world.broker.port());
            });
            assertThat(cluster.authorizedOperations().get())
                    .containsExactlyInAnyOrder(
                            AclOperation.CREATE,
                            AclOperation.CLUSTER_ACTION,
                            AclOperation.ALTER,
                            AclOperation.ALTER_CONFIGS,
                            AclOperation.DESCRIBE_CONFIGS,
                            AclOperation.IDEMPOTENT_WRITE,
                            AclOperation.DESCRIBE);
        }
    }

    @Test
    void recordsAreDeletedOnlyWhereThatMakesSense() throws Exception {
        try (AdministrationWorld world = new AdministrationWorld(Map.of());
                Admin admin = world.admin()) {
            create(
                    admin,
                    new NewTopic("t", 1, (short) 1),
                    new NewTopic("c", 1, (short) 1).configs(Map.of("cleanup.policy", "compact")));
            assertThat(deleteRecords(admin, "t", 0).get(10, TimeUnit.SECONDS)).isEqualTo(0L);
            assertThat(deleteRecords(admin, "t", -1).get(10, TimeUnit.SECONDS)).isEqualTo(0L);
            refused(deleteRecords(admin, "t", 5), OffsetOutOfRangeException.class);
            refused(deleteRecords(admin, "c", 0), PolicyViolationException.class);
            create(admin, new NewTopic("kept", 1, (short) 1).configs(Map.of("cleanup.policy", "")));
            assertThat(deleteRecords(admin, "kept", 0).get(10, TimeUnit.SECONDS))
                    .isEqualTo(0L);
        }
    }

    @Test
    void logDirectoriesAreDescribed() throws Exception {
        try (AdministrationWorld world = new AdministrationWorld(Map.of());
                Admin admin = world.admin()) {
            create(admin, new NewTopic("t", 2, (short) 1));
            var directories =
                    admin.describeLogDirs(List.of(AdministrationWorld.NODE_ID)).allDescriptions();
            var ofNode = requireNonNull(directories.get(20, TimeUnit.SECONDS).get(AdministrationWorld.NODE_ID));
            var directory = requireNonNull(ofNode.get("/data"));
            assertThat(directory.replicaInfos())
                    .containsOnlyKeys(new TopicPartition("t", 0), new TopicPartition("t", 1));
            assertThat(directory.usableBytes()).hasValue(400);
        }
    }

    private static KafkaFuture<Long> deleteRecords(Admin admin, String topic, long offset) {
        TopicPartition partition = new TopicPartition(topic, 0);
        var deletion = admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(offset)));
        return requireNonNull(deletion.lowWatermarks().get(partition)).thenApply(deleted -> deleted.lowWatermark());
    }

    private static CreateTopicsResult create(Admin admin, NewTopic... topics) throws Exception {
        CreateTopicsResult result = admin.createTopics(List.of(topics));
        result.all().get(20, TimeUnit.SECONDS);
        return result;
    }

    private static void grow(Admin admin, String name, NewPartitions partitions) throws Exception {
        admin.createPartitions(Map.of(name, partitions)).all().get(20, TimeUnit.SECONDS);
    }

    private static void refusedGrowth(
            Admin admin, String name, NewPartitions partitions, Class<? extends Throwable> type) {
        refused(admin.createPartitions(Map.of(name, partitions)).all(), type);
    }

    private static TopicDescription describe(Admin admin, String name) throws Exception {
        var described =
                admin.describeTopics(List.of(name), new DescribeTopicsOptions().includeAuthorizedOperations(true));
        return requireNonNull(
                described.allTopicNames().get(20, TimeUnit.SECONDS).get(name));
    }

    private static AbstractThrowableAssert<?, ?> refused(Admin admin, NewTopic topic, Class<? extends Throwable> type) {
        return refused(admin.createTopics(List.of(topic)).all(), type);
    }

    private static AbstractThrowableAssert<?, ?> refused(KafkaFuture<?> result, Class<? extends Throwable> type) {
        Throwable thrown = catchThrowableOfType(ExecutionException.class, () -> result.get(20, TimeUnit.SECONDS));
        return assertThat(thrown.getCause()).isInstanceOf(type);
    }
}
