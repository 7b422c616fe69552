package io.sluice.testkit.differential;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.jspecify.annotations.Nullable;

/** DescribeConfigs, AlterConfigs and IncrementalAlterConfigs, of topics and of the broker. */
final class ConfigCases {
    private static final byte TOPIC = ConfigResource.Type.TOPIC.id();
    private static final byte BROKER = ConfigResource.Type.BROKER.id();
    private static final byte UNKNOWN_TYPE = 77;
    private static final byte SET = 0;
    private static final byte DELETE = 1;
    private static final byte APPEND = 2;
    private static final byte SUBTRACT = 3;

    private ConfigCases() {}

    static void addTo(Cases cases) {
        addDescribe(cases);
        addAlter(cases);
        addIncremental(cases);
        addIncrementalErrors(cases);
    }

    private static void addDescribe(Cases cases) {
        cases.everyVersion(
                ApiKeys.DESCRIBE_CONFIGS,
                "topic, all defaults",
                s -> s.record("answer", describe(TOPIC, s.createTopic("t").name(), null)));
        cases.everyVersion(ApiKeys.DESCRIBE_CONFIGS, "topic, one set", s -> {
            Session.Topic topic = s.createTopic("t", 1, java.util.Map.of("retention.ms", "5000"));
            s.record("answer", describe(TOPIC, topic.name(), List.of("retention.ms", "segment.bytes")));
        });
        cases.everyVersion(ApiKeys.DESCRIBE_CONFIGS, "topic, synonyms", s -> {
            Session.Topic topic = s.createTopic("t", 1, java.util.Map.of("retention.ms", "5000"));
            s.record("answer", describe(TOPIC, topic.name(), null).setIncludeSynonyms(true));
        });
        cases.from(
                ApiKeys.DESCRIBE_CONFIGS,
                3,
                "topic, documentation",
                s -> s.record(
                        "answer",
                        describe(TOPIC, s.createTopic("t").name(), null).setIncludeDocumentation(true)));
        cases.everyVersion(
                ApiKeys.DESCRIBE_CONFIGS,
                "topic, unknown and known key",
                s -> s.record(
                        "answer", describe(TOPIC, s.createTopic("t").name(), List.of("no.such.config", "flush.ms"))));
        cases.everyVersion(
                ApiKeys.DESCRIBE_CONFIGS,
                "topic, no keys",
                s -> s.record("answer", describe(TOPIC, s.createTopic("t").name(), List.of())));
        cases.everyVersion(
                ApiKeys.DESCRIBE_CONFIGS,
                "unknown topic",
                s -> s.record("answer", describe(TOPIC, s.name("unknown"), null)));
        cases.everyVersion(
                ApiKeys.DESCRIBE_CONFIGS, "bad topic name", s -> s.record("answer", describe(TOPIC, "a/b", null)));
        cases.everyVersion(ApiKeys.DESCRIBE_CONFIGS, "unknown type", s -> {
            s.connection().send(s.version(), describe(UNKNOWN_TYPE, "x", null));
            s.recordReaction("reaction", s.connection());
        });
        cases.everyVersion(
                ApiKeys.DESCRIBE_CONFIGS, "another broker", s -> s.record("answer", describe(BROKER, "4711", null)));
        cases.everyVersion(
                ApiKeys.DESCRIBE_CONFIGS,
                "broker that is no number",
                s -> s.record("answer", describe(BROKER, "one", null)));
        cases.everyVersion(
                ApiKeys.DESCRIBE_CONFIGS, "cluster-wide defaults", s -> s.record("answer", describe(BROKER, "", null)));
        cases.everyVersion(
                ApiKeys.DESCRIBE_CONFIGS,
                "broker, some keys",
                s -> recordBroker(
                        s,
                        List.of(
                                "log.retention.hours",
                                "message.max.bytes",
                                "num.partitions",
                                "auto.create.topics.enable")));
        cases.newest(ApiKeys.DESCRIBE_CONFIGS, "broker, everything", s -> recordBroker(s, null));
    }

    /** The resource name is the node's own id. */
    private static void recordBroker(Session s, @Nullable List<String> keys) throws Exception {
        DescribeConfigsRequestData request =
                describe(BROKER, Integer.toString(s.nodeId()), keys).setIncludeSynonyms(true);
        s.record(
                DescribeConfigsResponseData.class,
                "answer",
                request,
                answer -> answer.results().forEach(each -> each.setResourceName("own id")));
    }

    private static void addAlter(Cases cases) {
        cases.everyVersion(ApiKeys.ALTER_CONFIGS, "replaces all", s -> {
            Session.Topic topic = s.createTopic("t", 1, java.util.Map.of("retention.ms", "5000"));
            s.record("answer", alter(topic.name(), "segment.ms", "777777"));
            recordTopic(s, topic, "segment.ms", "777777");
        });
        cases.everyVersion(ApiKeys.ALTER_CONFIGS, "validate only", s -> {
            Session.Topic topic = s.createTopic("t");
            s.record("answer", alter(topic.name(), "segment.ms", "777777").setValidateOnly(true));
            recordTopic(s, topic, "segment.ms", "604800000");
        });
        cases.everyVersion(
                ApiKeys.ALTER_CONFIGS,
                "bad value",
                s -> s.record("answer", alter(s.createTopic("t").name(), "segment.ms", "soon")));
        cases.everyVersion(
                ApiKeys.ALTER_CONFIGS,
                "unknown key",
                s -> s.record("answer", alter(s.createTopic("t").name(), "no.such.config", "1")));
        cases.everyVersion(
                ApiKeys.ALTER_CONFIGS,
                "null value",
                s -> s.record("answer", alter(s.createTopic("t").name(), "segment.ms", null)));
        cases.everyVersion(
                ApiKeys.ALTER_CONFIGS,
                "unknown topic",
                s -> s.record("answer", alter(s.name("unknown"), "segment.ms", "777777")));
    }

    private static void addIncremental(Cases cases) {
        cases.everyVersion(ApiKeys.INCREMENTAL_ALTER_CONFIGS, "set one of two", s -> {
            Session.Topic topic = s.createTopic("t", 1, java.util.Map.of("retention.ms", "5000"));
            s.record("answer", incremental(TOPIC, topic.name(), SET, "segment.ms", "777777"));
            recordTopic(s, topic, "segment.ms", "777777");
        });
        cases.everyVersion(ApiKeys.INCREMENTAL_ALTER_CONFIGS, "delete", s -> {
            Session.Topic topic = s.createTopic("t", 1, java.util.Map.of("retention.ms", "5000"));
            s.record("answer", incremental(TOPIC, topic.name(), DELETE, "retention.ms", null));
            s.record("again", incremental(TOPIC, topic.name(), DELETE, "retention.ms", null));
            recordTopic(s, topic, "retention.ms", "604800000");
        });
        cases.everyVersion(ApiKeys.INCREMENTAL_ALTER_CONFIGS, "append to a list", s -> {
            Session.Topic topic = s.createTopic("t");
            s.record("answer", incremental(TOPIC, topic.name(), APPEND, "cleanup.policy", "compact"));
            recordTopic(s, topic, "cleanup.policy", "delete,compact");
        });
        cases.everyVersion(ApiKeys.INCREMENTAL_ALTER_CONFIGS, "subtract from a list", s -> {
            Session.Topic topic = s.createTopic("t", 1, java.util.Map.of("cleanup.policy", "delete,compact"));
            s.record("answer", incremental(TOPIC, topic.name(), SUBTRACT, "cleanup.policy", "delete"));
            recordTopic(s, topic, "cleanup.policy", "compact");
            s.record("last", incremental(TOPIC, topic.name(), SUBTRACT, "cleanup.policy", "compact"));
        });
        cases.everyVersion(ApiKeys.INCREMENTAL_ALTER_CONFIGS, "validate only", s -> {
            Session.Topic topic = s.createTopic("t");
            s.record(
                    "answer",
                    incremental(TOPIC, topic.name(), SET, "segment.ms", "777777")
                            .setValidateOnly(true));
            recordTopic(s, topic, "segment.ms", "604800000");
        });
        cases.newest(ApiKeys.INCREMENTAL_ALTER_CONFIGS, "max.message.bytes takes effect", s -> {
            Session.Topic topic = s.createTopic("t");
            s.record("answer", incremental(TOPIC, topic.name(), SET, "max.message.bytes", "300"));
            s.recordWhen(
                    org.apache.kafka.common.message.ProduceResponseData.class,
                    "too large now",
                    Requests.produce(topic, Requests.batch(s, 30)),
                    answer -> answer.responses()
                                    .iterator()
                                    .next()
                                    .partitionResponses()
                                    .get(0)
                                    .errorCode()
                            != 0);
        });
    }

    private static void addIncrementalErrors(Cases cases) {
        String[][] sets = {
            {"segment.ms", "soon"},
            {"no.such.config", "1"},
            {"segment.ms", null},
            {"retention.ms", "-2"},
            {"cleanup.policy", "none"},
            {"segment.bytes", "1"}
        };
        for (String[] set : sets) {
            cases.everyVersion(
                    ApiKeys.INCREMENTAL_ALTER_CONFIGS,
                    "set " + set[0] + " to " + set[1],
                    s -> s.record(
                            "answer", incremental(TOPIC, s.createTopic("t").name(), SET, set[0], set[1])));
        }
        cases.everyVersion(
                ApiKeys.INCREMENTAL_ALTER_CONFIGS,
                "append to no list",
                s -> s.record("answer", incremental(TOPIC, s.createTopic("t").name(), APPEND, "segment.ms", "1")));
        cases.everyVersion(
                ApiKeys.INCREMENTAL_ALTER_CONFIGS,
                "unknown operation",
                s -> s.record("answer", incremental(TOPIC, s.createTopic("t").name(), (byte) 9, "segment.ms", "1")));
        cases.everyVersion(
                ApiKeys.INCREMENTAL_ALTER_CONFIGS,
                "unknown topic",
                s -> s.record("answer", incremental(TOPIC, s.name("unknown"), SET, "segment.ms", "777777")));
        cases.everyVersion(
                ApiKeys.INCREMENTAL_ALTER_CONFIGS,
                "unknown type",
                s -> s.record("answer", incremental(UNKNOWN_TYPE, "x", SET, "segment.ms", "777777")));
        cases.everyVersion(
                ApiKeys.INCREMENTAL_ALTER_CONFIGS,
                "another broker",
                s -> s.record("answer", incremental(BROKER, "4711", SET, "log.retention.ms", "777777")));
        cases.everyVersion(
                ApiKeys.INCREMENTAL_ALTER_CONFIGS,
                "read-only broker config",
                s -> s.record(
                        org.apache.kafka.common.message.IncrementalAlterConfigsResponseData.class,
                        "answer",
                        incremental(BROKER, Integer.toString(s.nodeId()), SET, "log.dirs", "/nowhere"),
                        answer -> answer.responses().forEach(each -> each.setResourceName("own id"))));
        cases.newest(ApiKeys.INCREMENTAL_ALTER_CONFIGS, "key twice", s -> {
            IncrementalAlterConfigsRequestData request =
                    incremental(TOPIC, s.createTopic("t").name(), SET, "segment.ms", "777777");
            request.resources()
                    .iterator()
                    .next()
                    .configs()
                    .mustAdd(new IncrementalAlterConfigsRequestData.AlterableConfig()
                            .setName("segment.ms")
                            .setConfigOperation(DELETE)
                            .setValue("1"));
            s.record("answer", request);
        });
    }

    /** Kafka's broker learns of a change a moment after the answer: what it comes to counts. */
    private static void recordTopic(Session s, Session.Topic topic, String key, String value) throws Exception {
        DescribeConfigsRequestData request =
                describe(TOPIC, topic.name(), List.of("retention.ms", "segment.ms", "cleanup.policy"));
        s.recordWhen(
                DescribeConfigsResponseData.class,
                "configs then",
                request,
                answer -> answer.results().get(0).configs().stream()
                        .anyMatch(each -> each.name().equals(key) && value.equals(each.value())));
    }

    static DescribeConfigsRequestData describe(byte type, String name, @Nullable List<String> keys) {
        List<DescribeConfigsRequestData.DescribeConfigsResource> resources = new ArrayList<>();
        resources.add(new DescribeConfigsRequestData.DescribeConfigsResource()
                .setResourceType(type)
                .setResourceName(name)
                .setConfigurationKeys(keys));
        return new DescribeConfigsRequestData().setResources(resources);
    }

    private static AlterConfigsRequestData alter(String topic, String key, @Nullable String value) {
        return alter(TOPIC, topic, key, value);
    }

    static AlterConfigsRequestData alter(byte type, String name, String key, @Nullable String value) {
        AlterConfigsRequestData.AlterConfigsResource resource = new AlterConfigsRequestData.AlterConfigsResource()
                .setResourceType(type)
                .setResourceName(name);
        resource.configs()
                .add(new AlterConfigsRequestData.AlterableConfig().setName(key).setValue(value));
        AlterConfigsRequestData request = new AlterConfigsRequestData();
        request.resources().add(resource);
        return request;
    }

    static IncrementalAlterConfigsRequestData incremental(
            byte type, String name, byte operation, String key, @Nullable String value) {
        IncrementalAlterConfigsRequestData.AlterConfigsResource resource =
                new IncrementalAlterConfigsRequestData.AlterConfigsResource()
                        .setResourceType(type)
                        .setResourceName(name);
        resource.configs()
                .add(new IncrementalAlterConfigsRequestData.AlterableConfig()
                        .setName(key)
                        .setConfigOperation(operation)
                        .setValue(value));
        IncrementalAlterConfigsRequestData request = new IncrementalAlterConfigsRequestData();
        request.resources().add(resource);
        return request;
    }
}
