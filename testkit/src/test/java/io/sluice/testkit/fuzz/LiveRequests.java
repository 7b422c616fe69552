package io.sluice.testkit.fuzz;

import io.sluice.testkit.wire.RawConnection;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.AddOffsetsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.InitializeShareGroupStateRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ShareAcknowledgeRequestData;
import org.apache.kafka.common.message.ShareFetchRequestData;
import org.apache.kafka.common.message.ShareFetchResponseData;
import org.apache.kafka.common.message.TxnOffsetCommitRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;

/**
 * What one client can ask for with success right now: a transaction that it has begun, with the epoch that its producer has, and a
 * share session of the connection that it fuzzes on, with records that it holds. Requests of a corpus, which are some time old, do
 * not get past the checks of either. One thread.
 */
final class LiveRequests {
    private static final int INIT_VERSION = 5;
    /** The last version for clients. */
    private static final int ADD_PARTITIONS_VERSION = 3;
    /** The last version that names topics. */
    private static final int PRODUCE_VERSION = 12;

    private static final int SHARE_VERSION = 1;
    private static final int INITIALIZE_VERSION = 0;
    private static final int TRANSACTION_MILLIS = 60_000;
    private static final int TIMEOUT_MILLIS = 10_000;
    /** So long it may take to load a share partition that nobody has read since. */
    private static final int SHARE_WAIT_MILLIS = 100;

    private static final int MAX_RECORDS = 10;
    private static final int MAX_BYTES = 1 << 20;
    private static final byte RELEASE = 2;
    private static final byte REJECT = 3;

    private final Random random;
    private final Corpus corpus;
    private final Topic topic;
    private final String name;
    private final String member = Uuid.randomUuid().toString();
    /** Offsets that the member holds and has said nothing of. */
    private final List<Long> held = new ArrayList<>();

    private long producerId;
    private short producerEpoch;
    private boolean inTransaction;
    private int shareEpoch;
    private boolean inSession;
    private boolean hasGroup;

    /** With a partition 0 that everybody may write to. */
    record Topic(String name, Uuid id) {}

    /**
     * Nothing is alive yet.
     *
     * @param name no other client has it
     */
    LiveRequests(Random random, Corpus corpus, Topic topic, String name) {
        this.random = random;
        this.corpus = corpus;
        this.topic = topic;
        this.name = name;
    }

    /** Begins a transaction and a share session, in place of those before. */
    void begin(RawConnection connection) throws IOException {
        beginTransaction(connection);
        beginSession(connection);
    }

    private void beginTransaction(RawConnection connection) throws IOException {
        InitProducerIdResponseData producer = connection.call(
                InitProducerIdResponseData.class,
                INIT_VERSION,
                new InitProducerIdRequestData()
                        .setTransactionalId(name)
                        .setTransactionTimeoutMs(TRANSACTION_MILLIS)
                        .setProducerId(-1)
                        .setProducerEpoch((short) -1));
        // The markers of the transaction before may be on their way.
        inTransaction = producer.errorCode() == Errors.NONE.code();
        if (inTransaction) {
            producerId = producer.producerId();
            producerEpoch = producer.producerEpoch();
            connection.call(ADD_PARTITIONS_VERSION, addPartitions());
        }
    }

    private void beginSession(RawConnection connection) throws IOException {
        if (!hasGroup) {
            hasGroup = true;
            connection.call(INITIALIZE_VERSION, initialize());
        }
        connection.call(PRODUCE_VERSION, produce());
        ShareFetchResponseData answer =
                connection.call(ShareFetchResponseData.class, SHARE_VERSION, shareFetch(0, SHARE_WAIT_MILLIS));
        inSession = answer.errorCode() == Errors.NONE.code();
        shareEpoch = 1;
        held.clear();
        answer.responses().stream()
                .flatMap(response -> response.partitions().stream())
                .flatMap(partition -> partition.acquiredRecords().stream())
                .forEach(range -> {
                    for (long offset = range.firstOffset(); offset <= range.lastOffset(); offset++) {
                        held.add(offset);
                    }
                });
    }

    /** The connection is gone, and with it the share session. */
    void forgetSession() {
        inSession = false;
    }

    /** Whether there is something to ask for. */
    boolean any() {
        return inTransaction || inSession;
    }

    /**
     * A right request.
     *
     * @param unspoiled whether it is sent as it is; else nobody knows what the session is at after it
     */
    Seed pick(boolean unspoiled) {
        boolean ofSession = inSession && (!inTransaction || random.nextBoolean());
        ApiMessage body = ofSession ? ofSession(unspoiled) : ofTransaction();
        ApiKeys api = ApiKeys.forId(body.apiKey());
        List<Short> versions = corpus.versions(api).stream()
                .filter(version -> api != ApiKeys.ADD_PARTITIONS_TO_TXN || version <= ADD_PARTITIONS_VERSION)
                .toList();
        return Seed.of(api, versions.get(random.nextInt(versions.size())), body);
    }

    // ---- Of the transaction

    private ApiMessage ofTransaction() {
        return switch (random.nextInt(6)) {
            case 0 -> addPartitions();
            case 1 ->
                new AddOffsetsToTxnRequestData()
                        .setTransactionalId(name)
                        .setProducerId(producerId)
                        .setProducerEpoch(producerEpoch)
                        .setGroupId(name);
            case 2 -> commitOffset();
            default ->
                new EndTxnRequestData()
                        .setTransactionalId(name)
                        .setProducerId(producerId)
                        .setProducerEpoch(producerEpoch)
                        .setCommitted(random.nextBoolean());
        };
    }

    private AddPartitionsToTxnRequestData addPartitions() {
        AddPartitionsToTxnRequestData request = new AddPartitionsToTxnRequestData()
                .setV3AndBelowTransactionalId(name)
                .setV3AndBelowProducerId(producerId)
                .setV3AndBelowProducerEpoch(producerEpoch);
        request.v3AndBelowTopics()
                .add(new AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic()
                        .setName(topic.name())
                        .setPartitions(List.of(0)));
        return request;
    }

    private TxnOffsetCommitRequestData commitOffset() {
        return new TxnOffsetCommitRequestData()
                .setTransactionalId(name)
                .setGroupId(name)
                .setProducerId(producerId)
                .setProducerEpoch(producerEpoch)
                .setTopics(List.of(new TxnOffsetCommitRequestData.TxnOffsetCommitRequestTopic()
                        .setName(topic.name())
                        .setPartitions(List.of(new TxnOffsetCommitRequestData.TxnOffsetCommitRequestPartition()
                                .setPartitionIndex(0)
                                .setCommittedOffset(random.nextInt(100))))));
    }

    // ---- Of the session

    private ApiMessage ofSession(boolean unspoiled) {
        int epoch = shareEpoch++;
        inSession = unspoiled;
        if (held.isEmpty() || random.nextInt(4) == 0) {
            return shareFetch(epoch, 0);
        }
        long offset = held.remove(0);
        ShareAcknowledgeRequestData.AcknowledgePartition partition =
                new ShareAcknowledgeRequestData.AcknowledgePartition()
                        .setPartitionIndex(0)
                        .setAcknowledgementBatches(List.of(new ShareAcknowledgeRequestData.AcknowledgementBatch()
                                .setFirstOffset(offset)
                                .setLastOffset(offset)
                                .setAcknowledgeTypes(List.of(acknowledgement()))));
        ShareAcknowledgeRequestData request = new ShareAcknowledgeRequestData()
                .setGroupId(name)
                .setMemberId(member)
                .setShareSessionEpoch(epoch);
        ShareAcknowledgeRequestData.AcknowledgeTopic of =
                new ShareAcknowledgeRequestData.AcknowledgeTopic().setTopicId(topic.id());
        of.partitions().add(partition);
        request.topics().add(of);
        return request;
    }

    private byte acknowledgement() {
        return switch (random.nextInt(4)) {
            case 0 -> RELEASE;
            case 1 -> REJECT;
            default -> 1;
        };
    }

    private ShareFetchRequestData shareFetch(int epoch, int waitMillis) {
        ShareFetchRequestData request = new ShareFetchRequestData()
                .setGroupId(name)
                .setMemberId(member)
                .setShareSessionEpoch(epoch)
                .setMaxWaitMs(waitMillis)
                .setMinBytes(1)
                .setMaxBytes(MAX_BYTES)
                .setMaxRecords(MAX_RECORDS)
                .setBatchSize(MAX_RECORDS);
        ShareFetchRequestData.FetchTopic of = new ShareFetchRequestData.FetchTopic().setTopicId(topic.id());
        of.partitions().add(new ShareFetchRequestData.FetchPartition().setPartitionIndex(0));
        request.topics().add(of);
        return request;
    }

    /** As the coordinator of a group does when its first member comes. */
    private InitializeShareGroupStateRequestData initialize() {
        return new InitializeShareGroupStateRequestData()
                .setGroupId(name)
                .setTopics(List.of(new InitializeShareGroupStateRequestData.InitializeStateData()
                        .setTopicId(topic.id())
                        .setPartitions(List.of(new InitializeShareGroupStateRequestData.PartitionData()
                                .setPartition(0)
                                .setStateEpoch(1)
                                .setStartOffset(0)))));
    }

    private ProduceRequestData produce() {
        ProduceRequestData request =
                new ProduceRequestData().setAcks((short) -1).setTimeoutMs(TIMEOUT_MILLIS);
        request.topicData()
                .add(new ProduceRequestData.TopicProduceData()
                        .setName(topic.name())
                        .setPartitionData(new ArrayList<>(List.of(new ProduceRequestData.PartitionProduceData()
                                .setIndex(0)
                                .setRecords(MemoryRecords.withRecords(
                                        Compression.NONE,
                                        new SimpleRecord("live".getBytes(StandardCharsets.UTF_8)),
                                        new SimpleRecord("alive".getBytes(StandardCharsets.UTF_8))))))));
        return request;
    }
}
