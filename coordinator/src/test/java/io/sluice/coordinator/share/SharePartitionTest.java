package io.sluice.coordinator.share;

import static io.sluice.coordinator.share.SharePartitionWorld.ANN;
import static io.sluice.coordinator.share.SharePartitionWorld.BOB;
import static io.sluice.coordinator.share.SharePartitionWorld.batch;
import static io.sluice.coordinator.share.SharePartitionWorld.range;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SharePartitionTest {
    private final SharePartitionWorld world = new SharePartitionWorld();

    @BeforeEach
    void begin() {
        world.load(0);
    }

    @Test
    void givesEachBatchToOneMember() {
        assertThat(world.acquire(ANN, batch(0, 9))).containsExactly(range(0, 9, 1));
        assertThat(world.acquire(BOB, batch(10, 14))).containsExactly(range(10, 14, 1));
        assertThat(world.partition.nextOffset()).isEqualTo(15);
    }

    @Test
    void answersAnAcknowledgementOnlyWhenItIsKept() {
        world.acquire(ANN, batch(0, 9));

        CompletableFuture<Errors> answer = world.acknowledgeLater(ANN, 0, 9, Acknowledgement.ACCEPT);

        assertThat(answer).isNotDone();
        world.store.answerAll();
        assertThat(answer).isCompletedWithValue(Errors.NONE);
        assertThat(world.partition.startOffset()).isEqualTo(10);
        assertThat(world.store.startOffset).isEqualTo(10);
    }

    @Test
    void writesWhatComesDuringAWriteTogether() {
        world.acquire(ANN, batch(0, 9));
        CompletableFuture<Errors> first = world.acknowledgeLater(ANN, 0, 0, Acknowledgement.ACCEPT);
        CompletableFuture<Errors> second = world.acknowledgeLater(ANN, 5, 5, Acknowledgement.ACCEPT);
        CompletableFuture<Errors> third = world.acknowledgeLater(ANN, 7, 7, Acknowledgement.ACCEPT);

        assertThat(world.store.writes()).isEqualTo(1);
        world.store.answer(true, Errors.NONE);
        assertThat(first).isDone();
        assertThat(second).isNotDone();
        assertThat(world.store.writes()).isEqualTo(1);
        world.store.answerAll();
        assertThat(third).isCompletedWithValue(Errors.NONE);
        assertThat(world.store.kept().keySet()).containsExactly(5L, 7L);
    }

    @Test
    void deliversReleasedRecordsAgainWithTheNextCount() {
        world.acquire(ANN, batch(0, 9));

        world.acknowledge(ANN, 0, 9, 1, 1, 2, 1, 1, 1, 1, 1, 2, 1);

        assertThat(world.partition.startOffset()).isEqualTo(2);
        assertThat(world.partition.nextOffset()).isEqualTo(2);
        assertThat(world.acquire(BOB, batch(0, 9), batch(10, 10)))
                .containsExactly(range(2, 2, 2), range(8, 8, 2), range(10, 10, 1));
    }

    @Test
    void takesNoMoreThanTheLimitWhereItIsStrict() {
        assertThat(world.acquire(ANN, new AcquireLimits(4, true), batch(0, 9))).containsExactly(range(0, 3, 1));
        assertThat(world.acquire(BOB, new AcquireLimits(4, false), batch(0, 9), batch(10, 20)))
                .containsExactly(range(4, 9, 1));
    }

    @Test
    void passesOverMarkersAndGaps() {
        List<AcquiredRange> acquired = world.acquire(ANN, batch(0, 4), new FetchedBatch(5, 5, false), batch(8, 9));

        assertThat(acquired).containsExactly(range(0, 4, 1), range(8, 9, 1));
        world.acknowledge(ANN, 0, 4, Acknowledgement.ACCEPT);
        assertThat(world.partition.startOffset()).isEqualTo(8);
    }

    @Test
    void stopsWhereTooManyAreInFlight() {
        world.acquire(ANN, batch(0, 99));

        assertThat(world.partition.canAcquire(1000)).isFalse();
        assertThat(world.acquire(BOB, batch(100, 110))).isEmpty();
        world.acknowledge(ANN, 0, 0, Acknowledgement.ACCEPT);
        assertThat(world.partition.canAcquire(1000)).isTrue();
    }

    @Test
    void refusesWhatAMemberDoesNotHold() {
        world.acquire(ANN, batch(0, 9));

        assertThat(world.acknowledge(BOB, 0, 9, Acknowledgement.ACCEPT)).isEqualTo(Errors.INVALID_RECORD_STATE);
        assertThat(world.acknowledge(ANN, 0, 10, Acknowledgement.ACCEPT)).isEqualTo(Errors.INVALID_REQUEST);
        assertThat(world.acknowledge(ANN, 3, 4, Acknowledgement.ACCEPT)).isEqualTo(Errors.NONE);
        assertThat(world.acknowledge(ANN, 0, 9, Acknowledgement.ACCEPT)).isEqualTo(Errors.INVALID_RECORD_STATE);
        assertThat(world.partition.startOffset()).isZero();
    }

    @Test
    void deliversAgainWhenTheLockExpires() {
        world.acquire(ANN, batch(0, 9));

        world.time.advanceNanos(TimeUnit.SECONDS.toNanos(30));
        world.store.answerAll();

        assertThat(world.available).isPositive();
        assertThat(world.acknowledge(ANN, 0, 9, Acknowledgement.ACCEPT)).isEqualTo(Errors.INVALID_RECORD_STATE);
        assertThat(world.acquire(BOB, batch(0, 9))).containsExactly(range(0, 9, 2));
    }

    @Test
    void prolongsLocksThatAreRenewed() {
        world.acquire(ANN, batch(0, 9));
        world.time.advanceNanos(TimeUnit.SECONDS.toNanos(20));
        assertThat(world.acknowledge(ANN, 2, 3, Acknowledgement.RENEW)).isEqualTo(Errors.NONE);

        world.time.advanceNanos(TimeUnit.SECONDS.toNanos(20));
        world.store.answerAll();

        assertThat(world.acknowledge(ANN, 2, 3, Acknowledgement.ACCEPT)).isEqualTo(Errors.NONE);
        assertThat(world.acknowledge(ANN, 4, 4, Acknowledgement.ACCEPT)).isEqualTo(Errors.INVALID_RECORD_STATE);
    }

    @Test
    void refusesToProlongWhereTheGroupDoesNotAllowIt() {
        world.settings = new ShareGroupSettings(3, 30_000, 100, false, false, true, "earliest");
        world.acquire(ANN, batch(0, 9));

        assertThat(world.acknowledge(ANN, 2, 3, Acknowledgement.RENEW)).isEqualTo(Errors.INVALID_RECORD_STATE);
    }

    @Test
    void givesUpWhatWasDeliveredTooOften() {
        for (int i = 0; i < 2; i++) {
            world.acquire(ANN, batch(0, 0), batch(1, 1));
            world.acknowledge(ANN, 0, 1, Acknowledgement.RELEASE);
        }
        world.acquire(ANN, batch(0, 0), batch(1, 1));
        world.acknowledge(ANN, 0, 0, Acknowledgement.RELEASE);
        world.time.advanceNanos(TimeUnit.SECONDS.toNanos(30));
        world.store.answerAll();

        assertThat(world.partition.startOffset()).isEqualTo(2);
        assertThat(world.letters)
                .containsExactly(
                        new DeadLetter(0, 0, (short) 3, DeadLetter.Cause.DELIVERED_TOO_OFTEN),
                        new DeadLetter(1, 1, (short) 3, DeadLetter.Cause.DELIVERED_TOO_OFTEN));
    }

    @Test
    void sendsRejectedRecordsToTheDeadLetterQueue() {
        world.acquire(ANN, batch(0, 9));

        assertThat(world.acknowledge(ANN, 4, 6, Acknowledgement.REJECT)).isEqualTo(Errors.NONE);

        assertThat(world.letters).containsExactly(new DeadLetter(4, 6, (short) 1, DeadLetter.Cause.REJECTED));
        assertThat(world.store.kept().get(5L)).isEqualTo(new SimulatedStore.Kept(SavedRange.ARCHIVED, (short) 1));
    }

    @Test
    void countsNoDeliveryForWhatAMemberGivesBackUnseen() {
        world.acquire(ANN, batch(0, 9));

        world.partition.release(ANN, false);

        assertThat(world.acquire(BOB, batch(0, 9))).containsExactly(range(0, 9, 1));
    }

    @Test
    void countsTheDeliveryToAMemberThatWasCutOff() {
        world.acquire(ANN, batch(0, 9));

        world.partition.release(ANN, true);

        assertThat(world.acquire(BOB, batch(0, 9))).containsExactly(range(0, 9, 2));
    }

    @Test
    void leavesRecordsWithTheirHolderWhenTheyWereNotKept() {
        world.acquire(ANN, batch(0, 9));
        CompletableFuture<Errors> answer = world.acknowledgeLater(ANN, 0, 9, Acknowledgement.ACCEPT);

        world.store.answer(false, Errors.COORDINATOR_NOT_AVAILABLE);

        assertThat(answer).isCompletedWithValue(Errors.COORDINATOR_NOT_AVAILABLE);
        assertThat(world.partition.startOffset()).isZero();
        world.time.advanceNanos(TimeUnit.SECONDS.toNanos(1));
        assertThat(world.acknowledge(ANN, 0, 9, Acknowledgement.ACCEPT)).isEqualTo(Errors.NONE);
        assertThat(world.partition.startOffset()).isEqualTo(10);
    }

    @Test
    void findsOutThatSomethingWasKeptThoughTheAnswerWasAnError() {
        world.acquire(ANN, batch(0, 9));
        CompletableFuture<Errors> answer = world.acknowledgeLater(ANN, 0, 9, Acknowledgement.ACCEPT);

        world.store.answer(true, Errors.COORDINATOR_NOT_AVAILABLE);

        assertThat(answer).isCompletedWithValue(Errors.NONE);
        assertThat(world.partition.startOffset()).isEqualTo(10);
    }

    @Test
    void givesNobodyWhatMayHaveBeenKeptAsSettled() {
        world.acquire(ANN, batch(0, 9));
        CompletableFuture<Errors> answer = world.acknowledgeLater(ANN, 0, 9, Acknowledgement.ACCEPT);
        world.store.readError = Errors.COORDINATOR_NOT_AVAILABLE;
        world.store.answer(true, Errors.COORDINATOR_NOT_AVAILABLE);

        assertThat(answer).isNotDone();
        world.time.advanceNanos(TimeUnit.SECONDS.toNanos(40));

        assertThat(answer).isCompletedWithValue(Errors.COORDINATOR_NOT_AVAILABLE);
        assertThat(world.partition.nextOffset()).isEqualTo(10);
        assertThat(world.acknowledge(ANN, 0, 9, Acknowledgement.ACCEPT)).isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE);
        world.store.readError = Errors.NONE;
        world.time.advanceNanos(TimeUnit.SECONDS.toNanos(1));
        assertThat(world.partition.startOffset()).isEqualTo(10);
    }

    @Test
    void isLostWhenSomebodyElseKeepsItsState() {
        world.acquire(ANN, batch(0, 9));
        CompletableFuture<Errors> answer = world.acknowledgeLater(ANN, 0, 9, Acknowledgement.ACCEPT);
        CompletableFuture<Errors> next = world.acknowledgeLater(ANN, 0, 9, Acknowledgement.ACCEPT);

        world.store.answer(false, Errors.FENCED_STATE_EPOCH);

        assertThat(answer).isCompletedWithValue(Errors.NOT_LEADER_OR_FOLLOWER);
        assertThat(next).isCompletedWithValue(Errors.INVALID_RECORD_STATE);
        assertThat(world.lost).containsExactly(Errors.NOT_LEADER_OR_FOLLOWER);
        assertThat(world.acquire(BOB, batch(10, 12))).isEmpty();
    }

    @Test
    void archivesWhatTheLogHasNoMore() {
        world.acquire(ANN, batch(0, 9));
        world.acknowledge(ANN, 0, 9, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2);

        world.partition.onLogStart(6);
        world.store.answerAll();

        assertThat(world.partition.startOffset()).isEqualTo(6);
        assertThat(world.acquire(BOB, batch(5, 9))).containsExactly(range(6, 9, 2));
    }

    @Test
    void deliversNothingFreeBeyondWhatMayBeRead() {
        world.acquire(ANN, batch(0, 9));
        world.acknowledge(ANN, 0, 9, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1);

        assertThat(world.partition.canAcquire(4)).isFalse();
        assertThat(world.partition.canAcquire(5)).isTrue();
    }

    @Test
    void keepsThatARecordIsRejectedBeforeItsDeadLetterIsSent() {
        world.lettersDurable = new CompletableFuture<>();
        world.acquire(ANN, batch(0, 1));
        CompletableFuture<Errors> answer = world.acknowledgeLater(ANN, 0, 0, Acknowledgement.REJECT);

        assertThat(world.letters).isEmpty();
        world.store.answerAll();

        assertThat(answer).isCompletedWithValue(Errors.NONE);
        assertThat(world.letters).containsExactly(new DeadLetter(0, 0, (short) 1, DeadLetter.Cause.REJECTED));
        assertThat(world.store.kept().get(0L)).isEqualTo(new SimulatedStore.Kept(SavedRange.ARCHIVING, (short) 1));
        world.lettersDurable.complete(null);
        world.store.answerAll();
        assertThat(world.store.startOffset).isEqualTo(1);
    }

    @Test
    void passesNoRecordWhoseDeadLetterIsNotDurable() {
        world.lettersDurable = new CompletableFuture<>();
        world.acquire(ANN, batch(0, 1));
        world.acknowledge(ANN, 0, 0, Acknowledgement.REJECT);

        world.acknowledge(ANN, 1, 1, Acknowledgement.ACCEPT);

        assertThat(world.store.startOffset).isZero();
        world.letters.clear();
        world.restart();
        assertThat(world.letters).containsExactly(new DeadLetter(0, 0, (short) 1, DeadLetter.Cause.REJECTED));
    }

    @Test
    void archivesWithoutADetourWhereThereIsNoDeadLetterQueue() {
        world.settings = new ShareGroupSettings(3, 30_000, 100, true, false, false, "earliest");
        world.acquire(ANN, batch(0, 9));

        world.acknowledge(ANN, 0, 0, Acknowledgement.REJECT);

        assertThat(world.letters).isEmpty();
        assertThat(world.store.startOffset).isEqualTo(1);
    }

    @Test
    void triesAgainToKeepThatADeadLetterWasSent() {
        world.acquire(ANN, batch(0, 0));
        CompletableFuture<?> unused = world.acknowledgeLater(ANN, 0, 0, Acknowledgement.REJECT);
        world.store.answer(true, Errors.NONE);

        world.store.answer(false, Errors.COORDINATOR_NOT_AVAILABLE);
        world.time.advanceNanos(TimeUnit.SECONDS.toNanos(1));
        world.store.answerAll();

        assertThat(world.store.startOffset).isEqualTo(1);
        assertThat(world.letters).hasSize(1);
    }

    @Test
    void answersEverybodyWhoWaitsDuringADoubt() {
        world.acquire(ANN, batch(0, 9));
        CompletableFuture<Errors> written = world.acknowledgeLater(ANN, 0, 0, Acknowledgement.ACCEPT);
        CompletableFuture<Errors> before = world.acknowledgeLater(ANN, 1, 1, Acknowledgement.ACCEPT);
        world.store.readError = Errors.COORDINATOR_NOT_AVAILABLE;
        world.store.answer(true, Errors.COORDINATOR_NOT_AVAILABLE);
        world.time.advanceNanos(TimeUnit.SECONDS.toNanos(4));
        CompletableFuture<Errors> during = world.acknowledgeLater(ANN, 2, 2, Acknowledgement.ACCEPT);

        world.time.advanceNanos(TimeUnit.SECONDS.toNanos(1));

        assertThat(written).isCompletedWithValue(Errors.COORDINATOR_NOT_AVAILABLE);
        assertThat(before).isCompletedWithValue(Errors.COORDINATOR_NOT_AVAILABLE);
        assertThat(during).isNotDone();
        world.time.advanceNanos(TimeUnit.SECONDS.toNanos(4));
        assertThat(during).isCompletedWithValue(Errors.COORDINATOR_NOT_AVAILABLE);
        assertThat(world.acknowledge(ANN, 1, 1, Acknowledgement.ACCEPT)).isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE);
        world.store.readError = Errors.NONE;
        world.time.advanceNanos(TimeUnit.SECONDS.toNanos(1));
        assertThat(world.acknowledge(ANN, 1, 1, Acknowledgement.ACCEPT))
                .as("said again while it is being kept")
                .isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE);
        assertThat(world.partition.startOffset()).isEqualTo(3);
        assertThat(world.acknowledge(BOB, 5, 5, Acknowledgement.ACCEPT)).isEqualTo(Errors.INVALID_RECORD_STATE);
    }
}
