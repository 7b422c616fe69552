package io.sluice.broker.group;

import io.sluice.base.metadata.TopicNames;
import io.sluice.broker.api.RepeatedNames;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.CopartitionGroup;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.KeyValue;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.Subtopology;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.TopicInfo;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.Topology;
import org.jspecify.annotations.Nullable;

/**
 * What a topology must fulfil before the coordinator sees it. Beside the names of topics, which Kafka checks in the same place,
 * these are the things at which Kafka's coordinator fails inside. No application makes such topologies.
 */
final class StreamsTopologyRules {
    private static final int MAX_NAMED = 3;

    private StreamsTopologyRules() {}

    /** What is wrong, in one line; null where nothing is. */
    static @Nullable String fault(Topology topology) {
        List<Subtopology> subtopologies = topology.subtopologies();
        List<String> internal = some(subtopologies, TopicNames::isInternal);
        if (!internal.isEmpty()) {
            return "A topology must not use the broker's own topics " + internal + ".";
        }
        List<String> wrong = some(subtopologies, name -> TopicNames.fault(name) != null);
        if (!wrong.isEmpty()) {
            return "In the topology: " + TopicNames.fault(wrong.get(0));
        }
        String twice = RepeatedNames.firstOf(subtopologies.stream().map(Subtopology::subtopologyId));
        if (twice != null) {
            return "The topology has subtopology '" + twice + "' twice.";
        }
        return subtopologies.stream()
                .flatMap(subtopology -> Stream.ofNullable(fault(subtopology)))
                .findFirst()
                .orElse(null);
    }

    private static List<String> some(List<Subtopology> subtopologies, Predicate<String> condition) {
        return subtopologies.stream()
                .flatMap(StreamsTopologyRules::topicsOf)
                .filter(condition)
                .distinct()
                .limit(MAX_NAMED)
                .toList();
    }

    private static Stream<String> topicsOf(Subtopology subtopology) {
        return Stream.of(
                        subtopology.sourceTopics().stream(),
                        subtopology.repartitionSinkTopics().stream(),
                        subtopology.repartitionSourceTopics().stream().map(TopicInfo::name),
                        subtopology.stateChangelogTopics().stream().map(TopicInfo::name))
                .flatMap(names -> names);
    }

    private static @Nullable String fault(Subtopology subtopology) {
        String fault = fault(subtopology.repartitionSourceTopics());
        fault = fault == null ? fault(subtopology.stateChangelogTopics()) : fault;
        if (fault == null
                && subtopology.copartitionGroups().stream().anyMatch(group -> pointsNowhere(group, subtopology))) {
            fault = "a group of copartitioned topics names one by a number that no topic has";
        }
        return fault == null ? null : "In subtopology '" + subtopology.subtopologyId() + "': " + fault + ".";
    }

    private static @Nullable String fault(List<TopicInfo> internalTopics) {
        String twice = RepeatedNames.firstOf(internalTopics.stream().map(TopicInfo::name));
        if (twice != null) {
            return "topic " + twice + " is there twice";
        }
        for (TopicInfo topic : internalTopics) {
            if (topic.partitions() < 0) {
                return "topic " + topic.name() + " has " + topic.partitions()
                        + " partitions; allowed are 1 or more, and 0 for as many as its source has";
            }
            String setting = RepeatedNames.firstOf(topic.topicConfigs().stream().map(KeyValue::key));
            if (setting != null) {
                return "topic " + topic.name() + " has the setting " + setting + " twice";
            }
        }
        return null;
    }

    private static boolean pointsNowhere(CopartitionGroup group, Subtopology subtopology) {
        return beyond(group.sourceTopics(), subtopology.sourceTopics())
                || beyond(group.repartitionSourceTopics(), subtopology.repartitionSourceTopics());
    }

    private static boolean beyond(List<Short> places, List<?> topics) {
        return places.stream().anyMatch(place -> place < 0 || place >= topics.size());
    }
}
