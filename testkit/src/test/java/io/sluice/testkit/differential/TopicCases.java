package io.sluice.testkit.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.CreatePartitionsRequestData;
import org.apache.kafka.common.message.CreateTopicsRequestData;
import org.apache.kafka.common.message.DeleteTopicsRequestData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.protocol.ApiKeys;

/** CreateTopics, DeleteTopics and CreatePartitions. */
final class TopicCases {
    private static final int FIRST_WITH_DEFAULTS = 4;
    private static final int FIRST_DELETE_WITH_IDS = 6;

    private TopicCases() {}

    static void addTo(Cases cases) {
        addCreate(cases);
        addCreateConfigs(cases);
        addDelete(cases);
        addPartitions(cases);
    }

    private static void addCreate(Cases cases) {
        create(cases, "plain", t -> t.setNumPartitions(2).setReplicationFactor((short) 1));
        cases.from(
                ApiKeys.CREATE_TOPICS,
                FIRST_WITH_DEFAULTS,
                "defaults",
                s -> s.record(
                        "answer",
                        create(s.name("t"), t -> t.setNumPartitions(-1).setReplicationFactor((short) -1))));
        create(cases, "zero partitions", t -> t.setNumPartitions(0).setReplicationFactor((short) 1));
        create(cases, "minus two partitions", t -> t.setNumPartitions(-2).setReplicationFactor((short) 1));
        create(cases, "zero replicas", t -> t.setNumPartitions(1).setReplicationFactor((short) 0));
        create(cases, "too many replicas", t -> t.setNumPartitions(1).setReplicationFactor((short) 2));
        for (String[] bad : new String[][] {
            {"empty name", ""}, {"dot", "."}, {"slash", "a/b"}, {"space", "a b"}, {"250 letters", "x".repeat(250)}
        }) {
            cases.everyVersion(
                    ApiKeys.CREATE_TOPICS,
                    "bad name: " + bad[0],
                    s -> s.record(
                            "answer", create(bad[1], t -> t.setNumPartitions(1).setReplicationFactor((short) 1))));
        }
        cases.everyVersion(ApiKeys.CREATE_TOPICS, "exists already", s -> {
            Session.Topic topic = s.createTopic("t");
            s.record("answer", create(topic.name(), t -> t.setNumPartitions(3).setReplicationFactor((short) 1)));
        });
        cases.newest(ApiKeys.CREATE_TOPICS, "names that collide", s -> {
            s.record("dots", create(s.name("a.b"), t -> t.setNumPartitions(1).setReplicationFactor((short) 1)));
            s.record(
                    "underscores",
                    create(s.name("a_b"), t -> t.setNumPartitions(1).setReplicationFactor((short) 1)));
        });
        cases.everyVersion(ApiKeys.CREATE_TOPICS, "validate only", s -> {
            s.record(
                    "answer",
                    create(s.name("t"), t -> t.setNumPartitions(1).setReplicationFactor((short) 1))
                            .setValidateOnly(true));
            s.record("is not there", MetadataCases.byNames(s.name("t")).setAllowAutoTopicCreation(false));
        });
        cases.everyVersion(ApiKeys.CREATE_TOPICS, "one good, one bad, one twice", s -> {
            CreateTopicsRequestData request =
                    create(s.name("t"), t -> t.setNumPartitions(1).setReplicationFactor((short) 1));
            add(request, "a/b", t -> t.setNumPartitions(1).setReplicationFactor((short) 1));
            request.topics()
                    .mustAdd(topic(s.name("twice"), t -> t.setNumPartitions(1).setReplicationFactor((short) 1)));
            request.topics()
                    .mustAdd(topic(s.name("twice"), t -> t.setNumPartitions(2).setReplicationFactor((short) 1)));
            s.record("answer", request);
        });
        addCreateMore(cases);
        addAssignments(cases);
    }

    private static void addCreateMore(Cases cases) {
        cases.newest(
                ApiKeys.CREATE_TOPICS,
                "no topics",
                s -> s.record("answer", new CreateTopicsRequestData().setTimeoutMs(Requests.TIMEOUT_MILLIS)));
        cases.newest(
                ApiKeys.CREATE_TOPICS,
                "internal name",
                s -> s.record(
                        "answer",
                        create("__" + s.name("t"), t -> t.setNumPartitions(1).setReplicationFactor((short) 1))));
        cases.everyVersion(ApiKeys.CREATE_TOPICS, "usable at once", s -> {
            s.record("answer", create(s.name("t"), t -> t.setNumPartitions(1).setReplicationFactor((short) 1)));
            s.recordWhen(
                    MetadataResponseData.class,
                    "seen",
                    MetadataCases.byNames(s.name("t")),
                    answer -> answer.topics().iterator().next().errorCode() == 0);
        });
    }

    private static void addAssignments(Cases cases) {
        assigned(cases, "to this node", true, 0, 1);
        assigned(cases, "to an unknown node", false, 0, 1);
        assigned(cases, "with a gap", true, 0, 2);
        assigned(cases, "not from 0", true, 1, 2);
        cases.newest(
                ApiKeys.CREATE_TOPICS,
                "assignment and number of partitions",
                s -> s.record("answer", create(s.name("t"), t -> {
                    t.setNumPartitions(2).setReplicationFactor((short) 1);
                    assign(t, 0, s.nodeId());
                })));
        cases.newest(
                ApiKeys.CREATE_TOPICS,
                "assignment with a node twice",
                s -> s.record(
                        "answer",
                        create(
                                s.name("t"),
                                t -> t.setNumPartitions(-1)
                                        .setReplicationFactor((short) -1)
                                        .assignments()
                                        .add(new CreateTopicsRequestData.CreatableReplicaAssignment()
                                                .setPartitionIndex(0)
                                                .setBrokerIds(List.of(s.nodeId(), s.nodeId()))))));
        cases.newest(
                ApiKeys.CREATE_TOPICS,
                "empty assignment",
                s -> s.record(
                        "answer",
                        create(
                                s.name("t"),
                                t -> t.setNumPartitions(-1)
                                        .setReplicationFactor((short) -1)
                                        .assignments()
                                        .add(new CreateTopicsRequestData.CreatableReplicaAssignment()
                                                .setPartitionIndex(0)
                                                .setBrokerIds(List.of())))));
    }

    private static void assigned(Cases cases, String name, boolean toThisNode, int first, int second) {
        cases.everyVersion(
                ApiKeys.CREATE_TOPICS,
                "assigned " + name,
                s -> s.record("answer", create(s.name("t"), t -> {
                    t.setNumPartitions(-1).setReplicationFactor((short) -1);
                    assign(t, first, toThisNode ? s.nodeId() : 4_711);
                    assign(t, second, toThisNode ? s.nodeId() : 4_711);
                })));
    }

    private static void assign(CreateTopicsRequestData.CreatableTopic topic, int partition, int node) {
        topic.assignments()
                .add(new CreateTopicsRequestData.CreatableReplicaAssignment()
                        .setPartitionIndex(partition)
                        .setBrokerIds(List.of(node)));
    }

    private static void addCreateConfigs(Cases cases) {
        String[][] configs = {
            {"retention.ms", "1000"},
            {"retention.ms", "-1"},
            {"retention.ms", "-2"},
            {"retention.ms", "x"},
            {"cleanup.policy", "compact"},
            {"cleanup.policy", "delete,compact"},
            {"cleanup.policy", "none"},
            {"cleanup.policy", ""},
            {"compression.type", "zstd"},
            {"compression.type", "rar"},
            {"max.message.bytes", "-1"},
            {"segment.bytes", "1"},
            {"segment.bytes", "1048576"},
            {"no.such.config", "1"},
            {"min.insync.replicas", "0"},
            {"min.insync.replicas", "3"},
            {"flush.messages", "1"},
            {"message.timestamp.type", "Sometimes"},
            {"message.format.version", "3.0"},
            {"unclean.leader.election.enable", "maybe"},
            {"retention.bytes", "1e3"},
            {"remote.storage.enable", "true"}
        };
        for (String[] config : configs) {
            cases.newest(
                    ApiKeys.CREATE_TOPICS,
                    "config " + config[0] + "=" + config[1],
                    s -> s.record("answer", withConfig(s.name("t"), config[0], config[1])));
        }
        cases.everyVersion(
                ApiKeys.CREATE_TOPICS,
                "bad config",
                s -> s.record("answer", withConfig(s.name("t"), "retention.ms", "soon")));
        cases.everyVersion(
                ApiKeys.CREATE_TOPICS,
                "good config",
                s -> s.record("answer", withConfig(s.name("t"), "retention.ms", "123456")));
        cases.newest(
                ApiKeys.CREATE_TOPICS,
                "config null",
                s -> s.record("answer", withConfig(s.name("t"), "retention.ms", null)));
    }

    private static CreateTopicsRequestData withConfig(
            String name, String key, @org.jspecify.annotations.Nullable String value) {
        return create(
                name,
                t -> t.setNumPartitions(1)
                        .setReplicationFactor((short) 1)
                        .configs()
                        .add(new CreateTopicsRequestData.CreatableTopicConfig()
                                .setName(key)
                                .setValue(value)));
    }

    private static void addDelete(Cases cases) {
        cases.everyVersion(ApiKeys.DELETE_TOPICS, "by name", s -> {
            Session.Topic topic = FetchCases.filled(s);
            s.record("answer", deleteByName(s.version(), topic.name()));
            s.awaitGone(topic);
            s.record("again", deleteByName(s.version(), topic.name()));
            s.record("metadata", MetadataCases.byNames(topic.name()).setAllowAutoTopicCreation(false));
            s.record("fetch", Requests.fetch(topic, 0));
        });
        cases.everyVersion(
                ApiKeys.DELETE_TOPICS,
                "unknown",
                s -> s.record("answer", deleteByName(s.version(), s.name("unknown"))));
        cases.everyVersion(ApiKeys.DELETE_TOPICS, "none", s -> s.record("answer", deleteByName(s.version())));
        cases.everyVersion(ApiKeys.DELETE_TOPICS, "one twice", s -> {
            Session.Topic topic = s.createTopic("t");
            s.record("answer", deleteByName(s.version(), topic.name(), topic.name()));
        });
        cases.everyVersion(ApiKeys.DELETE_TOPICS, "made anew", s -> {
            Session.Topic old = FetchCases.filled(s);
            s.record("answer", deleteByName(s.version(), old.name()));
            s.awaitGone(old);
            Session.Topic anew = s.createTopic("t");
            s.note("another id", "" + !old.id().equals(anew.id()));
            s.record("new is empty", Requests.fetch(anew, 0));
            s.record("old id", Requests.fetch(old, 0));
        });
        cases.from(ApiKeys.DELETE_TOPICS, FIRST_DELETE_WITH_IDS, "by id", s -> {
            Session.Topic topic = s.createTopic("t");
            s.record("answer", deleteById(topic.id()));
            s.awaitGone(topic);
            s.record("again", deleteById(topic.id()));
        });
        cases.from(
                ApiKeys.DELETE_TOPICS,
                FIRST_DELETE_WITH_IDS,
                "zero id",
                s -> s.record("answer", deleteById(Uuid.ZERO_UUID)));
        cases.from(ApiKeys.DELETE_TOPICS, FIRST_DELETE_WITH_IDS, "name and id", s -> {
            Session.Topic topic = s.createTopic("t");
            DeleteTopicsRequestData request = deleteById(topic.id());
            request.topics().get(0).setName(topic.name());
            s.record("answer", request);
        });
    }

    private static void addPartitions(Cases cases) {
        for (int count : new int[] {3, 2, 1, 0, -1}) {
            cases.everyVersion(ApiKeys.CREATE_PARTITIONS, "from 2 to " + count, s -> {
                Session.Topic topic = s.createTopic("t", 2, Map.of());
                s.record("answer", grow(topic.name(), count, null));
            });
        }
        cases.everyVersion(ApiKeys.CREATE_PARTITIONS, "usable", s -> {
            Session.Topic topic = FetchCases.filled(s);
            s.record("answer", grow(topic.name(), 2, null));
            s.awaitServing(topic.name(), 2);
            FetchCases.append(s, topic, 1, 2);
            s.record("old partition", Requests.fetch(topic, 0));
            s.record("new partition", Requests.fetch(List.of(topic), 1, 0));
            s.record("metadata", MetadataCases.byNames(topic.name()));
        });
        cases.everyVersion(
                ApiKeys.CREATE_PARTITIONS, "unknown topic", s -> s.record("answer", grow(s.name("unknown"), 4, null)));
        cases.everyVersion(ApiKeys.CREATE_PARTITIONS, "validate only", s -> {
            Session.Topic topic = s.createTopic("t");
            s.record("answer", grow(topic.name(), 4, null).setValidateOnly(true));
            s.record("metadata", MetadataCases.byNames(topic.name()));
        });
        cases.everyVersion(ApiKeys.CREATE_PARTITIONS, "internal topic, validate only", s -> {
            GroupSession.awaitCoordinator(s, s.name("g"));
            s.record("answer", grow("__consumer_offsets", 100, null).setValidateOnly(true));
        });
        cases.everyVersion(ApiKeys.CREATE_PARTITIONS, "assigned", s -> {
            Session.Topic topic = s.createTopic("t");
            s.record("too few", grow(topic.name(), 3, List.of(List.of(s.nodeId()))));
            s.record("unknown node", grow(topic.name(), 2, List.of(List.of(4_711))));
            s.record("right", grow(topic.name(), 2, List.of(List.of(s.nodeId()))));
        });
    }

    static DeleteTopicsRequestData deleteByName(List<String> names) {
        return deleteByName(ApiKeys.DELETE_TOPICS.latestVersion(false), names.toArray(String[]::new));
    }

    private static DeleteTopicsRequestData deleteByName(short version, String... names) {
        DeleteTopicsRequestData request = new DeleteTopicsRequestData().setTimeoutMs(Requests.TIMEOUT_MILLIS);
        if (version < FIRST_DELETE_WITH_IDS) {
            return request.setTopicNames(new ArrayList<>(List.of(names)));
        }
        for (String name : names) {
            request.topics().add(new DeleteTopicsRequestData.DeleteTopicState().setName(name));
        }
        return request;
    }

    private static DeleteTopicsRequestData deleteById(Uuid id) {
        DeleteTopicsRequestData request = new DeleteTopicsRequestData().setTimeoutMs(Requests.TIMEOUT_MILLIS);
        request.topics()
                .add(new DeleteTopicsRequestData.DeleteTopicState()
                        .setName(null)
                        .setTopicId(id));
        return request;
    }

    private static CreatePartitionsRequestData grow(
            String topic, int count, @org.jspecify.annotations.Nullable List<List<Integer>> assignments) {
        CreatePartitionsRequestData.CreatePartitionsTopic of = new CreatePartitionsRequestData.CreatePartitionsTopic()
                .setName(topic)
                .setCount(count)
                .setAssignments(
                        assignments == null
                                ? null
                                : assignments.stream()
                                        .map(each -> new CreatePartitionsRequestData.CreatePartitionsAssignment()
                                                .setBrokerIds(each))
                                        .toList());
        CreatePartitionsRequestData request = new CreatePartitionsRequestData().setTimeoutMs(Requests.TIMEOUT_MILLIS);
        request.topics().add(of);
        return request;
    }

    private static void create(Cases cases, String name, Consumer<CreateTopicsRequestData.CreatableTopic> change) {
        cases.everyVersion(ApiKeys.CREATE_TOPICS, name, s -> s.record("answer", create(s.name("t"), change)));
    }

    private static CreateTopicsRequestData create(
            String name, Consumer<CreateTopicsRequestData.CreatableTopic> change) {
        CreateTopicsRequestData request = new CreateTopicsRequestData().setTimeoutMs(Requests.TIMEOUT_MILLIS);
        add(request, name, change);
        return request;
    }

    private static void add(
            CreateTopicsRequestData request, String name, Consumer<CreateTopicsRequestData.CreatableTopic> change) {
        request.topics().add(topic(name, change));
    }

    private static CreateTopicsRequestData.CreatableTopic topic(
            String name, Consumer<CreateTopicsRequestData.CreatableTopic> change) {
        CreateTopicsRequestData.CreatableTopic topic = new CreateTopicsRequestData.CreatableTopic().setName(name);
        change.accept(topic);
        return topic;
    }
}
