package io.sluice.testkit.differential;

import io.sluice.testkit.differential.TransactionSession.Producer;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.AddOffsetsToTxnResponseData;
import org.apache.kafka.common.message.DescribeProducersRequestData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData;
import org.apache.kafka.common.message.WriteTxnMarkersRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** What logs and groups answer about transactions: offsets in one, markers, and who writes. */
final class TransactionDataCases {
    private static final int FIRST_THAT_ADDS = 5;
    private static final int FIRST_WITH_MEMBER = 3;
    private static final int FIRST_BY_ID = 6;
    private static final long NOBODY = 1_000_000_007L;

    private TransactionDataCases() {}

    static void addTo(Cases cases) {
        addOffsets(cases);
        addMarkers(cases);
        addProducers(cases);
        addProduce(cases);
    }

    private static void addOffsets(Cases cases) {
        cases.everyVersion(ApiKeys.TXN_OFFSET_COMMIT, "committed with the transaction", s -> {
            Session.Topic topic = s.createTopic("t");
            GroupSession.awaitCoordinator(s, s.name("g"));
            Producer producer = TransactionSession.begin(s, "id");
            added(s, producer);
            s.record("answer", commit(s, producer, topic));
            s.record("pending", fetch(s, topic));
            s.ask(EndTxnResponseData.class, TransactionSession.end(producer, true));
            TransactionSession.awaitState(s, producer, "CompleteCommit");
            s.record("committed", fetch(s, topic));
        });
        cases.everyVersion(ApiKeys.TXN_OFFSET_COMMIT, "refused", s -> {
            Session.Topic topic = s.createTopic("t");
            GroupSession.awaitCoordinator(s, s.name("g"));
            Producer producer = TransactionSession.begin(s, "id");
            added(s, producer);
            s.record("unknown topic", commit(s, producer, new Session.Topic(s.name("unknown"), new Uuid(6, 6))));
            if (s.version() >= FIRST_WITH_MEMBER) {
                s.record(
                        "unknown member",
                        commit(s, producer, topic).setMemberId("nobody").setGenerationIdOrMemberEpoch(3));
            }
            s.record("fetched", fetch(s, topic));
        });
    }

    /** Clients of the first generation add the group first. */
    private static void added(Session s, Producer producer) throws Exception {
        if (s.version() < FIRST_THAT_ADDS) {
            s.ask(AddOffsetsToTxnResponseData.class, TransactionSession.addOffsets(producer, s.name("g")));
        }
    }

    private static TxnOffsetCommitRequestData commit(Session s, Producer producer, Session.Topic topic) {
        TxnOffsetCommitRequestData request = new TxnOffsetCommitRequestData()
                .setTransactionalId(producer.transactionalId())
                .setGroupId(s.name("g"))
                .setProducerId(producer.id())
                .setProducerEpoch(producer.epoch());
        TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic asked =
                new TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic()
                        .setPartitions(List.of(new TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition()
                                .setPartitionIndex(0)
                                .setCommittedOffset(17)
                                .setCommittedMetadata("note")));
        if (s.version() >= FIRST_BY_ID) {
            asked.setTopicId(topic.id());
        } else {
            asked.setName(topic.name());
        }
        request.topics().add(asked);
        return request;
    }

    private static OffsetFetchRequestData fetch(Session s, Session.Topic topic) {
        return new OffsetFetchRequestData()
                .setGroups(List.of(new OffsetFetchRequestData.OffsetFetchRequestGroup()
                        .setGroupId(s.name("g"))
                        .setTopics(List.of(new OffsetFetchRequestData.OffsetFetchRequestTopics()
                                .setTopicId(topic.id())
                                .setPartitionIndexes(List.of(0))))));
    }

    private static void addMarkers(Cases cases) {
        cases.everyVersion(ApiKeys.WRITE_TXN_MARKERS, "an administrator's abort", s -> {
            Session.Topic topic = s.createTopic("t");
            s.record("nobody's", marker(topic.name(), NOBODY, 3));
            s.record("again", marker(topic.name(), NOBODY, 3));
            s.record("an older epoch", marker(topic.name(), NOBODY, 2));
            s.record("unknown topic", marker(s.name("unknown"), NOBODY, 3));
        });
    }

    private static WriteTxnMarkersRequestData marker(String topic, long producerId, int epoch) {
        WriteTxnMarkersRequestData request = new WriteTxnMarkersRequestData();
        request.markers()
                .add(new WriteTxnMarkersRequestData.WritableTxnMarker()
                        .setProducerId(producerId)
                        .setProducerEpoch((short) epoch)
                        .setTransactionResult(false)
                        .setCoordinatorEpoch(0)
                        .setTopics(List.of(new WriteTxnMarkersRequestData.WritableTxnMarkerTopic()
                                .setName(topic)
                                .setPartitionIndexes(List.of(0)))));
        return request;
    }

    private static void addProducers(Cases cases) {
        cases.everyVersion(ApiKeys.DESCRIBE_PRODUCERS, "who writes", s -> {
            Session.Topic topic = s.createTopic("t");
            s.record("nobody", producers(topic.name(), 0));
            s.record("unknown", producers(s.name("unknown"), 0));
            s.record("unknown partition", producers(topic.name(), 7));
            Producer producer = TransactionSession.ongoing(s, "id", topic);
            s.record("written", write(s, topic, producer, 0));
            s.record("in a transaction", producers(topic.name(), 0));
            s.ask(EndTxnResponseData.class, TransactionSession.end(producer, false));
            TransactionSession.awaitState(s, producer, "CompleteAbort");
            s.record("afterwards", producers(topic.name(), 0));
        });
    }

    private static DescribeProducersRequestData producers(String topic, int partition) {
        DescribeProducersRequestData request = new DescribeProducersRequestData();
        request.topics()
                .add(new DescribeProducersRequestData.TopicRequest()
                        .setName(topic)
                        .setPartitionIndexes(List.of(partition)));
        return request;
    }

    private static void addProduce(Cases cases) {
        cases.everyVersion(ApiKeys.PRODUCE, "in a transaction of the first generation", s -> {
            Session.Topic topic = s.createTopic("t");
            Producer producer = TransactionSession.ongoing(s, "id", topic);
            s.record("first", write(s, topic, producer, 0));
            s.record("second", write(s, topic, producer, 1));
            s.record("another epoch", write(s, topic, producer.withEpoch(4), 0));
            s.record("open", Requests.fetch(topic, 0).setIsolationLevel((byte) 1));
            s.ask(EndTxnResponseData.class, TransactionSession.end(producer, true));
            TransactionSession.awaitState(s, producer, "CompleteCommit");
            // Without the records: the marker bears the broker's own time.
            s.record(
                    FetchResponseData.class,
                    "committed",
                    Requests.fetch(topic, 0).setIsolationLevel((byte) 1),
                    answer -> answer.responses().get(0).partitions().get(0).setRecords(MemoryRecords.EMPTY));
        });
    }

    private static ProduceRequestData write(Session s, Session.Topic topic, Producer producer, int sequence) {
        return Requests.produce(
                        topic,
                        MemoryRecords.withTransactionalRecords(
                                Compression.NONE,
                                producer.id(),
                                producer.epoch(),
                                sequence,
                                Requests.keyed(s.baseMillis(), "k", "v")))
                .setTransactionalId(producer.transactionalId());
    }
}
