package io.sluice.testkit.differential;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignablePartition;
import org.apache.kafka.common.message.AlterPartitionReassignmentsRequestData.ReassignableTopic;
import org.apache.kafka.common.message.DescribeQuorumRequestData;
import org.apache.kafka.common.message.ElectLeadersRequestData;
import org.apache.kafka.common.message.ElectLeadersRequestData.TopicPartitions;
import org.apache.kafka.common.message.ElectLeadersResponseData;
import org.apache.kafka.common.message.ListPartitionReassignmentsRequestData;
import org.apache.kafka.common.message.ListPartitionReassignmentsRequestData.ListPartitionReassignmentsTopics;
import org.apache.kafka.common.message.UpdateFeaturesRequestData;
import org.apache.kafka.common.message.UpdateFeaturesRequestData.FeatureUpdateKey;
import org.apache.kafka.common.protocol.ApiKeys;
import org.jspecify.annotations.Nullable;

/** What administrators ask of copies, leaders, the metadata quorum and features, on one node. */
final class ReplicaCases {
    private static final int NOBODY = 999;
    private static final byte UNCLEAN = 1;

    private ReplicaCases() {}

    static void addTo(Cases cases) {
        addElections(cases);
        addReassignments(cases);
        addQuorum(cases);
        addFeatures(cases);
    }

    private static void addElections(Cases cases) {
        cases.everyVersion(ApiKeys.ELECT_LEADERS, "partitions that lead already", s -> {
            Session.Topic topic = s.createTopic("t", 2, Map.of());
            s.record("preferred", elect(topic.name(), 0, 1));
            s.record("unknown partition", elect(topic.name(), 7));
            s.record("unknown topic", elect(s.name("unknown"), 0));
        });
        cases.from(ApiKeys.ELECT_LEADERS, 1, "unclean election", s -> {
            Session.Topic topic = s.createTopic("t");
            s.record("answer", elect(topic.name(), 0).setElectionType(UNCLEAN));
        });
        cases.everyVersion(ApiKeys.ELECT_LEADERS, "all partitions", s -> {
            Session.Topic topic = s.createTopic("t");
            s.record(
                    ElectLeadersResponseData.class,
                    "answer",
                    new ElectLeadersRequestData().setTopicPartitions(null).setTimeoutMs(Requests.TIMEOUT_MILLIS),
                    answer -> answer.replicaElectionResults()
                            .removeIf(result -> !result.topic().equals(topic.name())));
        });
        cases.everyVersion(
                ApiKeys.ELECT_LEADERS,
                "no partition at all",
                s -> s.record("answer", new ElectLeadersRequestData().setTimeoutMs(Requests.TIMEOUT_MILLIS)));
    }

    private static ElectLeadersRequestData elect(String topic, Integer... partitions) {
        ElectLeadersRequestData request = new ElectLeadersRequestData().setTimeoutMs(Requests.TIMEOUT_MILLIS);
        request.topicPartitions().add(new TopicPartitions().setTopic(topic).setPartitions(List.of(partitions)));
        return request;
    }

    private static void addReassignments(Cases cases) {
        ApiKeys alter = ApiKeys.ALTER_PARTITION_REASSIGNMENTS;
        cases.everyVersion(alter, "to where it is", s -> {
            Session.Topic topic = s.createTopic("t");
            s.record("answer", reassign(topic.name(), 0, List.of(s.nodeId())));
        });
        cases.everyVersion(alter, "to where nobody is", s -> {
            Session.Topic topic = s.createTopic("t");
            s.record("unknown broker", reassign(topic.name(), 0, List.of(NOBODY)));
            s.record("one known, one not", reassign(topic.name(), 0, List.of(s.nodeId(), NOBODY)));
            s.record("twice the same", reassign(topic.name(), 0, List.of(s.nodeId(), s.nodeId())));
            s.record("none", reassign(topic.name(), 0, List.of()));
        });
        cases.everyVersion(alter, "nothing to cancel, nothing there", s -> {
            Session.Topic topic = s.createTopic("t");
            s.record("cancelled", reassign(topic.name(), 0, null));
            s.record("unknown partition", reassign(topic.name(), 5, List.of(s.nodeId())));
            s.record("unknown topic", reassign(s.name("unknown"), 0, List.of(s.nodeId())));
        });
        ApiKeys list = ApiKeys.LIST_PARTITION_REASSIGNMENTS;
        cases.everyVersion(list, "nothing moves", s -> {
            Session.Topic topic = s.createTopic("t");
            s.record("all", new ListPartitionReassignmentsRequestData().setTopics(null));
            s.record("one", listed(topic.name(), 0, 9));
            s.record("unknown", listed(s.name("unknown"), 0));
        });
    }

    private static AlterPartitionReassignmentsRequestData reassign(
            String topic, int partition, @Nullable List<Integer> replicas) {
        AlterPartitionReassignmentsRequestData request =
                new AlterPartitionReassignmentsRequestData().setTimeoutMs(Requests.TIMEOUT_MILLIS);
        request.topics()
                .add(new ReassignableTopic()
                        .setName(topic)
                        .setPartitions(List.of(new ReassignablePartition()
                                .setPartitionIndex(partition)
                                .setReplicas(replicas))));
        return request;
    }

    private static ListPartitionReassignmentsRequestData listed(String topic, Integer... partitions) {
        return new ListPartitionReassignmentsRequestData()
                .setTopics(List.of(new ListPartitionReassignmentsTopics()
                        .setName(topic)
                        .setPartitionIndexes(List.of(partitions))));
    }

    private static void addQuorum(Cases cases) {
        cases.everyVersion(
                ApiKeys.DESCRIBE_QUORUM, "of the metadata", s -> s.record("answer", quorum("__cluster_metadata", 0)));
        cases.everyVersion(ApiKeys.DESCRIBE_QUORUM, "of something else", s -> {
            s.record("partition", quorum("__cluster_metadata", 1));
            s.record("topic", quorum(s.name("unknown"), 0));
        });
    }

    private static DescribeQuorumRequestData quorum(String topic, int partition) {
        return new DescribeQuorumRequestData()
                .setTopics(List.of(new DescribeQuorumRequestData.TopicData()
                        .setTopicName(topic)
                        .setPartitions(
                                List.of(new DescribeQuorumRequestData.PartitionData().setPartitionIndex(partition)))));
    }

    private static void addFeatures(Cases cases) {
        ApiKeys api = ApiKeys.UPDATE_FEATURES;
        cases.everyVersion(api, "to the level it has", s -> s.record("answer", update("group.version", 1)));
        cases.everyVersion(api, "beyond what is supported", s -> s.record("answer", update("group.version", 77)));
        cases.everyVersion(api, "no such feature", s -> s.record("answer", update("no.such.version", 1)));
        cases.everyVersion(api, "nothing", s -> s.record("answer", new UpdateFeaturesRequestData()));
    }

    private static UpdateFeaturesRequestData update(String feature, int level) {
        UpdateFeaturesRequestData request = new UpdateFeaturesRequestData();
        request.featureUpdates().add(new FeatureUpdateKey().setFeature(feature).setMaxVersionLevel((short) level));
        return request;
    }
}
