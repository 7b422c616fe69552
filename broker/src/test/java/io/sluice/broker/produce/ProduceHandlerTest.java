package io.sluice.broker.produce;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.sluice.base.metadata.TopicImage;
import io.sluice.broker.simulation.Batches;
import io.sluice.broker.simulation.RecordingCall;
import io.sluice.protocol.record.BatchView;
import io.sluice.protocol.record.CompressionCodec;
import io.sluice.storage.log.LogState;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.BatchIndexAndErrorMessage;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.ProduceResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProduceHandlerTest {
    private static final long NOW = ProduceWorld.START_MILLIS;

    private final ProduceWorld world = new ProduceWorld();

    @Test
    void acknowledgesWithTheOffsetOfTheFirstRecord() {
        world.createTopic("t");
        world.produce("t", Batches.of(NOW, "a", "b", "c"));

        PartitionProduceResponse answer = world.produce("t", Batches.of(NOW, "d"));

        assertThat(answer.errorCode()).isEqualTo(Errors.NONE.code());
        assertThat(answer.baseOffset()).isEqualTo(3);
        assertThat(answer.logAppendTimeMs()).isEqualTo(-1);
        assertThat(answer.logStartOffset()).isZero();
        assertThat(world.log("t", 0).endOffset()).isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(shorts = {-1, 1})
    void doesNotAnswerBeforeTheRecordsAreDurable(short acks) {
        world.createTopic("t");
        world.logs.setFlushesAtOnce(false);
        world.acks = acks;

        RecordingCall<ProduceRequest> call = world.send("t", 0, Batches.of(NOW, "a"));
        assertThat(call.isAnswered()).isFalse();
        world.logs.flush();

        assertError(world.answer(call), Errors.NONE);
    }

    @Test
    void answersOnceWhenAllPartitionsAreDurable() {
        world.createTopic("t");
        world.createTopic("u");
        world.logs.setFlushesAtOnce(false);
        ProduceRequestData data = new ProduceRequestData();
        data.topicData().add(topic("t", 0, 1));
        data.topicData().add(topic("u", 1, 7));

        RecordingCall<ProduceRequest> call = world.send(data);
        world.log("t", 0).flush();
        world.log("u", 1).flush();
        assertThat(call.isAnswered()).isFalse();
        world.log("t", 1).flush();

        var topics = ((ProduceResponse) call.response()).data().responses();
        assertThat(topics).extracting("name").containsExactly("t", "u");
        Iterator<ProduceResponseData.TopicProduceResponse> each = topics.iterator();
        assertThat(each.next().partitionResponses())
                .extracting(PartitionProduceResponse::errorCode)
                .containsOnly(Errors.NONE.code());
        assertThat(each.next().partitionResponses())
                .extracting(PartitionProduceResponse::errorCode)
                .containsExactly(Errors.NONE.code(), Errors.UNKNOWN_TOPIC_OR_PARTITION.code());
    }

    private static TopicProduceData topic(String name, int... partitions) {
        TopicProduceData topic = new TopicProduceData().setName(name);
        for (int partition : partitions) {
            topic.partitionData()
                    .add(new PartitionProduceData().setIndex(partition).setRecords(Batches.of(NOW, "v" + partition)));
        }
        return topic;
    }

    @Test
    void anAcksZeroSuccessHasNoBytesAndDoesNotWait() {
        world.createTopic("t");
        world.logs.setFlushesAtOnce(false);
        world.acks = 0;

        RecordingCall<ProduceRequest> call = world.send("t", 0, Batches.of(NOW, "a"));

        assertThat(call.isNothing()).isTrue();
        assertThat(world.log("t", 0).endOffset()).isEqualTo(1);
    }

    @Test
    void anAcksZeroFailureClosesTheConnection() {
        world.acks = 0;

        assertThat(world.send("missing", 0, Batches.of(NOW, "a")).closeReason())
                .contains("acks=0", "UNKNOWN_TOPIC_OR_PARTITION");
    }

    @ParameterizedTest
    @ValueSource(shorts = {2, -2, 100})
    void refusesOtherAcks(short acks) {
        world.createTopic("t");
        world.acks = acks;

        assertError(world.produce("t", Batches.of(NOW, "a")), Errors.INVALID_REQUIRED_ACKS);
        assertThat(world.log("t", 0).endOffset()).isZero();
    }

    @Test
    void unknownTopicsAndPartitions() {
        TopicImage topic = world.createTopic("t");

        assertError(world.produce("missing", Batches.of(NOW, "a")), Errors.UNKNOWN_TOPIC_OR_PARTITION);
        assertError(world.answer(world.send("t", 2, Batches.of(NOW, "a"))), Errors.UNKNOWN_TOPIC_OR_PARTITION);
        assertError(world.answer(world.send("t", -1, Batches.of(NOW, "a"))), Errors.UNKNOWN_TOPIC_OR_PARTITION);
        world.version = 13;
        assertError(world.answer(world.send(new Uuid(9, 9), 0, Batches.of(NOW, "a"))), Errors.UNKNOWN_TOPIC_ID);
        Uuid id = new Uuid(topic.id().mostSignificantBits(), topic.id().leastSignificantBits());
        assertError(world.answer(world.send(id, 0, Batches.of(NOW, "a"))), Errors.NONE);
        assertError(world.answer(world.send(id, 2, Batches.of(NOW, "a"))), Errors.UNKNOWN_TOPIC_OR_PARTITION);
    }

    @Test
    void theAnswerByTopicIdNamesTheTopicById() {
        TopicImage topic = world.createTopic("t");
        world.version = 13;
        Uuid id = new Uuid(topic.id().mostSignificantBits(), topic.id().leastSignificantBits());

        ProduceResponse response =
                (ProduceResponse) world.send(id, 0, Batches.of(NOW, "a")).response();

        assertThat(response.data().responses().iterator().next().topicId()).isEqualTo(id);
    }

    @Test
    void recordSetsThatAreNotOneSoundBatch() {
        world.createTopic("t");
        byte[] sound = bytes(Batches.of(NOW, "a", "b"));

        assertError(world.produce("t", null), Errors.INVALID_RECORD);
        assertError(world.produce("t", MemoryRecords.EMPTY), Errors.INVALID_RECORD);
        assertError(world.produce("t", changed(sound, 70, 0x55)), Errors.CORRUPT_MESSAGE);
        assertError(world.produce("t", cut(sound, sound.length - 3)), Errors.INVALID_RECORD);
        assertError(world.produce("t", twice(sound)), Errors.INVALID_RECORD);
        assertError(world.produce("t", changed(sound, 7, 1)), Errors.INVALID_RECORD);
        assertError(world.produce("t", changed(sound, 16, 1)), Errors.INVALID_RECORD);
        assertError(world.produce("t", withCrc(changedBytes(sound, 26, 4))), Errors.INVALID_RECORD);
        assertError(
                world.produce(
                        "t",
                        Batches.batch(
                                CompressionCodec.NONE, b -> b.control(true).append(NOW, new byte[4], new byte[6]))),
                Errors.INVALID_RECORD);
        assertThat(world.log("t", 0).endOffset()).isZero();
    }

    private static byte[] bytes(MemoryRecords records) {
        ByteBuffer buffer = records.buffer();
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    private static byte[] changedBytes(byte[] sound, int index, int value) {
        byte[] changed = sound.clone();
        changed[index] = (byte) value;
        return changed;
    }

    private static MemoryRecords changed(byte[] sound, int index, int value) {
        return MemoryRecords.readableRecords(ByteBuffer.wrap(changedBytes(sound, index, value)));
    }

    private static MemoryRecords withCrc(byte[] bytes) {
        new BatchView().wrap(Unpooled.wrappedBuffer(bytes)).rewriteCrc();
        return MemoryRecords.readableRecords(ByteBuffer.wrap(bytes));
    }

    private static MemoryRecords cut(byte[] sound, int length) {
        return MemoryRecords.readableRecords(ByteBuffer.wrap(sound, 0, length).slice());
    }

    private static MemoryRecords twice(byte[] sound) {
        ByteArrayOutputStream both = new ByteArrayOutputStream();
        both.writeBytes(sound);
        both.writeBytes(sound);
        return MemoryRecords.readableRecords(ByteBuffer.wrap(both.toByteArray()));
    }

    @Test
    void zstdNeedsVersionSeven() {
        world.createTopic("t");
        MemoryRecords zstd = MemoryRecords.withRecords(
                Compression.zstd().build(), new SimpleRecord(NOW, new byte[] {1}, new byte[] {2}));
        world.version = 6;
        assertError(world.produce("t", zstd), Errors.UNSUPPORTED_COMPRESSION_TYPE);
        world.version = 7;
        assertError(world.produce("t", zstd), Errors.NONE);
    }

    @Test
    void storesInTheTopicsCodec() {
        world.createTopic("t", "compression.type", "lz4");
        MemoryRecords gzip = MemoryRecords.withRecords(
                Compression.gzip().build(), new SimpleRecord(NOW, new byte[] {1}, new byte[200]));

        assertError(world.produce("t", gzip), Errors.NONE);

        BatchView stored = new BatchView().wrap(world.log("t", 0).contents());
        assertThat(stored.codec()).isEqualTo(CompressionCodec.LZ4);
        assertThat(stored.isCrcValid()).isTrue();
    }

    @Test
    void aBatchLargerThanTheTopicAllows() {
        world.createTopic("t", "max.message.bytes", "100");

        assertError(world.produce("t", Batches.of(NOW, "x".repeat(100))), Errors.MESSAGE_TOO_LARGE);
    }

    @Test
    void namesTheRecordsWithATimeOutOfRange() {
        world.createTopic("t");

        PartitionProduceResponse answer = world.produce("t", Batches.batch(CompressionCodec.NONE, batch -> {
            batch.append(NOW, new byte[1], new byte[1]);
            batch.append(NOW + TimeUnit.HOURS.toMillis(2), new byte[1], new byte[1]);
        }));

        assertError(answer, Errors.INVALID_TIMESTAMP);
        assertThat(answer.recordErrors())
                .extracting(BatchIndexAndErrorMessage::batchIndex)
                .containsExactly(1);
        assertThat(answer.logStartOffset()).isZero();
    }

    @Test
    void namesTheKeylessRecordsForACompactedTopic() {
        world.createTopic("t", "cleanup.policy", "compact");

        PartitionProduceResponse answer = world.produce("t", Batches.batch(CompressionCodec.GZIP, batch -> {
            batch.append(NOW, new byte[1], new byte[1]);
            batch.append(NOW, null, new byte[1]);
        }));

        assertError(answer, Errors.INVALID_RECORD);
        assertThat(answer.recordErrors())
                .extracting(BatchIndexAndErrorMessage::batchIndex)
                .containsExactly(1);
    }

    @Test
    void stampsTheTimeOfAppend() {
        world.createTopic("t", "message.timestamp.type", "LogAppendTime");

        assertThat(world.produce("t", Batches.of(5, "a")).logAppendTimeMs()).isEqualTo(NOW);

        BatchView stored = new BatchView().wrap(world.log("t", 0).contents());
        assertThat(stored.isLogAppendTime()).isTrue();
        assertThat(stored.maxTimestamp()).isEqualTo(NOW);
    }

    @Test
    void idempotentProducers() {
        world.createTopic("t");

        assertError(world.produce("t", Batches.idempotent(7, 0, 5, NOW, "a", "b")), Errors.NONE);
        PartitionProduceResponse repeated = world.produce("t", Batches.idempotent(7, 0, 5, NOW, "a", "b"));
        assertError(repeated, Errors.NONE);
        assertThat(repeated.baseOffset()).isZero();
        assertError(world.produce("t", Batches.idempotent(7, 0, 9, NOW, "c")), Errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
        assertError(world.produce("t", Batches.idempotent(7, 1, 3, NOW, "d")), Errors.OUT_OF_ORDER_SEQUENCE_NUMBER);
        assertError(world.produce("t", Batches.idempotent(7, 1, 0, NOW, "d")), Errors.NONE);
        assertError(world.produce("t", Batches.idempotent(7, 0, 7, NOW, "e")), Errors.INVALID_PRODUCER_EPOCH);
        assertThat(world.log("t", 0).endOffset()).isEqualTo(3);
    }

    @Test
    void aDuplicateWaitsForItsOriginal() {
        world.createTopic("t");
        world.logs.setFlushesAtOnce(false);
        world.send("t", 0, Batches.idempotent(7, 0, 0, NOW, "a"));

        RecordingCall<ProduceRequest> repeated = world.send("t", 0, Batches.idempotent(7, 0, 0, NOW, "a"));
        assertThat(repeated.isAnswered()).isFalse();
        world.logs.flush();

        assertThat(world.answer(repeated).baseOffset()).isZero();
        assertThat(world.log("t", 0).endOffset()).isEqualTo(1);
    }

    @Test
    void onlyTheAdminClientWritesToInternalTopics() {
        world.createTopic("__consumer_offsets");

        assertError(world.produce("__consumer_offsets", Batches.of(NOW, "a")), Errors.INVALID_TOPIC_EXCEPTION);
        world.clientId = "__admin_client";
        assertError(world.produce("__consumer_offsets", Batches.of(NOW, "a")), Errors.NONE);
    }

    @Test
    void partitionsThatThisNodeDoesNotServe() {
        TopicImage topic = world.createTopic("t");
        world.log("t", 0).become(LogState.SEALED);
        world.cluster.release(topic.partitionId(1));
        world.version = 10;

        assertError(world.produce("t", Batches.of(NOW, "a")), Errors.NOT_LEADER_OR_FOLLOWER);
        PartitionProduceResponse released = world.answer(world.send("t", 1, Batches.of(NOW, "a")));
        assertError(released, Errors.NOT_LEADER_OR_FOLLOWER);
        assertThat(released.currentLeader().leaderId()).isEqualTo(2);
    }

    @Test
    void aFailedDiskIsAStorageError() {
        world.createTopic("t");
        world.log("t", 0).become(LogState.FAILED);

        assertError(world.produce("t", Batches.of(NOW, "a")), Errors.KAFKA_STORAGE_ERROR);
    }

    @Test
    void aTopicDeletedWhileItsRecordsAreFlushedIsUnknown() {
        world.createTopic("t");
        world.logs.setFlushesAtOnce(false);
        RecordingCall<ProduceRequest> call = world.send("t", 0, Batches.of(NOW, "a"));

        world.log("t", 0).become(LogState.DELETED);
        world.log("t", 0).failFlush();

        assertError(world.answer(call), Errors.UNKNOWN_TOPIC_OR_PARTITION);
    }

    @Test
    void anUnknownOutcomeIsAStorageError() {
        world.createTopic("t");
        world.logs.setFlushesAtOnce(false);
        RecordingCall<ProduceRequest> call = world.send("t", 0, Batches.of(NOW, "a"));

        world.log("t", 0).failFlush();

        assertError(world.answer(call), Errors.KAFKA_STORAGE_ERROR);
        assertThat(world.answer(call).baseOffset()).isEqualTo(-1);
    }

    @Test
    void aFullBufferSuspendsTheConnectionUntilThereIsRoom() {
        world.createTopic("t");
        world.logs.setFull(true);
        ProduceRequestData data = new ProduceRequestData();
        data.topicData().add(topic("t", 0, 1));

        RecordingCall<ProduceRequest> call = world.send(data);
        assertThat(call.isSuspended()).isTrue();
        assertThat(call.isAnswered()).isFalse();
        world.logs.setFull(false);

        assertThat(call.isSuspended()).isFalse();
        assertError(world.answer(call), Errors.NONE);
        assertThat(world.log("t", 0).endOffset()).isEqualTo(1);
        assertThat(world.log("t", 1).endOffset()).isEqualTo(1);
    }

    @Test
    void aFullBufferIsGivenUpWhenTheTimeOutPasses() {
        world.createTopic("t", "compression.type", "zstd");
        world.logs.setFull(true);
        RecordingCall<ProduceRequest> call = world.send("t", 0, Batches.of(NOW, "a"));

        world.time.advanceNanos(TimeUnit.MILLISECONDS.toNanos(ProduceWorld.TIMEOUT_MILLIS + 200));

        assertError(world.answer(call), Errors.REQUEST_TIMED_OUT);
        assertThat(call.isSuspended()).isFalse();
        world.logs.setFull(false);
        assertThat(world.log("t", 0).endOffset()).isZero();
    }

    @Test
    void recordsNotDurableWithinTheTimeOutAreAnsweredSo() {
        world.createTopic("t");
        world.logs.setFlushesAtOnce(false);
        RecordingCall<ProduceRequest> call = world.send("t", 0, Batches.of(NOW, "a"));

        world.time.advanceNanos(TimeUnit.MILLISECONDS.toNanos(ProduceWorld.TIMEOUT_MILLIS - 200));
        assertThat(call.isAnswered()).isFalse();
        world.time.advanceNanos(TimeUnit.MILLISECONDS.toNanos(400));

        assertError(world.answer(call), Errors.REQUEST_TIMED_OUT);
        world.logs.flush();
        assertThat(world.time.pendingTimers()).isLessThanOrEqualTo(1);
    }

    @Test
    void aRequestWhoseTimeOutHasPassedChangesNothing() {
        world.createTopic("t");
        world.timeoutMillis = 100;
        ProduceRequestData data = new ProduceRequestData().setAcks((short) -1).setTimeoutMs(100);
        data.topicData().add(topic("t", 0));
        RecordingCall<ProduceRequest> call =
                new RecordingCall<>(ProduceWorld.overTheWire(data, (short) 9), world.connection, world.time.nanoTime());
        world.time.advanceNanos(TimeUnit.MILLISECONDS.toNanos(1050));

        world.handler.handle(call);

        assertError(world.answer(call), Errors.REQUEST_TIMED_OUT);
        assertThat(world.log("t", 0).endOffset()).isZero();
    }

    @Test
    void ofAPartitionNamedTwiceTheOlderBatchAloneIsDurableSooner() {
        world.createTopic("t");
        world.produce("t", Batches.idempotent(7, 0, 0, NOW, "a"));
        world.logs.setFlushesAtOnce(false);
        TopicProduceData twice = new TopicProduceData().setName("t");
        for (int sequence : new int[] {1, 0}) {
            twice.partitionData()
                    .add(new PartitionProduceData()
                            .setIndex(0)
                            .setRecords(Batches.idempotent(7, 0, sequence, NOW, sequence == 0 ? "a" : "b")));
        }
        ProduceRequestData data = new ProduceRequestData();
        data.topicData().add(twice);
        RecordingCall<ProduceRequest> call = world.send(data);
        assertThat(call.isAnswered()).isFalse();

        world.time.advanceNanos(TimeUnit.MILLISECONDS.toNanos(ProduceWorld.TIMEOUT_MILLIS + 200));

        ProduceResponse response = (ProduceResponse) call.response();
        assertThat(response.data().responses().iterator().next().partitionResponses())
                .extracting(PartitionProduceResponse::errorCode)
                .containsExactly(Errors.REQUEST_TIMED_OUT.code(), Errors.NONE.code());
    }

    @Test
    void aTimeOutShorterThanAFlushMayTakeIsNotTakenAtItsWord() {
        world.createTopic("t");
        world.logs.setFlushesAtOnce(false);
        world.timeoutMillis = 0;
        RecordingCall<ProduceRequest> call = world.send("t", 0, Batches.of(NOW, "a"));

        world.time.advanceNanos(TimeUnit.MILLISECONDS.toNanos(900));
        assertThat(call.isAnswered()).isFalse();
        world.logs.flush();

        assertError(world.answer(call), Errors.NONE);
    }

    @Test
    void countsWhatWasAppended() throws java.io.IOException {
        world.createTopic("t");
        world.produce("t", Batches.of(NOW, "a", "b", "c"));

        assertThat(metricsText())
                .contains("sluice_topic_in_records_total{topic=\"t\"} 3.0")
                .contains("sluice_topic_publish_seconds_count{topic=\"t\"} 1")
                .contains("sluice_publish_seconds_count 1");
        world.cluster.deleteTopic("t");
        assertThat(metricsText()).doesNotContain("topic=\"t\"");
    }

    private String metricsText() throws java.io.IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        world.metrics.writeText(out);
        return out.toString(java.nio.charset.StandardCharsets.UTF_8);
    }

    private static void assertError(PartitionProduceResponse answer, Errors error) {
        assertThat(Errors.forCode(answer.errorCode())).as("%s", answer).isEqualTo(error);
        if (error != Errors.NONE) {
            assertThat(answer.errorMessage()).isNotBlank();
            assertThat(answer.baseOffset()).isEqualTo(-1);
        }
    }
}
