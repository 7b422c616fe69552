package io.sluice.broker.produce;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.simulation.Batches;
import io.sluice.broker.simulation.RecordingCall;
import io.sluice.coordinator.transaction.ScriptedTransactions.Question;
import io.sluice.protocol.record.CompressionCodec;
import io.sluice.storage.log.PartitionLog;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.ProduceResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Batches of transactions: what is asked of the coordinator, and what comes of its answers (KIP-890). */
class TransactionalProduceTest {
    private static final long NOW = ProduceWorld.START_MILLIS;
    private static final long PRODUCER = 5;

    private final ProduceWorld world = new ProduceWorld();

    @BeforeEach
    void createTopic() {
        world.createTopic("t");
        world.logs.setFlushesAtOnce(true);
        world.transactionalId = "tx";
    }

    private static MemoryRecords batch(long producerId, String value) {
        return Batches.batch(
                CompressionCodec.NONE,
                builder -> Batches.addAll(
                        builder.producer(producerId, (short) 2, 0).transactional(true), NOW, value));
    }

    private static ProduceRequestData twoPartitions(long firstProducer, long secondProducer) {
        TopicProduceData topic = new TopicProduceData().setName("t");
        topic.partitionData().add(new PartitionProduceData().setIndex(0).setRecords(batch(firstProducer, "a")));
        topic.partitionData().add(new PartitionProduceData().setIndex(1).setRecords(batch(secondProducer, "b")));
        ProduceRequestData data = new ProduceRequestData();
        data.topicData().add(topic);
        return data;
    }

    private static List<Errors> errors(RecordingCall<ProduceRequest> call) {
        return ((ProduceResponse) call.response())
                .data().responses().iterator().next().partitionResponses().stream()
                        .map(partition -> Errors.forCode(partition.errorCode()))
                        .toList();
    }

    private void needVerification(long guard) {
        world.log("t", 0).setVerification(guard);
        world.log("t", 1).setVerification(guard);
    }

    @Test
    void asksOnceForAllPartitionsAndAppendsWithTheGuards() {
        needVerification(7);
        world.transactions.hold();
        RecordingCall<ProduceRequest> call = world.send(twoPartitions(PRODUCER, PRODUCER));

        assertThat(call.isAnswered()).isFalse();
        assertThat(call.isSuspended()).as("later requests wait").isTrue();
        assertThat(world.log("t", 0).endOffset()).isZero();
        assertThat(world.transactions.questions).hasSize(1);
        Question question = world.transactions.questions.get(0);
        assertThat(question.transactionalId()).isEqualTo("tx");
        assertThat(question.producerId()).isEqualTo(PRODUCER);
        assertThat(question.producerEpoch()).isEqualTo((short) 2);
        assertThat(question.partitions())
                .containsExactlyInAnyOrder(new TopicPartition("t", 0), new TopicPartition("t", 1));
        assertThat(question.adds()).isFalse();

        world.transactions.answerAll();
        assertThat(errors(call)).containsExactly(Errors.NONE, Errors.NONE);
        assertThat(call.isSuspended()).isFalse();
        assertThat(world.log("t", 0).guards()).containsExactly(7L);
        assertThat(world.log("t", 1).guards()).containsExactly(7L);
    }

    @Test
    void doesNotAskWhereTheTransactionIsOpenAlready() {
        assertThat(errors(world.send(twoPartitions(PRODUCER, PRODUCER)))).containsExactly(Errors.NONE, Errors.NONE);
        assertThat(world.transactions.questions).isEmpty();
        assertThat(world.log("t", 0).guards()).containsExactly(PartitionLog.NO_GUARD);
    }

    @Test
    void refusesThePartitionAloneThatDoesNotBelongToTheTransaction() {
        needVerification(7);
        world.transactions.answer(partition -> partition.partition() == 0 ? Errors.NONE : Errors.INVALID_TXN_STATE);
        assertThat(errors(world.send(twoPartitions(PRODUCER, PRODUCER))))
                .containsExactly(Errors.NONE, Errors.INVALID_TXN_STATE);
        assertThat(world.log("t", 0).endOffset()).isEqualTo(1);
        assertThat(world.log("t", 1).endOffset()).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "9, INVALID_TXN_STATE, INVALID_TXN_STATE",
        "9, PRODUCER_FENCED, INVALID_PRODUCER_EPOCH",
        "9, NOT_COORDINATOR, NOT_ENOUGH_REPLICAS",
        "9, COORDINATOR_LOAD_IN_PROGRESS, NOT_ENOUGH_REPLICAS",
        "9, CONCURRENT_TRANSACTIONS, NOT_ENOUGH_REPLICAS",
        "10, TRANSACTION_ABORTABLE, INVALID_TXN_STATE",
        "11, TRANSACTION_ABORTABLE, TRANSACTION_ABORTABLE",
        "12, INVALID_PRODUCER_ID_MAPPING, INVALID_PRODUCER_ID_MAPPING",
    })
    void saysTheCoordinatorsErrorAsTheVersionKnowsIt(short version, Errors coordinator, Errors client) {
        needVerification(7);
        world.version = version;
        world.transactions.answer(partition -> coordinator);
        assertThat(errors(world.send(twoPartitions(PRODUCER, PRODUCER)))).containsExactly(client, client);
        assertThat(world.log("t", 0).endOffset()).isZero();
    }

    @Test
    void waitsForTheEndBeforeInsteadOfTheClientForAWhile() {
        needVerification(7);
        world.version = 12;
        world.transactions.answer(partition -> Errors.CONCURRENT_TRANSACTIONS);
        RecordingCall<ProduceRequest> patient = world.send(twoPartitions(PRODUCER, PRODUCER));
        assertThat(patient.isAnswered()).isFalse();
        assertThat(world.transactions.questions.get(0).adds()).isTrue();
        world.transactions.answer(partition -> Errors.NONE);
        world.time.advanceNanos(TimeUnit.MILLISECONDS.toNanos(20));
        assertThat(errors(patient)).containsExactly(Errors.NONE, Errors.NONE);

        world.transactions.answer(partition -> Errors.CONCURRENT_TRANSACTIONS);
        RecordingCall<ProduceRequest> inVain = world.send(twoPartitions(PRODUCER, PRODUCER));
        world.time.advanceNanos(TimeUnit.MILLISECONDS.toNanos(99));
        world.time.advanceNanos(TimeUnit.MILLISECONDS.toNanos(21));
        assertThat(errors(inVain)).containsExactly(Errors.CONCURRENT_TRANSACTIONS, Errors.CONCURRENT_TRANSACTIONS);
    }

    /** The marker of the transaction before ends what was begun in the log while the coordinator is asked. */
    @Test
    void beginsAnewWhatAMarkerHasEndedWhileItWaited() {
        needVerification(7);
        world.version = 12;
        world.transactions.answer(partition -> {
            needVerification(8);
            return Errors.NONE;
        });

        assertThat(errors(world.send(twoPartitions(PRODUCER, PRODUCER)))).containsExactly(Errors.NONE, Errors.NONE);

        assertThat(world.log("t", 0).guards()).containsExactly(8L);
        assertThat(world.log("t", 1).guards()).containsExactly(8L);
        assertThat(world.transactions.questions).hasSize(2);
    }

    @Test
    void leavesWhatAMarkerHasEndedToTheLogWhereTheClientAddsPartitions() {
        needVerification(7);
        world.version = 11;
        world.transactions.answer(partition -> {
            needVerification(8);
            return Errors.NONE;
        });

        RecordingCall<ProduceRequest> unused = world.send(twoPartitions(PRODUCER, PRODUCER));

        assertThat(world.log("t", 0).guards()).containsExactly(7L);
        assertThat(world.transactions.questions).hasSize(1);
    }

    @Test
    void refusesTheWholeRequestWithoutATransactionalIdOrOfTwoProducers() {
        assertThat(errors(world.send(twoPartitions(PRODUCER, 6))))
                .containsExactly(Errors.INVALID_PRODUCER_ID_MAPPING, Errors.INVALID_PRODUCER_ID_MAPPING);
        world.transactionalId = null;
        assertThat(errors(world.send(twoPartitions(PRODUCER, PRODUCER))))
                .containsExactly(
                        Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED);
        assertThat(world.log("t", 0).endOffset()).isZero();
    }

    /** Not even from the client to which Kafka leaves internal topics open: the coordinator would have to load again. */
    @ParameterizedTest
    @ValueSource(strings = {"__transaction_state", "__share_group_state"})
    void takesNoTransactionIntoTheStateOfACoordinator(String topic) {
        world.clientId = "__admin_client";
        world.createTopic(topic);
        world.log(topic, 0).setVerification(7);
        world.version = 12;
        ProduceRequestData data = twoPartitions(PRODUCER, PRODUCER);
        data.topicData().iterator().next().setName(topic);

        assertThat(errors(world.send(data)))
                .containsExactly(Errors.INVALID_TOPIC_EXCEPTION, Errors.INVALID_TOPIC_EXCEPTION);

        assertThat(world.transactions.questions).isEmpty();
        assertThat(world.log(topic, 0).endOffset()).isZero();
    }

    @Test
    void aBatchWithoutAProducerIsNoPartOfATransaction() {
        needVerification(7);
        assertThat(errors(world.send(twoPartitions(-1, PRODUCER)))).containsExactly(Errors.INVALID_RECORD, Errors.NONE);
        assertThat(world.transactions.questions.get(0).partitions()).containsExactly(new TopicPartition("t", 1));
        assertThat(world.log("t", 0).endOffset()).isZero();
    }

    @Test
    void endsTheVerificationThatWasRefusedForGood() {
        needVerification(7);
        world.transactions.answer(
                partition -> partition.partition() == 0 ? Errors.INVALID_TXN_STATE : Errors.COORDINATOR_NOT_AVAILABLE);
        world.send(twoPartitions(PRODUCER, PRODUCER));
        assertThat(world.log("t", 0).endedVerifications()).containsExactly(7L);
        assertThat(world.log("t", 1).endedVerifications()).as("sent again soon").isEmpty();
    }

    @Test
    void tooManyAtATimeIsToTryAgain() {
        needVerification(PartitionLog.TOO_MANY);
        assertThat(errors(world.send(twoPartitions(PRODUCER, PRODUCER))))
                .containsExactly(Errors.NOT_ENOUGH_REPLICAS, Errors.NOT_ENOUGH_REPLICAS);
        assertThat(world.transactions.questions).isEmpty();
    }

    @Test
    void aFencedProducerIsToldWithoutAsking() {
        needVerification(PartitionLog.STALE_EPOCH);
        assertThat(errors(world.send(twoPartitions(PRODUCER, PRODUCER))))
                .containsExactly(Errors.INVALID_PRODUCER_EPOCH, Errors.INVALID_PRODUCER_EPOCH);
        assertThat(world.transactions.questions).isEmpty();
    }

    @Test
    void aCoordinatorThatDoesNotAnswerInTimeChangesNothingLater() {
        needVerification(7);
        world.transactions.hold();
        RecordingCall<ProduceRequest> call = world.send(twoPartitions(PRODUCER, PRODUCER));
        world.time.advanceNanos(TimeUnit.MILLISECONDS.toNanos(ProduceWorld.TIMEOUT_MILLIS + 1_000));
        assertThat(errors(call)).containsExactly(Errors.REQUEST_TIMED_OUT, Errors.REQUEST_TIMED_OUT);
        assertThat(call.isSuspended()).isFalse();
        world.transactions.answerAll();
        assertThat(world.log("t", 0).endOffset()).isZero();
    }
}
