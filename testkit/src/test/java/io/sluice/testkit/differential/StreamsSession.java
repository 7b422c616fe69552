package io.sluice.testkit.differential;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.CopartitionGroup;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.KeyValue;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.Subtopology;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.TaskIds;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.TopicInfo;
import org.apache.kafka.common.message.StreamsGroupHeartbeatRequestData.Topology;
import org.apache.kafka.common.message.StreamsGroupHeartbeatResponseData;

/** What members of streams groups say: heartbeats and topologies. */
final class StreamsSession {
    private StreamsSession() {}

    /** Members make up their own ids. */
    static String member(String name) {
        return new Uuid(88, name.hashCode()).toString();
    }

    /** A heartbeat in which nothing is new, of the first member of the group "g" of the case. */
    static StreamsGroupHeartbeatRequestData heartbeat(Session s, int epoch) {
        return new StreamsGroupHeartbeatRequestData()
                .setGroupId(s.name("g"))
                .setMemberId(member("a"))
                .setMemberEpoch(epoch);
    }

    /** A first heartbeat, with a topology. */
    static StreamsGroupHeartbeatRequestData joining(Session s, Subtopology... subtopologies) {
        return heartbeat(s, 0)
                .setRebalanceTimeoutMs(30_000)
                .setProcessId("process")
                .setTopology(topology(0, subtopologies))
                .setActiveTasks(new ArrayList<>())
                .setStandbyTasks(new ArrayList<>())
                .setWarmupTasks(new ArrayList<>());
    }

    static Topology topology(int epoch, Subtopology... subtopologies) {
        return new Topology().setEpoch(epoch).setSubtopologies(new ArrayList<>(List.of(subtopologies)));
    }

    /** A subtopology that reads topics. */
    static Subtopology reading(String id, String... topics) {
        return new Subtopology().setSubtopologyId(id).setSourceTopics(new ArrayList<>(List.of(topics)));
    }

    /** An internal topic. */
    static TopicInfo internal(String name, int partitions, Map<String, String> configs) {
        TopicInfo topic = new TopicInfo().setName(name).setPartitions(partitions);
        configs.forEach((key, value) ->
                topic.topicConfigs().add(new KeyValue().setKey(key).setValue(value)));
        return topic;
    }

    /** Counts words: reads a topic, repartitions by word, and keeps the counts in a changelog. */
    static Subtopology[] counting(Session s, String topic, Map<String, String> changelogConfigs) {
        String repartition = s.name("repartition");
        Subtopology splits = reading("0", topic);
        splits.repartitionSinkTopics().add(repartition);
        Subtopology counts = new Subtopology().setSubtopologyId("1");
        counts.repartitionSourceTopics().add(internal(repartition, 0, Map.of("cleanup.policy", "delete")));
        counts.stateChangelogTopics().add(internal(s.name("changelog"), 0, changelogConfigs));
        return new Subtopology[] {splits, counts};
    }

    /** Topics of a subtopology, by their place in its list of sources, that need the same number of partitions. */
    static CopartitionGroup together(int... sources) {
        CopartitionGroup group = new CopartitionGroup();
        for (int source : sources) {
            group.sourceTopics().add((short) source);
        }
        return group;
    }

    static List<TaskIds> tasks(String subtopology, Integer... partitions) {
        return new ArrayList<>(List.of(
                new TaskIds().setSubtopologyId(subtopology).setPartitions(new ArrayList<>(List.of(partitions)))));
    }

    /** Joins and asks on until there are tasks, or an error; records the answer that has them. */
    static StreamsGroupHeartbeatResponseData join(Session s, String label, StreamsGroupHeartbeatRequestData joining)
            throws Exception {
        GroupCases.awaited(s);
        return s.recordWhen(
                StreamsGroupHeartbeatResponseData.class,
                label,
                joining,
                answer -> answer.errorCode() != 0
                        || (answer.activeTasks() != null
                                && !answer.activeTasks().isEmpty()));
    }

    /** A member that has all tasks of a topic of two partitions and has said so. */
    static StreamsGroupHeartbeatResponseData stable(Session s, Session.Topic topic) throws Exception {
        join(s, "joins", joining(s, reading("0", topic.name())));
        return s.askUntil(
                StreamsGroupHeartbeatResponseData.class,
                joining(s, reading("0", topic.name())),
                answer -> answer.activeTasks() != null);
    }
}
