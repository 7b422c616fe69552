package io.sluice.coordinator.transaction;

import static io.sluice.coordinator.transaction.TransactionsHarness.partition;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.id.PartitionId;
import io.sluice.coordinator.runtime.TransactionEnd;
import io.sluice.coordinator.transaction.TransactionsHarness.Producer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes that stop between any two steps of a transaction: what was promised is kept, what was not durable never was. */
class TransactionRestartTest {
    private static final int PARTITIONS = 3;
    private static final TopicPartition[] TOUCHED = IntStream.range(0, PARTITIONS)
            .mapToObj(TransactionsHarness::partition)
            .toArray(TopicPartition[]::new);

    private TransactionsHarness node;

    @BeforeEach
    void start() {
        node = new TransactionsHarness();
    }

    @AfterEach
    void close() {
        node.close();
    }

    private Producer touched() {
        Producer producer = node.begin("id");
        assertThat(node.touch(producer, TOUCHED)).isEqualTo(Errors.NONE);
        return producer;
    }

    private void restart() {
        node = node.restart();
        node.locate("id");
    }

    private PartitionId statePartition() {
        return node.logOf("id").id();
    }

    /** Of all markers written: the outcomes in each partition. */
    private Set<Boolean> outcomes(int partition) {
        return node.markers.written().stream()
                .filter(written -> written.partition().equals(partition(partition)))
                .map(written -> written.end().commit())
                .collect(Collectors.toSet());
    }

    private void assertEndedEverywhere(boolean commit) {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            assertThat(outcomes(partition)).containsExactly(commit);
        }
    }

    @Test
    void aProducerThatBeganGoesOnAfterARestart() {
        Producer producer = node.begin("id");
        restart();

        assertThat(node.touch(producer, TOUCHED)).isEqualTo(Errors.NONE);
        assertThat(node.begin("id").epoch()).isEqualTo((short) 2);
    }

    @Test
    void anOngoingTransactionStaysOpenOverARestart() {
        Producer producer = touched();
        restart();

        assertThat(node.verify(producer, TOUCHED).values()).containsOnly(Errors.NONE);
        assertThat(node.markers.written()).isEmpty();
        assertThat(node.endRaised(producer, true).epoch()).isEqualTo((short) 1);
        node.awaitState("id", "CompleteCommit");
        assertEndedEverywhere(true);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void aDecisionIsCarriedOutHoweverManyMarkersWereWritten(int accepted) throws InterruptedException {
        Producer producer = touched();
        for (int partition = accepted; partition < PARTITIONS; partition++) {
            node.markers.hold(partition(partition));
        }
        if (accepted == PARTITIONS) {
            // All are written; that they are is not.
            node.markers.holdAll();
        }
        Producer next = node.endRaised(producer, true);
        node.markers.awaitAttempts(accepted == PARTITIONS ? PARTITIONS : PARTITIONS - accepted);
        if (accepted == PARTITIONS) {
            node.logOf("id").hold();
            node.markers.release();
        }
        restart();
        node.markers.release();

        node.awaitState("id", "CompleteCommit");

        assertEndedEverywhere(true);
        assertThat(node.endRaised(producer, true)).isEqualTo(next);
    }

    @Test
    void aDecisionThatWasNotDurableWasNone() {
        Producer producer = touched();
        node.logOf("id").hold();
        CompletableFuture<EndTxnResponseData> lost =
                node.endLater(producer, true, 5).toCompletableFuture();
        assertThat(node.describe("id").transactionState()).isEqualTo("Ongoing");
        restart();

        assertThat(node.describe("id").transactionState()).isEqualTo("Ongoing");
        assertThat(node.markers.written()).isEmpty();
        assertThat(lost.getNow(new EndTxnResponseData().setErrorCode((short) -1))
                        .errorCode())
                .isNotZero();
        assertThat(node.endRaised(producer, false).epoch()).isEqualTo((short) 1);
        node.awaitState("id", "CompleteAbort");
        assertEndedEverywhere(false);
    }

    @Test
    void partitionsWhoseAdditionWasNotDurableAreNotInTheTransaction() {
        Producer producer = node.begin("id");
        node.logOf("id").hold();
        var lost = node.addLater(producer, false, 5, TOUCHED);
        assertThat(node.describe("id").transactionState()).isEqualTo("Empty");
        restart();

        assertThat(node.verify(producer, TOUCHED).values()).containsOnly(Errors.TRANSACTION_ABORTABLE);
        assertThat(lost.toCompletableFuture().getNow(Map.of()).values()).doesNotContain(Errors.NONE);
    }

    @Test
    void refusedMarkersAreTriedByTheNextCoordinatorToo() {
        Producer producer = touched();
        node.markers.refuse(partition(1), Errors.KAFKA_STORAGE_ERROR);
        assertThat(node.endRaised(producer, false).epoch()).isEqualTo((short) 1);
        restart();
        node.markers.accept(partition(1));

        node.passTimeUntil(() -> node.describe("id").transactionState().equals("CompleteAbort"), 500);

        assertEndedEverywhere(false);
    }

    @Test
    void anAbortForAnotherProducerIsCarriedOutAfterARestart() throws InterruptedException {
        Producer first = touched();
        node.markers.holdAll();
        assertThat(node.initError("id", -1, -1)).isEqualTo(Errors.CONCURRENT_TRANSACTIONS);
        node.markers.awaitAttempts(PARTITIONS);
        restart();
        node.markers.release();

        Producer second = node.begin("id");

        assertEndedEverywhere(false);
        assertThat(second.epoch()).isEqualTo((short) (first.epoch() + 2));
    }

    @Test
    void anAbortForLackOfTimeIsCarriedOutAfterARestart() throws InterruptedException {
        Producer producer = touched();
        node.markers.holdAll();
        node.passTimeUntil(() -> node.describe("id").transactionState().equals("PrepareAbort"), 10_000);
        node.markers.awaitAttempts(PARTITIONS);
        restart();
        node.markers.release();

        node.awaitState("id", "CompleteAbort");

        assertEndedEverywhere(false);
        assertThat(node.touch(producer, TOUCHED)).isEqualTo(Errors.PRODUCER_FENCED);
    }

    @Test
    void whoTakesThePartitionOverGoesOnUnderItsOwnEpoch() throws InterruptedException {
        Producer producer = touched();
        node.markers.holdAll();
        assertThat(node.endRaised(producer, true).epoch()).isEqualTo((short) 1);
        node.markers.awaitAttempts(PARTITIONS);

        node.cluster.handOverAndBack(statePartition());
        node.markers.awaitAttempts(2 * PARTITIONS);
        node.markers.release();
        node.awaitState("id", "CompleteCommit");

        assertEndedEverywhere(true);
        List<Integer> epochs = node.markers.written().stream()
                .map(ScriptedMarkers.Written::end)
                .map(TransactionEnd::coordinatorEpoch)
                .distinct()
                .sorted()
                .toList();
        assertThat(epochs).containsExactly(0, 1);
    }

    @Test
    void answersOfMarkersThatAreOvertakenCompleteNothing() throws InterruptedException {
        Producer producer = touched();
        node.markers.holdAll();
        assertThat(node.endRaised(producer, true).epoch()).isEqualTo((short) 1);
        node.markers.awaitAttempts(PARTITIONS);
        node.cluster.handOverAndBack(statePartition());
        node.markers.awaitAttempts(2 * PARTITIONS);
        int batches = node.logOf("id").batchCount();

        node.markers.release();
        node.awaitState("id", "CompleteCommit");

        assertThat(node.logOf("id").batchCount()).isEqualTo(batches + 1);
        assertThat(node.describe("id").producerEpoch()).isEqualTo((short) 1);
    }

    @Test
    void whatALaterCoordinatorsMarkerStandsAgainstIsLeftToThatCoordinator() throws InterruptedException {
        Producer producer = touched();
        node.markers.refuse(partition(0), Errors.TRANSACTION_COORDINATOR_FENCED);
        assertThat(node.endRaised(producer, true).epoch()).isEqualTo((short) 1);
        node.passTimeUntil(() -> node.markers.refused() >= 2, 10_000);
        String refused = node.describe("id").transactionState();

        node.markers.accept(partition(0));
        node.cluster.handOverAndBack(statePartition());
        node.awaitState("id", "CompleteCommit");

        assertThat(refused).isEqualTo("PrepareCommit");
        assertEndedEverywhere(true);
    }
}
