package io.sluice.coordinator.transaction;

import static io.sluice.coordinator.transaction.TransactionsHarness.OFFSETS;
import static io.sluice.coordinator.transaction.TransactionsHarness.TIMEOUT_MILLIS;
import static io.sluice.coordinator.transaction.TransactionsHarness.await;
import static io.sluice.coordinator.transaction.TransactionsHarness.partition;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.runtime.InMemoryCluster;
import io.sluice.coordinator.runtime.SteppedTime;
import io.sluice.coordinator.runtime.TransactionEnd;
import io.sluice.coordinator.transaction.TransactionsHarness.Producer;
import io.sluice.storage.log.AppendResult;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ListTransactionsRequestData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LogTransactionsTest {
    private static final TopicPartition P0 = partition(0);
    private static final TopicPartition P1 = partition(1);

    private TransactionsHarness node;

    @BeforeEach
    void start() {
        node = newNode(Map.of());
    }

    /** A node of its own; its logs do everything at once. */
    TransactionsHarness newNode(Map<String, String> configs) {
        return new TransactionsHarness(
                new InMemoryCluster(), new SteppedTime(), new ScriptedMarkers(), new AtomicLong(1000), configs);
    }

    @AfterEach
    void close() {
        node.close();
    }

    private List<TopicPartition> marked(Producer producer, boolean commit) {
        return node.markers.written().stream()
                .filter(written -> written.end().producerId() == producer.producerId())
                .filter(written -> written.end().commit() == commit)
                .map(ScriptedMarkers.Written::partition)
                .toList();
    }

    @Test
    void createsItsTopicWithEightPartitionsOnFirstNeed() {
        assertThat(node.cluster.current().topic("__transaction_state")).isNull();

        node.locate("first");

        assertThat(Objects.requireNonNull(node.cluster.current().topic("__transaction_state"))
                        .partitions())
                .hasSize(8);
    }

    @Test
    void staysIdleUntilSomebodyNeedsATransaction() {
        node.time.advanceMillis(60_000);

        assertThat(node.list(new ListTransactionsRequestData()).transactionStates())
                .isEmpty();
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().startsWith("transaction-coordinator"));
    }

    @Test
    void sendsAClientThatDidNotLookForTheCoordinatorToDoSo() {
        InitProducerIdResponseData answer = await(node.transactions.initProducerId(
                new InitProducerIdRequestData().setTransactionalId("id").setTransactionTimeoutMs(TIMEOUT_MILLIS)));

        assertThat(Errors.forCode(answer.errorCode())).isEqualTo(Errors.NOT_COORDINATOR);
    }

    @Test
    void aProducerOfTheFirstGenerationCommits() {
        Producer producer = node.begin("id");

        assertThat(node.add(producer, P0, P1)).isEqualTo(Errors.NONE);
        assertThat(node.end(producer, true)).isEqualTo(Errors.NONE);
        node.awaitState("id", "CompleteCommit");

        assertThat(marked(producer, true)).containsExactlyInAnyOrder(P0, P1);
        assertThat(marked(producer, false)).isEmpty();
        assertThat(node.describe("id").producerEpoch()).isEqualTo(producer.epoch());
    }

    @Test
    void aProducerOfTheFirstGenerationAborts() {
        Producer producer = node.begin("id");
        assertThat(node.add(producer, P0)).isEqualTo(Errors.NONE);

        assertThat(node.end(producer, false)).isEqualTo(Errors.NONE);
        node.awaitState("id", "CompleteAbort");

        assertThat(marked(producer, false)).containsExactly(P0);
        assertThat(node.end(producer, false)).isEqualTo(Errors.NONE);
        assertThat(node.end(producer, true)).isEqualTo(Errors.INVALID_TXN_STATE);
    }

    @Test
    void aProducerOfTheSecondGenerationGetsANewEpochWithEachEnd() {
        Producer producer = node.begin("id");
        assertThat(node.touch(producer, P0)).isEqualTo(Errors.NONE);

        Producer next = node.endRaised(producer, true);
        node.awaitState("id", "CompleteCommit");
        assertThat(node.touch(next, P1)).isEqualTo(Errors.NONE);
        Producer last = node.endRaised(next, false);
        node.awaitState("id", "CompleteAbort");

        assertThat(next).isEqualTo(producer.withEpoch(1));
        assertThat(last).isEqualTo(producer.withEpoch(2));
        assertThat(node.markers.written())
                .containsExactly(
                        new ScriptedMarkers.Written(
                                P0, new TransactionEnd(producer.producerId(), (short) 1, 0, true, (short) 2)),
                        new ScriptedMarkers.Written(
                                P1, new TransactionEnd(producer.producerId(), (short) 2, 0, false, (short) 2)));
    }

    @Test
    void theRepetitionOfAnEndIsAnsweredAsTheFirstTime() {
        Producer producer = node.begin("id");
        assertThat(node.touch(producer, P0)).isEqualTo(Errors.NONE);
        Producer next = node.endRaised(producer, true);
        node.awaitState("id", "CompleteCommit");

        assertThat(node.endRaised(producer, true)).isEqualTo(next);
        assertThat(node.endRaisedError(producer, false)).isEqualTo(Errors.INVALID_TXN_STATE);
        assertThat(marked(producer, true)).containsExactly(P0);
    }

    @Test
    void anAbortWithoutATransactionRaisesTheEpochToo() {
        Producer producer = node.begin("id");

        Producer next = node.endRaised(producer, false);
        node.awaitState("id", "CompleteAbort");

        assertThat(next.epoch()).isEqualTo((short) 1);
        assertThat(node.markers.written()).isEmpty();
        assertThat(node.endRaisedError(next, true)).isEqualTo(Errors.INVALID_TXN_STATE);
    }

    @Test
    void whileATransactionEndsItsIdIsAskedAgainLater() throws InterruptedException {
        Producer producer = node.begin("id");
        assertThat(node.add(producer, P0)).isEqualTo(Errors.NONE);
        node.markers.hold(P0);
        assertThat(node.end(producer, true)).isEqualTo(Errors.NONE);
        node.markers.awaitAttempts(1);

        assertThat(node.add(producer, P0)).isEqualTo(Errors.CONCURRENT_TRANSACTIONS);
        assertThat(node.touch(producer.withEpoch(1), P0)).isEqualTo(Errors.CONCURRENT_TRANSACTIONS);
        assertThat(node.addOffsets(producer, "g")).isEqualTo(Errors.CONCURRENT_TRANSACTIONS);
        assertThat(node.verify(producer, P0)).containsEntry(P0, Errors.CONCURRENT_TRANSACTIONS);
        assertThat(node.end(producer, true)).isEqualTo(Errors.CONCURRENT_TRANSACTIONS);
        assertThat(node.endRaisedError(producer, true)).isEqualTo(Errors.CONCURRENT_TRANSACTIONS);
        assertThat(node.initError("id", -1, -1)).isEqualTo(Errors.CONCURRENT_TRANSACTIONS);
        assertThat(node.describe("id").transactionState()).isEqualTo("PrepareCommit");

        node.markers.release();
        node.awaitState("id", "CompleteCommit");
        assertThat(node.add(producer, P0)).isEqualTo(Errors.NONE);
    }

    @Test
    void anotherProducerOfTheIdFencesTheOneBeforeAndAbortsItsTransaction() {
        Producer first = node.begin("id");
        assertThat(node.add(first, P0)).isEqualTo(Errors.NONE);

        Producer second = node.begin("id");

        assertThat(second.producerId()).isEqualTo(first.producerId());
        assertThat(second.epoch()).isEqualTo((short) 2);
        assertThat(marked(first, false)).containsExactly(P0);
        assertThat(node.add(first, P0)).isEqualTo(Errors.PRODUCER_FENCED);
        assertThat(node.end(first, true)).isEqualTo(Errors.PRODUCER_FENCED);
        assertThat(node.endRaisedError(first, true)).isEqualTo(Errors.PRODUCER_FENCED);
        assertThat(node.initError("id", first.producerId(), first.epoch())).isEqualTo(Errors.PRODUCER_FENCED);
        assertThat(node.verify(first, P0)).containsEntry(P0, Errors.PRODUCER_FENCED);
    }

    @Test
    void aProducerGoesOnAfterAnErrorWithTheEpochItHas() {
        Producer producer = node.begin("id");

        InitProducerIdResponseData answer = node.init("id", producer.producerId(), producer.epoch());
        InitProducerIdResponseData repeated = node.init("id", producer.producerId(), producer.epoch());

        assertThat(answer.producerEpoch()).isEqualTo((short) 1);
        assertThat(repeated).isEqualTo(answer);
    }

    @Test
    void theRepetitionOfAClaimIsKnownAfterARestart() {
        Producer producer = node.begin("id");
        InitProducerIdResponseData answer = node.init("id", producer.producerId(), producer.epoch());
        node = node.restart();

        assertThat(node.init("id", producer.producerId(), producer.epoch())).isEqualTo(answer);
    }

    @Test
    void whereEpochsAreUsedUpTheProducerGoesOnWithAnotherIdWithinATransaction() {
        Producer producer = withLastEpoch();
        assertThat(node.touch(producer, P0)).isEqualTo(Errors.NONE);

        Producer next = node.endRaised(producer, true);

        assertThat(next.producerId()).isNotEqualTo(producer.producerId());
        assertThat(next.epoch()).isZero();
        node.awaitState("id", "CompleteCommit");
        assertThat(node.endRaised(producer, true)).isEqualTo(next);
        assertThat(node.touch(next, P1)).isEqualTo(Errors.NONE);
        assertThat(node.markers.written())
                .containsExactly(new ScriptedMarkers.Written(
                        P0, new TransactionEnd(producer.producerId(), Short.MAX_VALUE, 0, true, (short) 2)));
    }

    private Producer withLastEpoch() {
        Producer producer = node.begin("id");
        while (producer.epoch() < Short.MAX_VALUE - 1) {
            producer = new Producer(
                    "id",
                    producer.producerId(),
                    node.init("id", producer.producerId(), producer.epoch()).producerEpoch());
        }
        return producer;
    }

    @Test
    void aProducerThatIsFencedWithTheLastEpochThereIsGoesOnWithAnotherId() {
        Producer producer = withLastEpoch();
        assertThat(node.touch(producer, P0)).isEqualTo(Errors.NONE);
        node.passTimeUntil(() -> node.describe("id").transactionState().equals("CompleteAbort"), 10_000);

        Producer next = node.endRaised(producer, false);

        assertThat(next.producerId()).isNotEqualTo(producer.producerId());
        assertThat(next.epoch()).isZero();
        assertThat(node.endRaised(producer, false)).isEqualTo(next);
        assertThat(node.touch(next, P1)).isEqualTo(Errors.NONE);
        assertThat(node.endRaised(next, true).epoch()).isEqualTo((short) 1);
        node.awaitState("id", "CompleteCommit");
        assertThat(node.markers.written())
                .containsExactly(
                        new ScriptedMarkers.Written(
                                P0, new TransactionEnd(producer.producerId(), Short.MAX_VALUE, 0, false, (short) 2)),
                        new ScriptedMarkers.Written(
                                P1, new TransactionEnd(next.producerId(), (short) 1, 0, true, (short) 2)));
    }

    @Test
    void verifiesWhatBelongsToATransaction() {
        Producer producer = node.begin("id");
        assertThat(node.add(producer, P0)).isEqualTo(Errors.NONE);

        assertThat(node.verify(producer, P0, P1))
                .containsEntry(P0, Errors.NONE)
                .containsEntry(P1, Errors.TRANSACTION_ABORTABLE);
        assertThat(await(node.addLater(producer, true, 4, P0, P1)))
                .containsEntry(P0, Errors.NONE)
                .containsEntry(P1, Errors.TRANSACTION_ABORTABLE);
        assertThat(node.verify(producer.withEpoch(3), P0)).containsEntry(P0, Errors.PRODUCER_FENCED);
        assertThat(node.verify(new Producer("id", 5, (short) 0), P0))
                .containsEntry(P0, Errors.INVALID_PRODUCER_ID_MAPPING);
        assertThat(node.verify(new Producer("other", 5, (short) 0), P0))
                .containsEntry(P0, Errors.INVALID_PRODUCER_ID_MAPPING);
    }

    @Test
    void addsNothingForWhomItDoesNotKnow() {
        Producer producer = node.begin("id");

        assertThat(node.add(new Producer("id", 5, (short) 0), P0)).isEqualTo(Errors.INVALID_PRODUCER_ID_MAPPING);
        assertThat(node.add(new Producer("other", 5, (short) 0), P0)).isEqualTo(Errors.INVALID_PRODUCER_ID_MAPPING);
        assertThat(node.add(producer.withEpoch(4), P0)).isEqualTo(Errors.PRODUCER_FENCED);
        assertThat(node.end(new Producer("other", 5, (short) 0), true)).isEqualTo(Errors.INVALID_PRODUCER_ID_MAPPING);
        assertThat(node.describe("id").transactionState()).isEqualTo("Empty");
    }

    @Test
    void addsThePartitionOfAGroupsOffsets() {
        Producer producer = node.begin("id");

        assertThat(node.addOffsets(producer, "g")).isEqualTo(Errors.NONE);
        assertThat(node.end(producer, true)).isEqualTo(Errors.NONE);
        node.awaitState("id", "CompleteCommit");

        assertThat(marked(producer, true)).containsExactly(OFFSETS);
    }

    @Test
    void writesNothingForAPartitionThatBelongsAlready() {
        Producer producer = node.begin("id");
        assertThat(node.add(producer, P0, P1)).isEqualTo(Errors.NONE);
        int before = node.logOf("id").batchCount();

        assertThat(node.add(producer, P1)).isEqualTo(Errors.NONE);

        assertThat(node.logOf("id").batchCount()).isEqualTo(before);
    }

    @Test
    void answersOnlyWhatIsDurable() {
        Producer producer = node.begin("id");
        node.logOf("id").hold();

        CompletableFuture<Map<TopicPartition, Errors>> added =
                node.addLater(producer, false, 3, P0).toCompletableFuture();
        CompletableFuture<Map<TopicPartition, Errors>> verified =
                node.addLater(producer, true, 4, P0).toCompletableFuture();
        CompletableFuture<EndTxnResponseData> ended =
                node.endLater(producer, true, 4).toCompletableFuture();
        // A reading passes through the same thread behind them, and reads what is durable.
        String durable = node.describe("id").transactionState();
        boolean answered = added.isDone() || verified.isDone() || ended.isDone();
        int markersBefore = node.markers.written().size();
        node.logOf("id").release();

        assertThat(durable).isEqualTo("Empty");
        assertThat(answered).isFalse();
        assertThat(markersBefore).isZero();
        assertThat(await(added)).containsEntry(P0, Errors.NONE);
        assertThat(await(verified)).containsEntry(P0, Errors.NONE);
        assertThat(await(ended).errorCode()).isZero();
        node.awaitState("id", "CompleteCommit");
    }

    @Test
    void triesAMarkerAgainUntilItsPartitionAcceptsIt() {
        Producer producer = node.begin("id");
        assertThat(node.add(producer, P0, P1)).isEqualTo(Errors.NONE);
        node.markers.refuse(P0, Errors.NOT_LEADER_OR_FOLLOWER);
        assertThat(node.end(producer, true)).isEqualTo(Errors.NONE);
        node.passTimeUntil(() -> marked(producer, true).contains(P1), 5000);

        String meanwhile = node.describe("id").transactionState();
        node.markers.accept(P0);
        node.passTimeUntil(() -> node.describe("id").transactionState().equals("CompleteCommit"), 500);

        assertThat(meanwhile).isEqualTo("PrepareCommit");
        assertThat(marked(producer, true)).containsExactlyInAnyOrder(P0, P1);
    }

    /** The first: what is open is not ended by it. The second: somebody has sent markers with an epoch of their own. */
    @ParameterizedTest
    @EnumSource(
            value = Errors.class,
            names = {"INVALID_TXN_STATE", "TRANSACTION_COORDINATOR_FENCED"})
    void whatAPartitionRefusesIsNeverTakenForAnEnd(Errors refusal) {
        Producer producer = node.begin("id");
        assertThat(node.touch(producer, P0)).isEqualTo(Errors.NONE);
        node.markers.refuse(P0, refusal);
        Producer next = node.endRaised(producer, true);
        node.passTimeUntil(() -> node.markers.refused() > 2, 500);

        String meanwhile = node.describe("id").transactionState();
        Errors touched = node.touch(next, P1);
        node.markers.accept(P0);
        node.passTimeUntil(() -> node.describe("id").transactionState().equals("CompleteCommit"), 500);

        assertThat(meanwhile).isEqualTo("PrepareCommit");
        assertThat(touched).isEqualTo(Errors.CONCURRENT_TRANSACTIONS);
        assertThat(marked(producer, true)).containsExactly(P0);
    }

    @Test
    void anEndThatFindsNoRoomIsWrittenAfterAPauseAndItsMarkersAreNotWrittenAgain() throws InterruptedException {
        Producer producer = node.begin("id");
        assertThat(node.add(producer, P0)).isEqualTo(Errors.NONE);
        node.markers.holdAll();
        assertThat(node.end(producer, true)).isEqualTo(Errors.NONE);
        node.markers.awaitAttempts(1);
        node.logOf("id").refuse(new AppendResult.Refused(AppendResult.Refusal.STORAGE, "no space left on the device"));
        int before = node.logOf("id").guards().size();
        node.markers.release();
        node.passTimeUntil(() -> node.logOf("id").guards().size() > before + 2, 500);

        node.logOf("id").refuse(null);
        node.passTimeUntil(() -> node.describe("id").transactionState().equals("CompleteCommit"), 500);

        assertThat(marked(producer, true)).containsExactly(P0);
    }

    /** As Kafka's: nothing is kept from being deleted, and nothing is left of what was in it. */
    @Test
    void aTopicThatWasDeletedIsMadeAnewForTheNextProducer() {
        Producer producer = node.begin("id");
        assertThat(node.add(producer, P0)).isEqualTo(Errors.NONE);

        node.cluster.delete("__transaction_state");

        Producer next = node.begin("id");
        assertThat(next.producerId()).isNotEqualTo(producer.producerId());
        assertThat(node.end(producer, true)).isEqualTo(Errors.INVALID_PRODUCER_ID_MAPPING);
        assertThat(node.add(next, P0)).isEqualTo(Errors.NONE);
        assertThat(node.end(next, true)).isEqualTo(Errors.NONE);
        node.awaitState("id", "CompleteCommit");
    }

    @Test
    void aPartitionThatNoTransactionCanTouchHoldsNothingUp() {
        Producer producer = node.begin("id");
        assertThat(node.add(producer, P0, P1)).isEqualTo(Errors.NONE);
        node.markers.refuse(P0, Errors.INVALID_TOPIC_EXCEPTION);

        assertThat(node.end(producer, true)).isEqualTo(Errors.NONE);

        node.awaitState("id", "CompleteCommit");
        assertThat(marked(producer, true)).containsExactly(P1);
    }

    @Test
    void aPartitionThatIsGoneHoldsNothingUp() {
        Producer producer = node.begin("id");
        assertThat(node.add(producer, P0, P1)).isEqualTo(Errors.NONE);
        node.markers.refuse(P0, Errors.UNKNOWN_TOPIC_OR_PARTITION);

        assertThat(node.end(producer, true)).isEqualTo(Errors.NONE);

        node.awaitState("id", "CompleteCommit");
    }

    @Test
    void writesABoundedNumberOfMarkersAtATime() throws InterruptedException {
        Producer producer = node.begin("id");
        TopicPartition[] many = IntStream.range(0, MarkerDelivery.MAX_IN_FLIGHT + 500)
                .mapToObj(TransactionsHarness::partition)
                .toArray(TopicPartition[]::new);
        assertThat(node.add(producer, many)).isEqualTo(Errors.NONE);
        node.markers.holdAll();
        assertThat(node.end(producer, true)).isEqualTo(Errors.NONE);
        node.markers.awaitAttempts(MarkerDelivery.MAX_IN_FLIGHT);

        node.markers.release();
        node.awaitState("id", "CompleteCommit");

        assertThat(node.markers.mostInFlight()).isEqualTo(MarkerDelivery.MAX_IN_FLIGHT);
        assertThat(marked(producer, true)).hasSize(many.length).doesNotHaveDuplicates();
    }

    @Test
    void abortsWhatIsOpenForTooLongAndFencesItsProducer() {
        Producer producer = node.begin("id");
        assertThat(node.touch(producer, P0)).isEqualTo(Errors.NONE);
        node.time.advanceMillis(TIMEOUT_MILLIS);
        String inTime = node.describe("id").transactionState();

        node.passTimeUntil(() -> node.describe("id").transactionState().equals("CompleteAbort"), 10_000);

        assertThat(inTime).isEqualTo("Ongoing");
        assertThat(node.markers.written())
                .containsExactly(new ScriptedMarkers.Written(
                        P0, new TransactionEnd(producer.producerId(), (short) 1, 0, false, (short) 2)));
        assertThat(node.touch(producer, P0)).isEqualTo(Errors.PRODUCER_FENCED);
        assertThat(node.endRaisedError(producer, true)).isEqualTo(Errors.INVALID_TXN_STATE);
        assertThat(node.end(producer, true)).isEqualTo(Errors.PRODUCER_FENCED);
    }

    @Test
    void theTimeOfATransactionGoesOnOverARestart() {
        Producer producer = node.begin("id");
        assertThat(node.touch(producer, P0)).isEqualTo(Errors.NONE);
        node.time.advanceMillis(TIMEOUT_MILLIS / 2);
        node = node.restart();
        node.locate("id");
        node.time.advanceMillis(TIMEOUT_MILLIS / 2);

        node.passTimeUntil(() -> node.describe("id").transactionState().equals("CompleteAbort"), 10_000);

        assertThat(marked(producer, false)).containsExactly(P0);
    }

    @Test
    void aWallClockThatJumpsAbortsNothing() {
        Producer producer = node.begin("id");
        assertThat(node.touch(producer, P0)).isEqualTo(Errors.NONE);

        node.time.jumpWallClockMillis(10L * TIMEOUT_MILLIS);
        node.time.advanceMillis(20_000);

        assertThat(node.touch(producer, P1)).isEqualTo(Errors.NONE);
        assertThat(node.describe("id").transactionState()).isEqualTo("Ongoing");
    }

    @Test
    void forgetsIdsThatNobodyUsesButNoneWithAnOpenTransaction() {
        node.close();
        node = newNode(Map.of("transactional.id.expiration.ms", "100000", "transaction.max.timeout.ms", "2147483647"));
        node.begin("idle");
        node.locate("open");
        InitProducerIdResponseData open = node.settled(
                () -> node.transactions.initProducerId(new InitProducerIdRequestData()
                        .setTransactionalId("open")
                        .setTransactionTimeoutMs(Integer.MAX_VALUE)),
                answer -> Errors.forCode(answer.errorCode()));
        Producer producer = new Producer("open", open.producerId(), open.producerEpoch());
        assertThat(node.touch(producer, P0)).isEqualTo(Errors.NONE);

        node.passTimeUntil(
                () -> node.describe("idle").errorCode() == Errors.TRANSACTIONAL_ID_NOT_FOUND.code(), 3_600_000);

        assertThat(node.describe("open").transactionState()).isEqualTo("Ongoing");
        node = node.restart();
        node.locate("idle");
        assertThat(node.describe("idle").errorCode()).isEqualTo(Errors.TRANSACTIONAL_ID_NOT_FOUND.code());
        assertThat(node.describe("open").transactionState()).isEqualTo("Ongoing");
    }

    @Test
    void aWriteThatTheLogRefusesChangesNothing() {
        Producer producer = node.begin("id");
        assertThat(node.add(producer, P0)).isEqualTo(Errors.NONE);
        node.logOf("id").refuse(new AppendResult.Refused(AppendResult.Refusal.FULL, "no room"));

        Errors added = TransactionsHarness.any(await(node.addLater(producer, false, 3, P1)));
        Errors ended = Errors.forCode(await(node.endLater(producer, true, 5)).errorCode());
        node.logOf("id").refuse(null);

        assertThat(added).isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE);
        assertThat(ended).isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE);
        assertThat(node.verify(producer, P0, P1))
                .containsEntry(P0, Errors.NONE)
                .containsEntry(P1, Errors.TRANSACTION_ABORTABLE);
        assertThat(node.markers.written()).isEmpty();
        assertThat(node.endRaised(producer, true).epoch()).isEqualTo((short) 1);
    }

    @Test
    void aDecisionThatBecomesDurableAfterItsClientWasSentAwayIsCarriedOut() {
        Producer producer = node.begin("id");
        assertThat(node.add(producer, P0)).isEqualTo(Errors.NONE);
        node.logOf("id").hold();
        CompletableFuture<EndTxnResponseData> ended =
                node.endLater(producer, true, 4).toCompletableFuture();
        // The reading passes behind it, so the decision is appended and its time runs.
        assertThat(node.describe("id").transactionState()).isEqualTo("Ongoing");
        node.passTimeUntil(ended::isDone, 1000);
        boolean marked = !node.markers.written().isEmpty();

        node.logOf("id").release();
        node.passTimeUntil(() -> node.describe("id").transactionState().equals("CompleteCommit"), 500);

        assertThat(Errors.forCode(ended.join().errorCode())).isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE);
        assertThat(marked).isFalse();
        assertThat(marked(producer, true)).containsExactly(P0);
    }

    @Test
    void aTransactionTooLargeForItsTopicIsRefusedAlone() {
        Producer producer = node.begin("id");
        node.cluster.configure("__transaction_state", Map.of("max.message.bytes", "2000"));
        TopicPartition[] many = IntStream.range(0, 2000)
                .mapToObj(TransactionsHarness::partition)
                .toArray(TopicPartition[]::new);

        assertThat(node.add(producer, many)).isEqualTo(Errors.UNKNOWN_SERVER_ERROR);

        assertThat(node.add(producer, P0)).isEqualTo(Errors.NONE);
    }

    @Test
    void isNotAvailableOnceClosed() {
        Producer producer = node.begin("id");
        node.transactions.close();

        assertThat(Errors.forCode(await(node.endLater(producer, true, 5)).errorCode()))
                .isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE);
        assertThat(TransactionsHarness.any(await(node.addLater(producer, false, 3, P0))))
                .isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE);
    }
}
