package io.sluice.testkit.differential;

import static io.sluice.testkit.differential.StreamsSession.internal;
import static io.sluice.testkit.differential.StreamsSession.joining;
import static io.sluice.testkit.differential.StreamsSession.reading;
import static io.sluice.testkit.differential.StreamsSession.together;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.CopartitionGroup;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.KeyValue;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.Subtopology;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.TopicInfo;
import org.apache.kafka.common.protocol.ApiKeys;

/** Topologies that no application has, and some that look odd only, in first heartbeats of streams groups (KIP-1071). */
final class StreamsTopologyCases {
    private StreamsTopologyCases() {}

    static void addTo(Cases cases) {
        addNames(cases);
        addInternal(cases);
        addCopartitioned(cases);
        addTwice(cases);
    }

    private static void addNames(Cases cases) {
        topology(cases, "reads an internal topic", reading("0", "__consumer_offsets"));
        topology(cases, "reads a topic that can have no name", reading("0", "A B"));
        topology(cases, "reads a topic without a name", reading("0", ""));
        topology(cases, "reads nothing", reading("0"));
        topology(cases, "is empty");
        topology(cases, "has an id of no letters", reading("", "t"));
        topology(
                cases,
                "reads by a pattern",
                with(reading("0", "t"), it -> it.sourceTopicRegex().add("t.*")));
        topology(
                cases,
                "writes an internal topic",
                with(reading("0", "t"), it -> it.repartitionSinkTopics().add("__transaction_state")));
        topology(
                cases,
                "has a changelog that can have no name",
                with(reading("0", "t"), it -> it.stateChangelogTopics().add(internal("A/B", 0, Map.of()))));
    }

    private static void addInternal(Cases cases) {
        topology(
                cases,
                "has a changelog with partitions",
                with(reading("0", "t"), it -> it.stateChangelogTopics().add(internal("c", 3, Map.of()))));
        topology(
                cases,
                "writes what it does not read",
                with(reading("0", "t"), it -> it.repartitionSinkTopics().add("nobody-reads-it")));
        topology(
                cases,
                "reads what it does not write",
                with(
                        reading("0", "t"),
                        it -> it.repartitionSourceTopics().add(internal("nobody-writes-it", 0, Map.of()))));
        topology(
                cases,
                "has a topic of less than no partitions",
                with(reading("0", "t"), it -> it.repartitionSourceTopics().add(internal("r", -3, Map.of()))));
        topology(
                cases,
                "has a topic of very many partitions",
                with(
                        reading("0", "t"),
                        it -> it.repartitionSourceTopics().add(internal("r", Integer.MAX_VALUE, Map.of()))));
        topology(
                cases,
                "has a topic of many copies",
                with(
                        reading("0", "t"),
                        it -> it.stateChangelogTopics()
                                .add(internal("c", 0, Map.of()).setReplicationFactor((short) 77))));
    }

    private static void addCopartitioned(Cases cases) {
        topology(
                cases,
                "has copartitioned topics that are none",
                with(reading("0", "t"), it -> it.copartitionGroups().add(together(0, 7))));
        topology(
                cases,
                "has copartitioned topics before the first",
                with(reading("0", "t"), it -> it.copartitionGroups().add(together(-1))));
        CopartitionGroup repartition = new CopartitionGroup();
        repartition.repartitionSourceTopics().add((short) 1);
        topology(
                cases,
                "has copartitioned internal topics that are none",
                with(reading("0", "t"), it -> it.copartitionGroups().add(repartition)));
        CopartitionGroup pattern = new CopartitionGroup();
        pattern.sourceTopicRegex().add((short) 1);
        topology(
                cases,
                "has copartitioned patterns that are none",
                with(reading("0", "t"), it -> it.copartitionGroups().add(pattern)));
        topology(
                cases,
                "has no copartitioned topics in a group",
                with(reading("0", "t"), it -> it.copartitionGroups().add(together())));
        topology(
                cases,
                "has a topic twice in a group",
                with(reading("0", "t"), it -> it.copartitionGroups().add(together(0, 0))));
    }

    private static void addTwice(Cases cases) {
        topology(cases, "has an id twice", reading("0", "t"), reading("0", "t"));
        topology(cases, "reads a topic twice", reading("0", "t", "t"));
        topology(cases, "reads a topic in two parts", reading("0", "t"), reading("1", "t"));
        Consumer<Subtopology> changelog = it -> it.stateChangelogTopics().add(internal("c", 0, Map.of()));
        topology(cases, "has a changelog twice", with(reading("0", "t"), changelog.andThen(changelog)));
        topology(
                cases,
                "has a changelog in two parts",
                with(reading("0", "t"), changelog),
                with(reading("1", "t"), changelog));
        Consumer<Subtopology> repartition = it -> {
            it.repartitionSinkTopics().add("r");
            it.repartitionSourceTopics().add(internal("r", 0, Map.of()));
        };
        topology(cases, "reads what it writes", with(reading("0", "t"), repartition));
        topology(cases, "has a repartition topic twice", with(reading("0", "t"), repartition.andThen(repartition)));
        topology(
                cases,
                "has an internal topic for its source",
                with(reading("0", "t"), it -> it.stateChangelogTopics().add(internal("t", 0, Map.of()))));
        TopicInfo settings = internal("c", 0, Map.of("cleanup.policy", "compact"));
        settings.topicConfigs().add(new KeyValue().setKey("cleanup.policy").setValue("delete"));
        topology(
                cases,
                "has a setting twice",
                with(reading("0", "t"), it -> it.stateChangelogTopics().add(settings)));
    }

    private static Subtopology with(Subtopology subtopology, Consumer<Subtopology> change) {
        change.accept(subtopology);
        return subtopology;
    }

    /** Names of small letters become names of the case's own; there is a topic "t". */
    private static void topology(Cases cases, String name, Subtopology... subtopologies) {
        cases.everyVersion(ApiKeys.STREAMS_GROUP_HEARTBEAT, "topology " + name, s -> {
            s.createTopic("t");
            GroupCases.awaited(s);
            s.record("answer", joining(s, ofCase(s, subtopologies)));
        });
    }

    private static Subtopology[] ofCase(Session s, Subtopology... subtopologies) {
        UnaryOperator<String> own = name -> name.matches("[a-z-]+") ? s.name(name) : name;
        List<Subtopology> named = new ArrayList<>();
        for (Subtopology each : subtopologies) {
            Subtopology copy = each.duplicate();
            copy.sourceTopics().replaceAll(own);
            copy.repartitionSinkTopics().replaceAll(own);
            copy.repartitionSourceTopics().forEach(topic -> topic.setName(own.apply(topic.name())));
            copy.stateChangelogTopics().forEach(topic -> topic.setName(own.apply(topic.name())));
            named.add(copy);
        }
        return named.toArray(Subtopology[]::new);
    }
}
