package io.sluice.broker.administration;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.broker.configuration.DescribeConfigsHandler;
import io.sluice.broker.simulation.RecordingCall;
import io.sluice.broker.simulation.RecordingConnection;
import io.sluice.storage.config.TopicConfigKeys;
import io.sluice.storage.config.TopicDefaultKeys;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.clients.admin.AlterConfigsOptions;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeConfigsOptions;
import org.apache.kafka.clients.admin.ListConfigResourcesOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResult;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.DescribeConfigsRequest;
import org.apache.kafka.common.requests.DescribeConfigsResponse;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ConfigHandlersTest {
    private static final ConfigResource TOPIC = new ConfigResource(ConfigResource.Type.TOPIC, "t");
    private static final ConfigResource NODE = new ConfigResource(ConfigResource.Type.BROKER, "1");
    private static final ConfigResource ALL_NODES = new ConfigResource(ConfigResource.Type.BROKER, "");
    private static final ConfigResource GROUP = new ConfigResource(ConfigResource.Type.GROUP, "g");
    private static final ConfigResource CLIENT_METRICS = new ConfigResource(ConfigResource.Type.CLIENT_METRICS, "m 1");
    private static final ConfigResource LOGGERS = new ConfigResource(ConfigResource.Type.BROKER_LOGGER, "1");

    private final AdministrationWorld world = new AdministrationWorld(Map.of("log.segment.bytes", "2000000"));
    private final Admin admin = world.admin();

    @BeforeEach
    void createTopic() throws Exception {
        NewTopic topic = new NewTopic("t", 1, (short) 1).configs(Map.of("retention.ms", "5000"));
        admin.createTopics(List.of(topic)).all().get(20, TimeUnit.SECONDS);
    }

    @AfterEach
    void close() {
        admin.close();
        world.close();
    }

    @Test
    void everySettingOfATopicIsDescribedWithWhereItComesFrom() throws Exception {
        alter(NODE, set("log.retention.ms", "777000"));
        alter(ALL_NODES, set("log.retention.ms", "888000"));
        assertThat(describe(TOPIC)).hasSameSizeAs(TopicConfigKeys.SCHEMA.keys());

        ConfigEntry retention = entry(TOPIC, "retention.ms");
        assertThat(retention.source()).isEqualTo(ConfigEntry.ConfigSource.DYNAMIC_TOPIC_CONFIG);
        assertThat(retention.type()).isEqualTo(ConfigEntry.ConfigType.LONG);
        assertThat(retention.documentation()).isNotBlank();
        assertThat(synonyms(retention))
                .containsExactly(
                        "DYNAMIC_TOPIC_CONFIG retention.ms=5000",
                        "DYNAMIC_BROKER_CONFIG log.retention.ms=777000",
                        "DYNAMIC_DEFAULT_BROKER_CONFIG log.retention.ms=888000",
                        "DEFAULT_CONFIG log.retention.hours=168");
        assertThat(synonyms(entry(TOPIC, "segment.bytes")))
                .containsExactly(
                        "STATIC_BROKER_CONFIG log.segment.bytes=2000000",
                        "DEFAULT_CONFIG log.segment.bytes=1073741824");
        assertThat(entry(TOPIC, "segment.bytes").value()).isEqualTo("2000000");
        assertThat(entry(TOPIC, "segment.ms").source()).isEqualTo(ConfigEntry.ConfigSource.DEFAULT_CONFIG);
        assertThat(synonyms(entry(TOPIC, "segment.ms"))).isEmpty();
    }

    @Test
    void aSettingOfTheNodeIsInheritedAtOnceAndGivenBack() throws Exception {
        alter(TOPIC, delete("retention.ms"));
        assertThat(entry(TOPIC, "retention.ms").value()).isEqualTo("604800000");
        alter(NODE, set("log.retention.ms", "1234"));
        assertThat(entry(TOPIC, "retention.ms").value()).isEqualTo("1234");
        alter(NODE, delete("log.retention.ms"));
        assertThat(entry(TOPIC, "retention.ms").value()).isEqualTo("604800000");
    }

    @Test
    void listsAreAddedToAndTakenFrom() throws Exception {
        alter(TOPIC, op("cleanup.policy", "compact", OpType.APPEND));
        assertThat(entry(TOPIC, "cleanup.policy").value()).isEqualTo("delete,compact");
        alter(TOPIC, op("cleanup.policy", "compact", OpType.APPEND));
        assertThat(entry(TOPIC, "cleanup.policy").value()).isEqualTo("delete,compact");
        alter(TOPIC, op("cleanup.policy", "delete", OpType.SUBTRACT));
        assertThat(entry(TOPIC, "cleanup.policy").value()).isEqualTo("compact");
        assertThat(world.logs.configsOf(world.requireTopic("t").partitionId(0)))
                .containsEntry("cleanup.policy", "compact");
    }

    @Test
    void everyWrongChangeOfATopicHasItsErrorAndChangesNothing() {
        refused(TOPIC, InvalidConfigurationException.class, set("retention.mss", "1"))
                .hasMessageContaining("'retention.ms'");
        refused(TOPIC, InvalidConfigurationException.class, set("retention.ms", "soon"))
                .hasMessageContaining("'soon'");
        refused(TOPIC, InvalidConfigurationException.class, set("retention.ms", "-7"));
        refused(TOPIC, InvalidConfigurationException.class, op("retention.ms", "1", OpType.APPEND));
        refused(TOPIC, InvalidConfigurationException.class, op("cleanup.policy", "keep", OpType.APPEND));
        refused(TOPIC, InvalidConfigurationException.class, set("segment.ms", "5"), set("segment.bytes", "5"));
        refused(TOPIC, InvalidRequestException.class, set("retention.ms", null));
        refused(TOPIC, InvalidRequestException.class, set("retention.ms", "1"), set("retention.ms", "2"));
        refused(
                new ConfigResource(ConfigResource.Type.TOPIC, ""),
                InvalidRequestException.class,
                set("retention.ms", "1"));
        refused(
                new ConfigResource(ConfigResource.Type.TOPIC, "a b"),
                InvalidTopicException.class,
                set("retention.ms", "1"));
        refused(
                new ConfigResource(ConfigResource.Type.TOPIC, "nope"),
                UnknownTopicOrPartitionException.class,
                set("retention.ms", "1"));
        assertThat(world.requireTopic("t").configs()).isEqualTo(Map.of("retention.ms", "5000"));
    }

    @Test
    void validatingChangesNothing() throws Exception {
        AlterConfigsOptions validate = new AlterConfigsOptions().validateOnly(true);
        admin.incrementalAlterConfigs(
                        Map.of(
                                TOPIC, List.of(set("retention.ms", "1")),
                                NODE, List.of(set("log.retention.ms", "1")),
                                GROUP, List.of(set("consumer.session.timeout.ms", "50000"))),
                        validate)
                .all()
                .get(20, TimeUnit.SECONDS);
        assertThat(world.requireTopic("t").configs()).isEqualTo(Map.of("retention.ms", "5000"));
        assertThat(world.images.current().brokerConfigs()).isEmpty();
        assertThat(world.images.current().groupConfigs()).isEmpty();
        KafkaFuture<Void> wrong = admin.incrementalAlterConfigs(
                        Map.of(TOPIC, List.of(set("retention.ms", "x"))), validate)
                .all();
        cause(wrong, InvalidConfigurationException.class);
    }

    @Test
    void whatNeedsARestartIsRefusedAndSaysSo() {
        refused(NODE, InvalidRequestException.class, set("num.network.threads", "3"))
                .hasMessageContaining("num.network.threads")
                .hasMessageContaining("Restart needed");
        refused(ALL_NODES, InvalidRequestException.class, set("log.retention.hours", "3"));
        refused(NODE, InvalidConfigurationException.class, set("log.retention.mss", "3"))
                .hasMessageContaining("'log.retention.ms'");
        refused(NODE, InvalidRequestException.class, set("log.retention.ms", "soon"));
        refused(
                NODE,
                InvalidRequestException.class,
                set("log.cleaner.min.compaction.lag.ms", "9"),
                set("log.cleaner.max.compaction.lag.ms", "5"));
        assertThat(world.images.current().brokerConfigs()).isEmpty();
    }

    @Test
    void aDefaultThatContradictsATopicIsRefused() throws Exception {
        alter(TOPIC, set("min.compaction.lag.ms", "86400000"));
        refused(NODE, InvalidRequestException.class, set("log.cleaner.max.compaction.lag.ms", "3600000"))
                .hasMessageContaining("'3600000' for log.cleaner.max.compaction.lag.ms")
                .hasMessageContaining("topic 't'");
        alter(TOPIC, set("max.compaction.lag.ms", "86400000"));
        alter(NODE, set("log.cleaner.max.compaction.lag.ms", "3600000"));
        refused(TOPIC, InvalidConfigurationException.class, delete("max.compaction.lag.ms"));
    }

    @Test
    void aSettingOfThisNodeThatContradictsOneOfAllNodesIsRefused() throws Exception {
        alter(ALL_NODES, set("log.cleaner.min.compaction.lag.ms", "1000"));
        refused(NODE, InvalidRequestException.class, set("log.cleaner.max.compaction.lag.ms", "500"))
                .hasMessageContaining("'1000' for min.compaction.lag.ms");
        alter(NODE, set("log.cleaner.max.compaction.lag.ms", "1000"));
        refused(ALL_NODES, InvalidRequestException.class, set("log.cleaner.min.compaction.lag.ms", "1001"));
        assertThat(entry(TOPIC, "max.compaction.lag.ms").value()).isEqualTo("1000");
    }

    @Test
    void anInternalTopicIsShownOnDiskWhateverTheNodeSays() throws Exception {
        alter(NODE, set("sluice.durability", "memory"));
        NewTopic offsets = new NewTopic("__consumer_offsets", 1, (short) 1);
        admin.createTopics(List.of(offsets)).all().get(20, TimeUnit.SECONDS);
        ConfigResource internal = new ConfigResource(ConfigResource.Type.TOPIC, "__consumer_offsets");
        assertThat(entry(internal, "sluice.durability").value()).isEqualTo("disk");
        assertThat(entry(TOPIC, "sluice.durability").value()).isEqualTo("memory");
    }

    @Test
    void dynamicSettingsOfTheNodeAreInEffectAndDescribed() throws Exception {
        alter(ALL_NODES, set("sluice.max.partitions", "7"));
        assertThat(world.configs.current().values().get(TopicDefaultKeys.MAX_PARTITIONS))
                .isEqualTo(7);
        ConfigEntry entry = entry(NODE, "sluice.max.partitions");
        assertThat(entry.source()).isEqualTo(ConfigEntry.ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG);
        assertThat(entry.isReadOnly()).isFalse();
        assertThat(entry(NODE, "num.partitions").isReadOnly()).isTrue();
        assertThat(describe(ALL_NODES)).extracting(ConfigEntry::name).containsExactly("sluice.max.partitions");
    }

    @Test
    void settingsOfGroupsThatNeedNotExistAreBounded() throws Exception {
        alter(NODE, set("sluice.max.configured.groups", "2"));
        Map<ConfigResource, Collection<AlterConfigOp>> many = IntStream.range(0, 20)
                .boxed()
                .collect(Collectors.toMap(
                        ConfigHandlersTest::group, number -> List.of(set("consumer.session.timeout.ms", "50000"))));
        admin.incrementalAlterConfigs(many).values().values().forEach(ConfigHandlersTest::settle);
        Set<String> taken = Set.copyOf(world.images.current().groupConfigs().keySet());
        assertThat(taken).hasSize(2);

        ConfigResource first =
                new ConfigResource(ConfigResource.Type.GROUP, taken.iterator().next());
        refused(GROUP, PolicyViolationException.class, set("consumer.session.timeout.ms", "50000"))
                .hasMessageContaining("sluice.max.configured.groups is 2");
        alter(first, set("consumer.session.timeout.ms", "51000"));
        alter(first, new AlterConfigOp(new ConfigEntry("consumer.session.timeout.ms", ""), OpType.DELETE));
        assertThat(world.store.list("/configs/groups/").toCompletableFuture().join())
                .as("nothing is kept of what was deleted")
                .hasSize(1);
        alter(GROUP, set("consumer.session.timeout.ms", "50000"));
        assertThat(world.images.current().groupConfigs()).hasSize(2).containsKey(GROUP.name());
    }

    @Test
    void subscriptionsToClientMetricsAreSetDescribedListedAndDeleted() throws Exception {
        alter(CLIENT_METRICS, set("metrics", "a., b.,a."), set("match", "client_id=x.*"));
        assertThat(entry(CLIENT_METRICS, "metrics").value()).isEqualTo("a.,b.");
        assertThat(entry(CLIENT_METRICS, "metrics").source())
                .isEqualTo(ConfigEntry.ConfigSource.DYNAMIC_CLIENT_METRICS_CONFIG);
        assertThat(entry(CLIENT_METRICS, "interval.ms").value()).isEqualTo("300000");
        assertThat(entry(CLIENT_METRICS, "interval.ms").source()).isEqualTo(ConfigEntry.ConfigSource.DEFAULT_CONFIG);
        assertThat(world.images.current().clientMetricsConfigs())
                .isEqualTo(Map.of("m 1", Map.of("metrics", "a., b.,a.", "match", "client_id=x.*")));
        assertThat(admin.listConfigResources(
                                Set.of(ConfigResource.Type.CLIENT_METRICS), new ListConfigResourcesOptions())
                        .all()
                        .get(20, TimeUnit.SECONDS))
                .containsExactly(CLIENT_METRICS);

        alter(CLIENT_METRICS, delete("metrics"), delete("match"));
        assertThat(world.images.current().clientMetricsConfigs()).isEmpty();
        assertThat(world.store.list("/configs/").toCompletableFuture().join()).isEmpty();
    }

    @Test
    void everyWrongChangeOfASubscriptionHasItsErrorAndChangesNothing() {
        refused(CLIENT_METRICS, InvalidRequestException.class, set("metric", "a"))
                .hasMessageContaining("metrics");
        refused(CLIENT_METRICS, InvalidRequestException.class, set("interval.ms", "99"))
                .hasMessageContaining("100 to 3600000");
        refused(CLIENT_METRICS, InvalidConfigurationException.class, set("interval.ms", "soon"));
        refused(CLIENT_METRICS, InvalidConfigurationException.class, set("match", "colour=red"))
                .hasMessageContaining("'colour=red'")
                .hasMessageContaining("client_software_name");
        refused(CLIENT_METRICS, InvalidConfigurationException.class, set("match", "client_id=("));
        refused(CLIENT_METRICS, InvalidConfigurationException.class, set("match", "client_id=" + "(".repeat(5000)))
                .hasMessageContaining("1000 characters");
        refused(CLIENT_METRICS, InvalidConfigurationException.class, set("metrics", "a,,b"));
        assertThat(world.images.current().clientMetricsConfigs()).isEmpty();
    }

    @Test
    void subscriptionsAreBounded() throws Exception {
        alter(NODE, set("sluice.telemetry.max.subscriptions", "1"));
        alter(CLIENT_METRICS, set("metrics", "a."));
        refused(
                        new ConfigResource(ConfigResource.Type.CLIENT_METRICS, "another"),
                        PolicyViolationException.class,
                        set("metrics", "b."))
                .hasMessageContaining("sluice.telemetry.max.subscriptions is 1");
        alter(CLIENT_METRICS, set("metrics", "c."));
    }

    private static ConfigResource group(int number) {
        return new ConfigResource(ConfigResource.Type.GROUP, "many-" + number);
    }

    private static void settle(KafkaFuture<Void> change) {
        try {
            change.get(20, TimeUnit.SECONDS);
        } catch (ExecutionException refusal) {
            assertThat(refusal).hasCauseInstanceOf(PolicyViolationException.class);
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void settingsOfAGroupKeepTheLimitsOfTheNode() throws Exception {
        alter(GROUP, set("consumer.session.timeout.ms", "50000"));
        assertThat(synonyms(entry(GROUP, "consumer.session.timeout.ms")))
                .containsExactly(
                        "DYNAMIC_GROUP_CONFIG consumer.session.timeout.ms=50000",
                        "DEFAULT_CONFIG group.consumer.session.timeout.ms=45000");
        refused(GROUP, InvalidConfigurationException.class, set("consumer.session.timeout.ms", "5"))
                .hasMessageContaining("45000 to 60000");
        refused(GROUP, InvalidConfigurationException.class, set("foo", "5"));
        refused(new ConfigResource(ConfigResource.Type.GROUP, ""), InvalidRequestException.class, set("foo", "5"));
    }

    @Test
    void levelsOfLoggersAreChangedAllOrNone() throws Exception {
        alter(LOGGERS, set("io.sluice.storage", "DEBUG"));
        assertThat(entry(LOGGERS, "io.sluice.storage").value()).isEqualTo("DEBUG");
        alter(LOGGERS, delete("io.sluice.storage"));
        assertThat(entry(LOGGERS, "io.sluice.storage").value()).isEqualTo("INFO");
        refused(LOGGERS, InvalidConfigurationException.class, set("root", "WARN"), set("nope", "WARN"));
        refused(LOGGERS, InvalidConfigurationException.class, set("root", "LOUD"))
                .hasMessageContaining("allowed are FATAL, ERROR, WARN, INFO, DEBUG, TRACE.");
        refused(LOGGERS, InvalidConfigurationException.class, set("root", "OFF"));
        refused(LOGGERS, InvalidRequestException.class, delete("root"));
        assertThat(world.loggers.levels()).containsEntry("root", "INFO");
    }

    @Test
    void whatHasSettingsIsListed() throws Exception {
        alter(GROUP, set("consumer.session.timeout.ms", "50000"));
        Collection<ConfigResource> all = admin.listConfigResources().all().get(20, TimeUnit.SECONDS);
        assertThat(all).containsExactlyInAnyOrder(TOPIC, NODE, GROUP, LOGGERS);
    }

    @Test
    void aResourceIsDescribedOnceHoweverOftenItIsNamed() {
        List<DescribeConfigsResult> results = described(Collections.nCopies(15_000, resource(NODE)));
        assertThat(results)
                .singleElement()
                .satisfies(result -> assertThat(result.configs()).hasSizeGreaterThan(50));
    }

    @Test
    void anAnswerTooLargeForTheHeapIsRefused() {
        List<DescribeConfigsResource> groups = IntStream.range(0, 100_000)
                .mapToObj(number -> resource(new ConfigResource(ConfigResource.Type.GROUP, "g" + number)))
                .toList();
        List<DescribeConfigsResult> results = described(groups);
        assertThat(results).hasSize(100_000);
        assertThat(results.get(0).errorCode()).isEqualTo(Errors.NONE.code());
        assertThat(results.get(99_999).errorCode()).isEqualTo(Errors.INVALID_REQUEST.code());
        assertThat(results.get(99_999).errorMessage()).contains("fewer resources");
        assertThat(results.stream().mapToInt(result -> result.configs().size()).sum())
                .isLessThan(201_000);
    }

    private List<DescribeConfigsResult> described(List<DescribeConfigsResource> resources) {
        DescribeConfigsRequestData data = new DescribeConfigsRequestData()
                .setIncludeDocumentation(true)
                .setIncludeSynonyms(true)
                .setResources(resources);
        RecordingCall<DescribeConfigsRequest> call =
                new RecordingCall<>(new DescribeConfigsRequest(data, (short) 4), new RecordingConnection(1), 0);
        new DescribeConfigsHandler(world.images, world.configs, world.loggers, AdministrationWorld.NODE_ID)
                .handle(call);
        return ((DescribeConfigsResponse) call.response()).data().results();
    }

    private static DescribeConfigsResource resource(ConfigResource resource) {
        return new DescribeConfigsResource()
                .setResourceType(resource.type().id())
                .setResourceName(resource.name())
                .setConfigurationKeys(null);
    }

    @Test
    void describingWhatIsNotThereSaysSo() {
        cause(
                describing(new ConfigResource(ConfigResource.Type.TOPIC, "nope")),
                UnknownTopicOrPartitionException.class);
        cause(describing(new ConfigResource(ConfigResource.Type.TOPIC, "a b")), InvalidTopicException.class);
        cause(describing(new ConfigResource(ConfigResource.Type.GROUP, "")), InvalidRequestException.class);
        cause(describing(new ConfigResource(ConfigResource.Type.CLIENT_METRICS, "")), InvalidRequestException.class);
        cause(describing(new ConfigResource(ConfigResource.Type.UNKNOWN, "m")), InvalidRequestException.class);
    }

    private Collection<ConfigEntry> describe(ConfigResource resource) throws Exception {
        return requireNonNull(describing(resource).get(20, TimeUnit.SECONDS).get(resource))
                .entries();
    }

    private KafkaFuture<Map<ConfigResource, org.apache.kafka.clients.admin.Config>> describing(
            ConfigResource resource) {
        return admin.describeConfigs(
                        List.of(resource),
                        new DescribeConfigsOptions().includeSynonyms(true).includeDocumentation(true))
                .all();
    }

    private ConfigEntry entry(ConfigResource resource, String name) throws Exception {
        return describe(resource).stream()
                .filter(entry -> entry.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> synonyms(ConfigEntry entry) {
        return entry.synonyms().stream()
                .map(synonym -> synonym.source() + " " + synonym.name() + "=" + synonym.value())
                .collect(Collectors.toList());
    }

    private void alter(ConfigResource resource, AlterConfigOp... ops) throws Exception {
        admin.incrementalAlterConfigs(Map.of(resource, Arrays.asList(ops)))
                .all()
                .get(20, TimeUnit.SECONDS);
    }

    private AbstractThrowableAssert<?, ?> refused(
            ConfigResource resource, Class<? extends Throwable> type, AlterConfigOp... ops) {
        return cause(
                admin.incrementalAlterConfigs(Map.of(resource, Arrays.asList(ops)))
                        .all(),
                type);
    }

    private static AbstractThrowableAssert<?, ?> cause(KafkaFuture<?> result, Class<? extends Throwable> type) {
        Throwable thrown = catchThrowableOfType(ExecutionException.class, () -> result.get(20, TimeUnit.SECONDS));
        return assertThat(thrown.getCause()).isInstanceOf(type);
    }

    private static AlterConfigOp set(String name, @org.jspecify.annotations.Nullable String value) {
        return op(name, value, OpType.SET);
    }

    private static AlterConfigOp delete(String name) {
        return op(name, null, OpType.DELETE);
    }

    private static AlterConfigOp op(String name, @org.jspecify.annotations.Nullable String value, OpType type) {
        return new AlterConfigOp(new ConfigEntry(name, value), type);
    }
}
