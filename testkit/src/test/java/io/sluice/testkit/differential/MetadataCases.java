package io.sluice.testkit.differential;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** Metadata: brokers and topics, by name, by id, all and none, and topics that come into being. */
final class MetadataCases {
    private static final int FIRST_WITH_NULL = 1;
    private static final int FIRST_WITH_AUTO_CREATE = 4;
    private static final int FIRST_WITH_IDS = 12;

    private MetadataCases() {}

    static void addTo(Cases cases) {
        cases.everyVersion(ApiKeys.METADATA, "a topic by name", s -> {
            Session.Topic topic = s.createTopic("t", 3, java.util.Map.of());
            s.record("answer", byNames(topic.name()));
        });
        cases.everyVersion(ApiKeys.METADATA, "a topic twice", s -> {
            Session.Topic topic = s.createTopic("t");
            s.record("answer", byNames(topic.name(), topic.name()));
        });
        cases.everyVersion(
                ApiKeys.METADATA,
                "empty list",
                s -> s.record(
                        MetadataResponseData.class,
                        "answer",
                        byNames(),
                        answer -> answer.topics().clear()));
        cases.from(ApiKeys.METADATA, FIRST_WITH_NULL, "empty list is none", s -> s.record("answer", byNames()));
        cases.versions(ApiKeys.METADATA, 0, 0, "empty list is all", MetadataCases::allTopics);
        cases.from(ApiKeys.METADATA, FIRST_WITH_NULL, "null list is all", MetadataCases::allTopics);
        cases.from(
                ApiKeys.METADATA,
                FIRST_WITH_AUTO_CREATE,
                "unknown topic",
                s -> s.record("answer", byNames(s.name("unknown")).setAllowAutoTopicCreation(false)));
        cases.everyVersion(ApiKeys.METADATA, "auto-create", MetadataCases::autoCreate);
        for (String[] bad : new String[][] {
            {"empty name", ""},
            {"dot", "."},
            {"two dots", ".."},
            {"slash", "a/b"},
            {"space", "a b"},
            {"250 letters", "x".repeat(250)},
            {"umlaut", "\u00fc"}
        }) {
            cases.everyVersion(ApiKeys.METADATA, "bad name: " + bad[0], s -> s.record("answer", byNames(bad[1])));
        }
        addIds(cases);
    }

    private static void addIds(Cases cases) {
        cases.from(ApiKeys.METADATA, FIRST_WITH_IDS, "by id", s -> {
            Session.Topic topic = s.createTopic("t");
            s.record("answer", byId(topic.id(), null));
            s.record("with name too", byId(topic.id(), topic.name()));
        });
        cases.from(
                ApiKeys.METADATA, FIRST_WITH_IDS, "unknown id", s -> s.record("answer", byId(new Uuid(17, 4), null)));
        cases.from(
                ApiKeys.METADATA,
                FIRST_WITH_IDS,
                "null name and no id",
                s -> s.record("answer", byId(Uuid.ZERO_UUID, null)));
        cases.versions(ApiKeys.METADATA, 10, 11, "null name", s -> {
            s.connection().send(s.version(), byId(Uuid.ZERO_UUID, null));
            s.recordReaction("reaction", s.connection());
        });
        cases.versions(ApiKeys.METADATA, 8, 13, "authorized operations of topics", s -> {
            Session.Topic topic = s.createTopic("t");
            s.record("answer", byNames(topic.name()).setIncludeTopicAuthorizedOperations(true));
        });
        cases.versions(
                ApiKeys.METADATA,
                8,
                10,
                "authorized operations of the cluster",
                s -> s.record("answer", byNames().setIncludeClusterAuthorizedOperations(true)));
    }

    static MetadataRequestData byNames(String... names) {
        List<MetadataRequestData.MetadataRequestTopic> topics = new ArrayList<>();
        for (String name : names) {
            topics.add(new MetadataRequestData.MetadataRequestTopic().setName(name));
        }
        return new MetadataRequestData().setTopics(topics).setAllowAutoTopicCreation(true);
    }

    private static MetadataRequestData byId(Uuid id, @Nullable String name) {
        List<MetadataRequestData.MetadataRequestTopic> topics = new ArrayList<>();
        topics.add(new MetadataRequestData.MetadataRequestTopic().setTopicId(id).setName(name));
        return new MetadataRequestData().setTopics(topics).setAllowAutoTopicCreation(true);
    }

    private static void allTopics(Session s) throws Exception {
        Session.Topic topic = s.createTopic("t");
        MetadataRequestData request = s.version() == 0 ? byNames() : new MetadataRequestData().setTopics(null);
        s.record(
                MetadataResponseData.class,
                "answer",
                request,
                answer -> answer.topics().removeIf(each -> !topic.name().equals(each.name())));
    }

    /** The first answer says unknown, or is there already: only what it comes to counts. */
    private static void autoCreate(Session s) throws Exception {
        s.record("first", byNames(s.name("t")));
        s.recordWhen(MetadataResponseData.class, "in the end", byNames(s.name("t")), answer -> {
            MetadataResponseData.MetadataResponseTopic topic =
                    answer.topics().iterator().next();
            return topic.errorCode() == Errors.NONE.code()
                    && topic.partitions().stream().allMatch(p -> p.errorCode() == Errors.NONE.code());
        });
    }
}
