package io.sluice.testkit.differential;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.DeleteShareGroupStateRequestData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.InitializeShareGroupStateRequestData;
import org.apache.kafka.common.message.InitializeShareGroupStateResponseData;
import org.apache.kafka.common.message.ReadShareGroupStateRequestData;
import org.apache.kafka.common.message.ReadShareGroupStateSummaryRequestData;
import org.apache.kafka.common.message.WriteShareGroupStateRequestData;
import org.apache.kafka.common.message.WriteShareGroupStateRequestData.StateBatch;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;

/** The state of share groups' partitions, as brokers ask its coordinator for it (KIP-932). */
final class ShareStateCases {
    private static final byte SHARE = 2;
    private static final Uuid UNKNOWN = new Uuid(8, 8);

    private ShareStateCases() {}

    static void addTo(Cases cases) {
        cases.everyVersion(ApiKeys.INITIALIZE_SHARE_GROUP_STATE, "new, again, older", s -> {
            Session.Topic topic = awaited(s);
            s.record("again", initialize(s, topic.id(), 0, 3));
            s.record("newer epoch", initialize(s, topic.id(), 0, 4));
            s.record("older epoch", initialize(s, topic.id(), 0, 2));
            s.record("unknown partition", initialize(s, topic.id(), 7, 3));
        });
        cases.everyVersion(ApiKeys.INITIALIZE_SHARE_GROUP_STATE, "unknown topic, no group, nothing", s -> {
            Session.Topic topic = awaited(s);
            s.record("topic", initialize(s, UNKNOWN, 0, 3));
            s.record("group", initialize(s, topic.id(), 0, 3).setGroupId(""));
            s.record("nothing", new InitializeShareGroupStateRequestData().setGroupId(s.name("g")));
        });
        addReads(cases);
        addWrites(cases);
        cases.everyVersion(ApiKeys.DELETE_SHARE_GROUP_STATE, "deleted, and again", s -> {
            Session.Topic topic = awaited(s);
            s.record("deleted", delete(s, topic.id(), 0));
            s.record("again", delete(s, topic.id(), 0));
            s.record("read", read(s, topic.id(), 0, 0));
            s.record("unknown topic", delete(s, UNKNOWN, 0));
            s.record("unknown partition", delete(s, topic.id(), 7));
        });
    }

    private static void addReads(Cases cases) {
        cases.everyVersion(ApiKeys.READ_SHARE_GROUP_STATE, "as it was set and written", s -> {
            Session.Topic topic = awaited(s);
            s.record("set", read(s, topic.id(), 0, 2));
            s.record("written", write(s, topic.id(), 0, 3, 2));
            s.record("read", read(s, topic.id(), 0, 2));
            s.record("older leader", read(s, topic.id(), 0, 1));
            s.record("never set", read(s, topic.id(), 1, 2));
            s.record("unknown topic", read(s, UNKNOWN, 0, 2));
        });
        cases.everyVersion(ApiKeys.READ_SHARE_GROUP_STATE_SUMMARY, "as it was set and written", s -> {
            Session.Topic topic = awaited(s);
            s.record("set", summary(s, topic.id(), 0, 2));
            s.record("written", write(s, topic.id(), 0, 3, 2));
            s.record("read", summary(s, topic.id(), 0, 2));
            s.record("older leader", summary(s, topic.id(), 0, 1));
            s.record("never set", summary(s, topic.id(), 1, 2));
            s.record("unknown topic", summary(s, UNKNOWN, 0, 2));
        });
    }

    private static void addWrites(Cases cases) {
        cases.everyVersion(ApiKeys.WRITE_SHARE_GROUP_STATE, "written and read", s -> {
            Session.Topic topic = awaited(s);
            s.record("written", write(s, topic.id(), 0, 3, 2));
            s.record("again", write(s, topic.id(), 0, 3, 2));
            s.record("read", read(s, topic.id(), 0, 2));
        });
        cases.everyVersion(ApiKeys.WRITE_SHARE_GROUP_STATE, "fenced and unknown", s -> {
            Session.Topic topic = awaited(s);
            s.record("written", write(s, topic.id(), 0, 3, 2));
            s.record("older state", write(s, topic.id(), 0, 2, 2));
            s.record("newer state", write(s, topic.id(), 0, 4, 2));
            s.record("older leader", write(s, topic.id(), 0, 3, 1));
            s.record("never set", write(s, topic.id(), 1, 0, 0));
            s.record("unknown topic", write(s, UNKNOWN, 0, 3, 2));
        });
    }

    /** A topic whose partition 0 has its state set, with state epoch 3 and start offset 5. */
    private static Session.Topic awaited(Session s) throws Exception {
        Session.Topic topic = s.createTopic("t", 2, Map.of());
        s.askUntil(
                FindCoordinatorResponseData.class,
                new FindCoordinatorRequestData()
                        .setKeyType(SHARE)
                        .setCoordinatorKeys(List.of(s.name("g") + ":" + topic.id() + ":0")),
                answer -> answer.coordinators().get(0).errorCode() == Errors.NONE.code());
        s.askUntil(
                InitializeShareGroupStateResponseData.class,
                initialize(s, topic.id(), 0, 3),
                answer -> answer.results().get(0).partitions().get(0).errorCode() == Errors.NONE.code());
        return topic;
    }

    private static InitializeShareGroupStateRequestData initialize(
            Session s, Uuid topic, int partition, int stateEpoch) {
        return new InitializeShareGroupStateRequestData()
                .setGroupId(s.name("g"))
                .setTopics(List.of(new InitializeShareGroupStateRequestData.InitializeStateData()
                        .setTopicId(topic)
                        .setPartitions(List.of(new InitializeShareGroupStateRequestData.PartitionData()
                                .setPartition(partition)
                                .setStateEpoch(stateEpoch)
                                .setStartOffset(5)))));
    }

    private static ReadShareGroupStateRequestData read(Session s, Uuid topic, int partition, int leaderEpoch) {
        return new ReadShareGroupStateRequestData()
                .setGroupId(s.name("g"))
                .setTopics(List.of(new ReadShareGroupStateRequestData.ReadStateData()
                        .setTopicId(topic)
                        .setPartitions(List.of(new ReadShareGroupStateRequestData.PartitionData()
                                .setPartition(partition)
                                .setLeaderEpoch(leaderEpoch)))));
    }

    private static ReadShareGroupStateSummaryRequestData summary(
            Session s, Uuid topic, int partition, int leaderEpoch) {
        return new ReadShareGroupStateSummaryRequestData()
                .setGroupId(s.name("g"))
                .setTopics(List.of(new ReadShareGroupStateSummaryRequestData.ReadStateSummaryData()
                        .setTopicId(topic)
                        .setPartitions(List.of(new ReadShareGroupStateSummaryRequestData.PartitionData()
                                .setPartition(partition)
                                .setLeaderEpoch(leaderEpoch)))));
    }

    private static WriteShareGroupStateRequestData write(
            Session s, Uuid topic, int partition, int stateEpoch, int leaderEpoch) {
        return new WriteShareGroupStateRequestData()
                .setGroupId(s.name("g"))
                .setTopics(List.of(new WriteShareGroupStateRequestData.WriteStateData()
                        .setTopicId(topic)
                        .setPartitions(List.of(new WriteShareGroupStateRequestData.PartitionData()
                                .setPartition(partition)
                                .setStateEpoch(stateEpoch)
                                .setLeaderEpoch(leaderEpoch)
                                .setStartOffset(6)
                                .setStateBatches(List.of(
                                        new StateBatch()
                                                .setFirstOffset(6)
                                                .setLastOffset(9)
                                                .setDeliveryState((byte) 2)
                                                .setDeliveryCount((short) 1),
                                        new StateBatch()
                                                .setFirstOffset(10)
                                                .setLastOffset(12)
                                                .setDeliveryState((byte) 0)
                                                .setDeliveryCount((short) 2)))))));
    }

    private static DeleteShareGroupStateRequestData delete(Session s, Uuid topic, int partition) {
        return new DeleteShareGroupStateRequestData()
                .setGroupId(s.name("g"))
                .setTopics(List.of(new DeleteShareGroupStateRequestData.DeleteStateData()
                        .setTopicId(topic)
                        .setPartitions(List.of(
                                new DeleteShareGroupStateRequestData.PartitionData().setPartition(partition)))));
    }
}
