package io.sluice.testkit.differential;

import java.util.List;
import java.util.function.Predicate;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.message.ListConfigResourcesRequestData;
import org.apache.kafka.common.message.ListConfigResourcesResponseData;
import org.apache.kafka.common.protocol.ApiKeys;

/** ListConfigResources: of which things there are configs. Other cases' topics and groups are left out. */
final class ConfigResourceCases {
    private static final ApiKeys API = ApiKeys.LIST_CONFIG_RESOURCES;
    private static final byte UNKNOWN_TYPE = 77;
    private static final byte SET = 0;

    private ConfigResourceCases() {}

    static void addTo(Cases cases) {
        cases.everyVersion(API, "no types", s -> {
            s.createTopic("t");
            recordOwn(s);
        });
        cases.from(API, 1, "topics", s -> {
            s.createTopic("one");
            s.createTopic("two");
            recordOwn(s, ConfigResource.Type.TOPIC);
        });
        cases.from(API, 1, "groups", s -> {
            s.ask(
                    IncrementalAlterConfigsResponseData.class,
                    ConfigCases.incremental(
                            ConfigResource.Type.GROUP.id(), s.name("g"), SET, "consumer.session.timeout.ms", "50000"));
            recordGroup(s);
        });
        cases.from(API, 1, "brokers", s -> recordBrokers(s, ConfigResource.Type.BROKER));
        cases.from(API, 1, "loggers of brokers", s -> recordBrokers(s, ConfigResource.Type.BROKER_LOGGER));
        cases.from(API, 1, "client metrics", s -> recordOwn(s, ConfigResource.Type.CLIENT_METRICS));
        cases.from(API, 1, "a type twice", s -> {
            byte topic = ConfigResource.Type.TOPIC.id();
            s.createTopic("t");
            recordOwn(s, types(topic, topic));
        });
        cases.from(API, 1, "unknown type", s -> s.record("answer", types(UNKNOWN_TYPE)));
        cases.from(API, 1, "known and unknown type", s -> {
            s.createTopic("t");
            recordOwn(s, types(ConfigResource.Type.TOPIC.id(), UNKNOWN_TYPE));
        });
    }

    private static ListConfigResourcesRequestData types(Byte... types) {
        return new ListConfigResourcesRequestData().setResourceTypes(List.of(types));
    }

    private static void recordOwn(Session s, ConfigResource.Type... types) throws Exception {
        Byte[] ids = new Byte[types.length];
        for (int i = 0; i < types.length; i++) {
            ids[i] = types[i].id();
        }
        recordOwn(s, types(ids));
    }

    private static void recordOwn(Session s, ListConfigResourcesRequestData request) throws Exception {
        s.record(
                ListConfigResourcesResponseData.class,
                "answer",
                request,
                answer -> keep(answer, name -> name.startsWith(s.name(""))));
    }

    /** Kafka's broker learns of a change a moment after the answer. */
    private static void recordGroup(Session s) throws Exception {
        s.askUntil(
                ListConfigResourcesResponseData.class,
                types(ConfigResource.Type.GROUP.id()),
                answer -> answer.configResources().stream()
                        .anyMatch(each -> each.resourceName().equals(s.name("g"))));
        recordOwn(s, ConfigResource.Type.GROUP);
    }

    /** The one broker's name is its id, which differs. */
    private static void recordBrokers(Session s, ConfigResource.Type type) throws Exception {
        s.record(
                ListConfigResourcesResponseData.class,
                "answer",
                types(type.id()),
                answer -> answer.configResources()
                        .forEach(each -> each.setResourceName(
                                each.resourceName().equals(Integer.toString(s.nodeId()))
                                        ? "own id"
                                        : each.resourceName())));
    }

    private static void keep(ListConfigResourcesResponseData answer, Predicate<String> wanted) {
        answer.configResources().removeIf(each -> !wanted.test(each.resourceName()));
    }
}
