package io.sluice.storage.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.storage.log.AppendResult.Appended;
import io.sluice.storage.log.AppendResult.Duplicate;
import io.sluice.storage.log.AppendResult.Refusal;
import io.sluice.storage.log.ReadRequest.Limit;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What every engine promises to idempotent and transactional producers (KIP-98). */
public abstract class ProducerContract extends LogSteps {
    // ---- idempotent producers ----

    @Test
    void acceptsAnUnknownProducerWithAnyFirstSequence() {
        PartitionLog log = open(0, Map.of());

        assertThat(append(log, TestBatches.idempotent(5, 0, 5, "a"))).isEqualTo(new Appended(0, 0, -1));
    }

    @Test
    void answersARepeatedBatchWithTheOriginalsOffsets() {
        PartitionLog log = open(0, Map.of());
        append(log, TestBatches.idempotent(5, 0, 0, "a", "b"));
        append(log, TestBatches.idempotent(5, 0, 2, "c"));

        AppendResult result = append(log, TestBatches.idempotent(5, 0, 0, "a", "b"));

        assertThat(result).isInstanceOf(Duplicate.class);
        assertThat(((Duplicate) result).baseOffset()).isZero();
        assertThat(((Duplicate) result).lastOffset()).isEqualTo(1);
        assertThat(log.endOffset()).isEqualTo(3);
    }

    @Test
    void remembersFiveBatchesOfAProducer() {
        PartitionLog log = open(0, Map.of());
        for (int sequence = 0; sequence < 6; sequence++) {
            append(log, TestBatches.idempotent(5, 0, sequence, "v" + sequence));
        }

        assertThat(append(log, TestBatches.idempotent(5, 0, 1, "v1"))).isInstanceOf(Duplicate.class);
        assertThat(refusalOf(append(log, TestBatches.idempotent(5, 0, 0, "v0"))))
                .isEqualTo(Refusal.OUT_OF_ORDER_SEQUENCE);
    }

    @Test
    void refusesAGapInSequenceNumbers() {
        PartitionLog log = open(0, Map.of());
        append(log, TestBatches.idempotent(5, 0, 0, "a"));

        assertThat(refusalOf(append(log, TestBatches.idempotent(5, 0, 2, "c"))))
                .isEqualTo(Refusal.OUT_OF_ORDER_SEQUENCE);
    }

    @Test
    void refusesAnOldProducerEpochAndBeginsANewOneAtZero() {
        PartitionLog log = open(0, Map.of());
        append(log, TestBatches.idempotent(5, 1, 0, "a"));

        assertThat(refusalOf(append(log, TestBatches.idempotent(5, 0, 1, "b"))))
                .isEqualTo(Refusal.INVALID_PRODUCER_EPOCH);
        assertThat(refusalOf(append(log, TestBatches.idempotent(5, 2, 1, "b"))))
                .isEqualTo(Refusal.OUT_OF_ORDER_SEQUENCE);
        assertThat(append(log, TestBatches.idempotent(5, 2, 0, "b"))).isInstanceOf(Appended.class);
    }

    @Test
    void wrapsSequenceNumbersAround() {
        PartitionLog log = open(0, Map.of());
        append(log, TestBatches.idempotent(5, 0, Integer.MAX_VALUE, "a"));

        assertThat(append(log, TestBatches.idempotent(5, 0, 0, "b"))).isInstanceOf(Appended.class);
    }

    @Test
    void keepsProducersOverARestart() {
        PartitionLog log = open(0, Map.of());
        append(log, TestBatches.idempotent(5, 0, 0, "a"));
        world.restart();
        PartitionLog again = open(0, Map.of());

        assertThat(append(again, TestBatches.idempotent(5, 0, 0, "a"))).isInstanceOf(Duplicate.class);
        assertThat(append(again, TestBatches.idempotent(5, 0, 1, "b"))).isEqualTo(new Appended(1, 1, -1));
        assertThat(again.activeProducers()).singleElement().satisfies(producer -> {
            assertThat(producer.producerId()).isEqualTo(5);
            assertThat(producer.lastSequence()).isEqualTo(1);
        });
    }

    // ---- transactions ----

    @Test
    void holdsTheLastStableOffsetAtAnOpenTransaction() {
        PartitionLog log = open(0, Map.of());
        append(log, TestBatches.of("plain"));
        append(log, TestBatches.transactional(5, 0, 0, "a"));
        append(log, TestBatches.of("later"));
        world.settle();

        assertThat(log.lastStableOffset()).isEqualTo(1);
        assertThat(values(log, 0, Limit.LAST_STABLE)).containsExactly("0:plain");
        assertThat(values(log, 0, Limit.VISIBLE)).containsExactly("0:plain", "1:a", "2:later");

        append(log, TestBatches.marker(5, 0, 0, true), AppendOrigin.MARKER);
        assertThat(log.lastStableOffset()).isEqualTo(1);
        world.settle();
        assertThat(log.lastStableOffset()).isEqualTo(4);
    }

    @Test
    void listsAbortedTransactionsToReadCommittedReaders() {
        PartitionLog log = open(0, Map.of());
        append(log, TestBatches.transactional(5, 0, 0, "a"));
        append(log, TestBatches.marker(5, 0, 0, false), AppendOrigin.MARKER);
        world.settle();

        ReadResult result = read(log, 0, 1 << 20, true, Limit.LAST_STABLE);

        assertThat(result).isInstanceOf(ReadResult.Records.class);
        ReadResult.Records records = (ReadResult.Records) result;
        assertThat(records.abortedTransactions()).containsExactly(new ReadResult.AbortedTransaction(5, 0));
        records.slice().release();
    }

    @Test
    void refusesAMarkerOfAnOlderCoordinatorAndDataOutsideTheTransaction() {
        PartitionLog log = open(0, Map.of());
        append(log, TestBatches.transactional(5, 0, 0, "a"));

        assertThat(refusalOf(append(log, TestBatches.idempotent(5, 0, 1, "b"))))
                .isEqualTo(Refusal.INVALID_TRANSACTION_STATE);
        append(log, TestBatches.marker(5, 0, 4, true), AppendOrigin.MARKER);
        assertThat(refusalOf(append(log, TestBatches.marker(5, 0, 3, true), AppendOrigin.MARKER)))
                .isEqualTo(Refusal.COORDINATOR_FENCED);
    }

    @Test
    void takesTheFirstBatchOfATransactionOnlyVerified() {
        PartitionLog log = open(0, Map.of());
        assertThat(refusalOf(unverified(log, TestBatches.transactional(5, 0, 0, "a"), PartitionLog.NO_GUARD)))
                .isEqualTo(Refusal.INVALID_TRANSACTION_STATE);
        long guard = log.beginVerification(5, (short) 0, 0, false);
        assertThat(log.beginVerification(5, (short) 0, 1, false))
                .as("one verification")
                .isEqualTo(guard);
        assertThat(refusalOf(unverified(log, TestBatches.transactional(6, 0, 0, "other"), guard)))
                .isEqualTo(Refusal.INVALID_TRANSACTION_STATE);
        assertThat(unverified(log, TestBatches.transactional(5, 0, 0, "a"), guard))
                .isInstanceOf(Appended.class);
        assertThat(log.beginVerification(5, (short) 0, 1, false)).isEqualTo(PartitionLog.NO_GUARD);
        assertThat(unverified(log, TestBatches.transactional(5, 0, 1, "b"), PartitionLog.NO_GUARD))
                .isInstanceOf(Appended.class);
        assertThat(unverified(log, TestBatches.transactional(5, 0, 0, "a"), PartitionLog.NO_GUARD))
                .as("sent again")
                .isInstanceOf(Duplicate.class);
    }

    @Test
    void refusesABatchWhoseTransactionEndedSinceItWasVerified() {
        PartitionLog log = open(0, Map.of());
        long guard = log.beginVerification(5, (short) 0, 0, false);
        append(log, TestBatches.marker(5, 0, 0, false), AppendOrigin.MARKER);
        assertThat(refusalOf(unverified(log, TestBatches.transactional(5, 0, 0, "late"), guard)))
                .isEqualTo(Refusal.INVALID_TRANSACTION_STATE);
        world.settle();
        assertThat(log.lastStableOffset()).isEqualTo(log.endOffset());
        assertThat(log.beginVerification(5, (short) 0, 0, false))
                .as("another verification")
                .isNotEqualTo(guard);
    }

    @Test
    void whatIsSentAgainComesBeforeWhatWasSentBehindIt() {
        PartitionLog log = open(0, Map.of());
        long guard = log.beginVerification(5, (short) 0, 0, false);
        assertThat(refusalOf(unverified(log, TestBatches.transactional(5, 0, 1, "second"), guard)))
                .isEqualTo(Refusal.OUT_OF_ORDER_SEQUENCE);
        assertThat(unverified(log, TestBatches.transactional(5, 0, 0, "first"), guard))
                .isInstanceOf(Appended.class);
        long raised = log.beginVerification(6, (short) 3, 4, true);
        assertThat(refusalOf(unverified(log, TestBatches.transactional(6, 3, 4, "no first"), raised)))
                .isEqualTo(Refusal.OUT_OF_ORDER_SEQUENCE);
    }

    @Test
    void fencesProducersWhoseEpochIsOlderAlsoGroupCoordinators() {
        PartitionLog log = open(0, Map.of());
        append(log, TestBatches.transactional(5, 3, 0, "a"));
        assertThat(log.beginVerification(5, (short) 2, 0, false)).isEqualTo(PartitionLog.STALE_EPOCH);
        assertThat(refusalOf(append(log, TestBatches.transactional(5, 2, -1, "offset"), AppendOrigin.COORDINATOR)))
                .isEqualTo(Refusal.INVALID_PRODUCER_EPOCH);
    }

    @Test
    void aMarkerOfTheEpochOfTheDataCannotEndItWhereEachEndRaisesTheEpoch() {
        PartitionLog log = open(0, Map.of());
        append(log, TestBatches.transactional(5, 3, 0, "a"));
        assertThat(refusalOf(append(log, TestBatches.marker(5, 3, 0, true), AppendOrigin.RAISED_MARKER)))
                .as("a transaction is open under this epoch")
                .isEqualTo(Refusal.INVALID_TRANSACTION_STATE);
        assertThat(refusalOf(append(log, TestBatches.marker(5, 2, 0, true), AppendOrigin.RAISED_MARKER)))
                .as("the producer has a later epoch")
                .isEqualTo(Refusal.INVALID_PRODUCER_EPOCH);
        assertThat(append(log, TestBatches.marker(5, 4, 0, true), AppendOrigin.RAISED_MARKER))
                .isInstanceOf(Appended.class);
        assertThat(append(log, TestBatches.marker(5, 4, 0, true), AppendOrigin.RAISED_MARKER))
                .as("the same marker again")
                .isInstanceOf(Appended.class);
        world.settle();
        assertThat(log.lastStableOffset()).isEqualTo(3);
    }

    @Test
    void aVerificationThatWasRefusedIsWorthNothing() {
        PartitionLog log = open(0, Map.of());
        long guard = log.beginVerification(5, (short) 0, 0, false);
        log.endVerification(5, guard + 1);
        assertThat(log.beginVerification(5, (short) 0, 0, false))
                .as("of another guard")
                .isEqualTo(guard);
        log.endVerification(5, guard);
        assertThat(refusalOf(unverified(log, TestBatches.transactional(5, 0, 0, "a"), guard)))
                .isEqualTo(Refusal.INVALID_TRANSACTION_STATE);
    }

    @Test
    void aTransactionHasAProducer() {
        PartitionLog log = open(0, Map.of());
        assertThat(refusalOf(unverified(log, TestBatches.transactional(-1, -1, -1, "a"), PartitionLog.NO_GUARD)))
                .isEqualTo(Refusal.INVALID_TRANSACTION_STATE);
    }

    /** Else a reader of what is committed that begins at the end would be sent before the start, for ever. */
    @Test
    void theLastStableOffsetIsNotBelowTheStart() {
        PartitionLog log = open(0, Map.of());
        append(log, TestBatches.transactional(5, 0, 0, "a"));
        append(log, TestBatches.of("b", "c"));
        world.settle();
        var trimmed = log.trim(2).toCompletableFuture();
        world.settle();

        assertThat(trimmed.join()).isEqualTo(2);
        assertThat(log.lastStableOffset()).isEqualTo(2);
        assertThat(log.visibleOffset()).isEqualTo(3);
    }

    @Test
    void verifiesABoundedNumberOfProducersAtATime() {
        PartitionLog log = open(0, Map.of());
        long first = log.beginVerification(1, (short) 0, 0, false);
        long producer = 2;
        while (log.beginVerification(producer, (short) 0, 0, false) != PartitionLog.TOO_MANY) {
            assertThat(producer++).isLessThan(100_000);
        }
        assertThat(log.beginVerification(1, (short) 0, 0, false))
                .as("begun before")
                .isEqualTo(first);
        log.endVerification(1, first);
        assertThat(log.beginVerification(producer, (short) 0, 0, false)).isPositive();
    }

    private static AppendResult unverified(PartitionLog log, ByteBuf batch, long guard) {
        try {
            return log.append(batch, log.leaderEpoch(), AppendOrigin.CLIENT, guard);
        } finally {
            batch.release();
        }
    }

    @Test
    void keepsOpenAndAbortedTransactionsOverARestart() {
        PartitionLog log = open(0, Map.of());
        append(log, TestBatches.transactional(5, 0, 0, "a"));
        append(log, TestBatches.marker(5, 0, 0, false), AppendOrigin.MARKER);
        append(log, TestBatches.transactional(6, 0, 0, "b"));
        world.restart();
        PartitionLog again = open(0, Map.of());

        assertThat(again.lastStableOffset()).isEqualTo(2);
        ReadResult.Records records = (ReadResult.Records) read(again, 0, 1 << 20, true, Limit.LAST_STABLE);
        assertThat(records.abortedTransactions()).containsExactly(new ReadResult.AbortedTransaction(5, 0));
        records.slice().release();
    }
}
