package io.sluice.coordinator.share;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SimulatedTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SharePartitionTest {
    private static final AcquireLimits WHOLE_BATCHES = new AcquireLimits(500, false);
    private static final String ANN = "ann";
    private static final String BOB = "bob";

    private final SimulatedTime time = new SimulatedTime(0);
    private final SimulatedStore store = new SimulatedStore();
    private final List<DeadLetter> letters = new ArrayList<>();
    private final List<Errors> lost = new ArrayList<>();
    private CompletableFuture<Void> lettersDurable = CompletableFuture.completedFuture(null);
    private int available;
    private ShareGroupSettings settings = new ShareGroupSettings(3, 30_000, 100, true, false, true, "earliest");
    private SharePartition partition = create();

    private SharePartition create() {
        return new SharePartition(
                "g:t-0",
                store,
                () -> settings,
                sent -> {
                    letters.addAll(sent);
                    return lettersDurable;
                },
                new SharePartitionListener() {
                    @Override
                    public void onAvailable() {
                        available++;
                    }

                    @Override
                    public void onLost(Errors error) {
                        lost.add(error);
                    }
                },
                new SharePartition.Time(time, time, Runnable::run));
    }

    @BeforeEach
    void begin() {
        load(0);
    }

    private void load(long firstOffset) {
        load(firstOffset, 1000);
    }

    private void load(long firstOffset, long logEndOffset) {
        CompletableFuture<Errors> loaded = partition
                .load(() -> CompletableFuture.completedFuture(firstOffset), logEndOffset)
                .toCompletableFuture();
        store.answerAll();
        assertThat(loaded).isCompletedWithValue(Errors.NONE);
    }

    private void restart() {
        store.crash(false);
        partition = create();
        load(0);
    }

    private static FetchedBatch batch(long first, long last) {
        return new FetchedBatch(first, last, true);
    }

    private List<AcquiredRange> acquire(String member, FetchedBatch... batches) {
        return acquire(member, WHOLE_BATCHES, batches);
    }

    private List<AcquiredRange> acquire(String member, AcquireLimits limits, FetchedBatch... batches) {
        return partition.acquire(member, partition.nextOffset(), List.of(batches), limits);
    }

    private static AcquiredRange range(long first, long last, int count) {
        return new AcquiredRange(first, last, (short) count);
    }

    private CompletableFuture<Errors> acknowledgeLater(String member, long first, long last, int... types) {
        byte[] bytes = new byte[types.length];
        for (int i = 0; i < types.length; i++) {
            bytes[i] = (byte) types[i];
        }
        return partition
                .acknowledge(member, List.of(new Acknowledgement(first, last, bytes)))
                .toCompletableFuture();
    }

    private Errors acknowledge(String member, long first, long last, int... types) {
        CompletableFuture<Errors> answer = acknowledgeLater(member, first, last, types);
        store.answerAll();
        return answer.join();
    }

    @Test
    void givesEachBatchToOneMember() {
        assertThat(acquire(ANN, batch(0, 9))).containsExactly(range(0, 9, 1));
        assertThat(acquire(BOB, batch(10, 14))).containsExactly(range(10, 14, 1));
        assertThat(partition.nextOffset()).isEqualTo(15);
    }

    @Test
    void answersAnAcknowledgementOnlyWhenItIsKept() {
        acquire(ANN, batch(0, 9));

        CompletableFuture<Errors> answer = acknowledgeLater(ANN, 0, 9, Acknowledgement.ACCEPT);

        assertThat(answer).isNotDone();
        store.answerAll();
        assertThat(answer).isCompletedWithValue(Errors.NONE);
        assertThat(partition.startOffset()).isEqualTo(10);
        assertThat(store.startOffset).isEqualTo(10);
    }

    @Test
    void writesWhatComesDuringAWriteTogether() {
        acquire(ANN, batch(0, 9));
        CompletableFuture<Errors> first = acknowledgeLater(ANN, 0, 0, Acknowledgement.ACCEPT);
        CompletableFuture<Errors> second = acknowledgeLater(ANN, 5, 5, Acknowledgement.ACCEPT);
        CompletableFuture<Errors> third = acknowledgeLater(ANN, 7, 7, Acknowledgement.ACCEPT);

        assertThat(store.writes()).isEqualTo(1);
        store.answer(true, Errors.NONE);
        assertThat(first).isDone();
        assertThat(second).isNotDone();
        assertThat(store.writes()).isEqualTo(1);
        store.answerAll();
        assertThat(third).isCompletedWithValue(Errors.NONE);
        assertThat(store.kept().keySet()).containsExactly(5L, 7L);
    }

    @Test
    void deliversReleasedRecordsAgainWithTheNextCount() {
        acquire(ANN, batch(0, 9));

        acknowledge(ANN, 0, 9, 1, 1, 2, 1, 1, 1, 1, 1, 2, 1);

        assertThat(partition.startOffset()).isEqualTo(2);
        assertThat(partition.nextOffset()).isEqualTo(2);
        assertThat(acquire(BOB, batch(0, 9), batch(10, 10)))
                .containsExactly(range(2, 2, 2), range(8, 8, 2), range(10, 10, 1));
    }

    @Test
    void takesNoMoreThanTheLimitWhereItIsStrict() {
        assertThat(acquire(ANN, new AcquireLimits(4, true), batch(0, 9))).containsExactly(range(0, 3, 1));
        assertThat(acquire(BOB, new AcquireLimits(4, false), batch(0, 9), batch(10, 20)))
                .containsExactly(range(4, 9, 1));
    }

    @Test
    void passesOverMarkersAndGaps() {
        List<AcquiredRange> acquired = acquire(ANN, batch(0, 4), new FetchedBatch(5, 5, false), batch(8, 9));

        assertThat(acquired).containsExactly(range(0, 4, 1), range(8, 9, 1));
        acknowledge(ANN, 0, 4, Acknowledgement.ACCEPT);
        assertThat(partition.startOffset()).isEqualTo(8);
    }

    @Test
    void stopsWhereTooManyAreInFlight() {
        acquire(ANN, batch(0, 99));

        assertThat(partition.canAcquire(1000)).isFalse();
        assertThat(acquire(BOB, batch(100, 110))).isEmpty();
        acknowledge(ANN, 0, 0, Acknowledgement.ACCEPT);
        assertThat(partition.canAcquire(1000)).isTrue();
    }

    @Test
    void refusesWhatAMemberDoesNotHold() {
        acquire(ANN, batch(0, 9));

        assertThat(acknowledge(BOB, 0, 9, Acknowledgement.ACCEPT)).isEqualTo(Errors.INVALID_RECORD_STATE);
        assertThat(acknowledge(ANN, 0, 10, Acknowledgement.ACCEPT)).isEqualTo(Errors.INVALID_REQUEST);
        assertThat(acknowledge(ANN, 3, 4, Acknowledgement.ACCEPT)).isEqualTo(Errors.NONE);
        assertThat(acknowledge(ANN, 0, 9, Acknowledgement.ACCEPT)).isEqualTo(Errors.INVALID_RECORD_STATE);
        assertThat(partition.startOffset()).isZero();
    }

    @Test
    void deliversAgainWhenTheLockExpires() {
        acquire(ANN, batch(0, 9));

        time.advanceNanos(TimeUnit.SECONDS.toNanos(30));
        store.answerAll();

        assertThat(available).isPositive();
        assertThat(acknowledge(ANN, 0, 9, Acknowledgement.ACCEPT)).isEqualTo(Errors.INVALID_RECORD_STATE);
        assertThat(acquire(BOB, batch(0, 9))).containsExactly(range(0, 9, 2));
    }

    @Test
    void prolongsLocksThatAreRenewed() {
        acquire(ANN, batch(0, 9));
        time.advanceNanos(TimeUnit.SECONDS.toNanos(20));
        assertThat(acknowledge(ANN, 2, 3, Acknowledgement.RENEW)).isEqualTo(Errors.NONE);

        time.advanceNanos(TimeUnit.SECONDS.toNanos(20));
        store.answerAll();

        assertThat(acknowledge(ANN, 2, 3, Acknowledgement.ACCEPT)).isEqualTo(Errors.NONE);
        assertThat(acknowledge(ANN, 4, 4, Acknowledgement.ACCEPT)).isEqualTo(Errors.INVALID_RECORD_STATE);
    }

    @Test
    void refusesToProlongWhereTheGroupDoesNotAllowIt() {
        settings = new ShareGroupSettings(3, 30_000, 100, false, false, true, "earliest");
        acquire(ANN, batch(0, 9));

        assertThat(acknowledge(ANN, 2, 3, Acknowledgement.RENEW)).isEqualTo(Errors.INVALID_RECORD_STATE);
    }

    @Test
    void givesUpWhatWasDeliveredTooOften() {
        for (int i = 0; i < 2; i++) {
            acquire(ANN, batch(0, 0), batch(1, 1));
            acknowledge(ANN, 0, 1, Acknowledgement.RELEASE);
        }
        acquire(ANN, batch(0, 0), batch(1, 1));
        acknowledge(ANN, 0, 0, Acknowledgement.RELEASE);
        time.advanceNanos(TimeUnit.SECONDS.toNanos(30));
        store.answerAll();

        assertThat(partition.startOffset()).isEqualTo(2);
        assertThat(letters)
                .containsExactly(
                        new DeadLetter(0, 0, (short) 3, DeadLetter.Cause.DELIVERED_TOO_OFTEN),
                        new DeadLetter(1, 1, (short) 3, DeadLetter.Cause.DELIVERED_TOO_OFTEN));
    }

    @Test
    void sendsRejectedRecordsToTheDeadLetterQueue() {
        acquire(ANN, batch(0, 9));

        assertThat(acknowledge(ANN, 4, 6, Acknowledgement.REJECT)).isEqualTo(Errors.NONE);

        assertThat(letters).containsExactly(new DeadLetter(4, 6, (short) 1, DeadLetter.Cause.REJECTED));
        assertThat(store.kept().get(5L)).isEqualTo(new SimulatedStore.Kept(SavedRange.ARCHIVED, (short) 1));
    }

    @Test
    void countsNoDeliveryForWhatAMemberGivesBackUnseen() {
        acquire(ANN, batch(0, 9));

        partition.release(ANN, false);

        assertThat(acquire(BOB, batch(0, 9))).containsExactly(range(0, 9, 1));
    }

    @Test
    void countsTheDeliveryToAMemberThatWasCutOff() {
        acquire(ANN, batch(0, 9));

        partition.release(ANN, true);

        assertThat(acquire(BOB, batch(0, 9))).containsExactly(range(0, 9, 2));
    }

    @Test
    void resumesFromWhatWasKept() {
        acquire(ANN, batch(0, 9));
        acknowledge(ANN, 0, 9, 1, 1, 2, 1, 3, 1, 1, 1, 1, 2);
        acquire(ANN, batch(0, 9));

        restart();

        assertThat(partition.startOffset()).isEqualTo(2);
        assertThat(acquire(BOB, batch(0, 9), batch(10, 12)))
                .containsExactly(range(2, 2, 2), range(9, 9, 2), range(10, 12, 1));
    }

    @Test
    void keepsTheFirstOffsetBeforeAnythingIsDelivered() {
        SimulatedStore fresh = new SimulatedStore();
        SharePartition other = new SharePartition(
                "g:t-1",
                fresh,
                () -> settings,
                DeadLetters.NONE,
                new SharePartitionListener() {
                    @Override
                    public void onAvailable() {}

                    @Override
                    public void onLost(Errors error) {
                        lost.add(error);
                    }
                },
                new SharePartition.Time(time, time, Runnable::run));

        CompletableFuture<Errors> loaded =
                other.load(() -> CompletableFuture.completedFuture(42L), 1000).toCompletableFuture();

        assertThat(loaded).isNotDone();
        fresh.answerAll();
        assertThat(loaded).isCompletedWithValue(Errors.NONE);
        assertThat(fresh.startOffset).isEqualTo(42);
    }

    @Test
    void leavesRecordsWithTheirHolderWhenTheyWereNotKept() {
        acquire(ANN, batch(0, 9));
        CompletableFuture<Errors> answer = acknowledgeLater(ANN, 0, 9, Acknowledgement.ACCEPT);

        store.answer(false, Errors.COORDINATOR_NOT_AVAILABLE);

        assertThat(answer).isCompletedWithValue(Errors.COORDINATOR_NOT_AVAILABLE);
        assertThat(partition.startOffset()).isZero();
        time.advanceNanos(TimeUnit.SECONDS.toNanos(1));
        assertThat(acknowledge(ANN, 0, 9, Acknowledgement.ACCEPT)).isEqualTo(Errors.NONE);
        assertThat(partition.startOffset()).isEqualTo(10);
    }

    @Test
    void findsOutThatSomethingWasKeptThoughTheAnswerWasAnError() {
        acquire(ANN, batch(0, 9));
        CompletableFuture<Errors> answer = acknowledgeLater(ANN, 0, 9, Acknowledgement.ACCEPT);

        store.answer(true, Errors.COORDINATOR_NOT_AVAILABLE);

        assertThat(answer).isCompletedWithValue(Errors.NONE);
        assertThat(partition.startOffset()).isEqualTo(10);
    }

    @Test
    void givesNobodyWhatMayHaveBeenKeptAsSettled() {
        acquire(ANN, batch(0, 9));
        CompletableFuture<Errors> answer = acknowledgeLater(ANN, 0, 9, Acknowledgement.ACCEPT);
        store.readError = Errors.COORDINATOR_NOT_AVAILABLE;
        store.answer(true, Errors.COORDINATOR_NOT_AVAILABLE);

        assertThat(answer).isNotDone();
        time.advanceNanos(TimeUnit.SECONDS.toNanos(40));

        assertThat(answer).isCompletedWithValue(Errors.COORDINATOR_NOT_AVAILABLE);
        assertThat(partition.nextOffset()).isEqualTo(10);
        assertThat(acknowledge(ANN, 0, 9, Acknowledgement.ACCEPT)).isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE);
        store.readError = Errors.NONE;
        time.advanceNanos(TimeUnit.SECONDS.toNanos(1));
        assertThat(partition.startOffset()).isEqualTo(10);
    }

    @Test
    void isLostWhenSomebodyElseKeepsItsState() {
        acquire(ANN, batch(0, 9));
        CompletableFuture<Errors> answer = acknowledgeLater(ANN, 0, 9, Acknowledgement.ACCEPT);
        CompletableFuture<Errors> next = acknowledgeLater(ANN, 0, 9, Acknowledgement.ACCEPT);

        store.answer(false, Errors.FENCED_STATE_EPOCH);

        assertThat(answer).isCompletedWithValue(Errors.NOT_LEADER_OR_FOLLOWER);
        assertThat(next).isCompletedWithValue(Errors.INVALID_RECORD_STATE);
        assertThat(lost).containsExactly(Errors.NOT_LEADER_OR_FOLLOWER);
        assertThat(acquire(BOB, batch(10, 12))).isEmpty();
    }

    @Test
    void archivesWhatTheLogHasNoMore() {
        acquire(ANN, batch(0, 9));
        acknowledge(ANN, 0, 9, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2);

        partition.onLogStart(6);
        store.answerAll();

        assertThat(partition.startOffset()).isEqualTo(6);
        assertThat(acquire(BOB, batch(5, 9))).containsExactly(range(6, 9, 2));
    }

    @Test
    void deliversNothingFreeBeyondWhatMayBeRead() {
        acquire(ANN, batch(0, 9));
        acknowledge(ANN, 0, 9, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1);

        assertThat(partition.canAcquire(4)).isFalse();
        assertThat(partition.canAcquire(5)).isTrue();
    }

    @Test
    void keepsThatARecordIsRejectedBeforeItsDeadLetterIsSent() {
        lettersDurable = new CompletableFuture<>();
        acquire(ANN, batch(0, 1));
        CompletableFuture<Errors> answer = acknowledgeLater(ANN, 0, 0, Acknowledgement.REJECT);

        assertThat(letters).isEmpty();
        store.answerAll();

        assertThat(answer).isCompletedWithValue(Errors.NONE);
        assertThat(letters).containsExactly(new DeadLetter(0, 0, (short) 1, DeadLetter.Cause.REJECTED));
        assertThat(store.kept().get(0L)).isEqualTo(new SimulatedStore.Kept(SavedRange.ARCHIVING, (short) 1));
        lettersDurable.complete(null);
        store.answerAll();
        assertThat(store.startOffset).isEqualTo(1);
    }

    @Test
    void passesNoRecordWhoseDeadLetterIsNotDurable() {
        lettersDurable = new CompletableFuture<>();
        acquire(ANN, batch(0, 1));
        acknowledge(ANN, 0, 0, Acknowledgement.REJECT);

        acknowledge(ANN, 1, 1, Acknowledgement.ACCEPT);

        assertThat(store.startOffset).isZero();
        letters.clear();
        restart();
        assertThat(letters).containsExactly(new DeadLetter(0, 0, (short) 1, DeadLetter.Cause.REJECTED));
    }

    @Test
    void archivesWithoutADetourWhereThereIsNoDeadLetterQueue() {
        settings = new ShareGroupSettings(3, 30_000, 100, true, false, false, "earliest");
        acquire(ANN, batch(0, 9));

        acknowledge(ANN, 0, 0, Acknowledgement.REJECT);

        assertThat(letters).isEmpty();
        assertThat(store.startOffset).isEqualTo(1);
    }

    @Test
    void triesAgainToKeepThatADeadLetterWasSent() {
        acquire(ANN, batch(0, 0));
        CompletableFuture<?> unused = acknowledgeLater(ANN, 0, 0, Acknowledgement.REJECT);
        store.answer(true, Errors.NONE);

        store.answer(false, Errors.COORDINATOR_NOT_AVAILABLE);
        time.advanceNanos(TimeUnit.SECONDS.toNanos(1));
        store.answerAll();

        assertThat(store.startOffset).isEqualTo(1);
        assertThat(letters).hasSize(1);
    }

    @Test
    void givesUpARecordThatKillsItsLoneConsumerWithOneDeadLetter() {
        for (int crash = 0; crash < 3; crash++) {
            lettersDurable = new CompletableFuture<>();
            assertThat(acquire(ANN, batch(0, 0))).containsExactly(range(0, 0, crash + 1));
            partition.release(ANN, true);
            partition.retire();
            store.answerAll();
            lettersDurable.complete(null);
            store.answerAll();
            assertThat(lost).hasSize(crash + 1);
            partition = create();
            load(0);
        }

        assertThat(partition.startOffset()).isEqualTo(1);
        assertThat(letters).hasSize(1);
    }

    @Test
    void keepsCountsOfALastMemberThatDiesDuringAWrite() {
        acquire(ANN, batch(0, 9));
        CompletableFuture<?> unused = acknowledgeLater(ANN, 9, 9, Acknowledgement.ACCEPT);

        partition.release(ANN, true);
        partition.retire();
        assertThat(lost).isEmpty();
        store.answerAll();

        assertThat(lost).containsExactly(Errors.NOT_LEADER_OR_FOLLOWER);
        restart();
        assertThat(acquire(BOB, batch(0, 9))).containsExactly(range(0, 8, 2));
    }

    @Test
    void countsWhatIsStillHeldWhenNobodyReadsAnyMore() {
        acquire(ANN, batch(0, 9));

        partition.retire();
        store.answerAll();

        restart();
        assertThat(acquire(BOB, batch(0, 9))).containsExactly(range(0, 9, 2));
    }

    @Test
    void deliversNothingWhileItRetiresAndGoesOnWhenSomebodyReadsAgain() {
        acquire(ANN, batch(0, 9));
        CompletableFuture<?> unused = acknowledgeLater(ANN, 0, 9, Acknowledgement.RELEASE);
        partition.retire();

        assertThat(partition.canAcquire(1000)).isFalse();
        assertThat(acquire(BOB, batch(10, 19))).isEmpty();
        assertThat(partition.reuse()).isTrue();
        store.answerAll();

        assertThat(lost).isEmpty();
        assertThat(acquire(BOB, batch(0, 9))).containsExactly(range(0, 9, 2));
    }

    @Test
    void isLostAtOnceWhenItRetiresWithNothingToKeep() {
        partition.retire();

        assertThat(lost).containsExactly(Errors.NOT_LEADER_OR_FOLLOWER);
        assertThat(partition.reuse()).isFalse();
    }

    @Test
    void doesNotTryForEverToKeepTheLastOfIt() {
        acquire(ANN, batch(0, 9));
        partition.retire();
        for (int i = 0; i < 20 && store.writes() > 0; i++) {
            store.answer(false, Errors.COORDINATOR_NOT_AVAILABLE);
            time.advanceNanos(TimeUnit.SECONDS.toNanos(1));
        }

        assertThat(lost).containsExactly(Errors.NOT_LEADER_OR_FOLLOWER);
        assertThat(store.writes()).isZero();
    }

    @Test
    void doesNotComeToLifeWhenItIsClosedWhileItLoads() {
        SimulatedStore fresh = new SimulatedStore();
        SharePartition other = new SharePartition(
                "g:t-1",
                fresh,
                () -> settings,
                DeadLetters.NONE,
                new SharePartitionListener() {
                    @Override
                    public void onAvailable() {}

                    @Override
                    public void onLost(Errors error) {
                        lost.add(error);
                    }
                },
                new SharePartition.Time(time, time, Runnable::run));
        CompletableFuture<Errors> loaded =
                other.load(() -> CompletableFuture.completedFuture(0L), 1000).toCompletableFuture();

        other.close();
        fresh.answerAll();

        assertThat(loaded).isCompletedWithValue(Errors.NOT_LEADER_OR_FOLLOWER);
        assertThat(other.canAcquire(1000)).isFalse();
    }

    @Test
    void beginsAnewWhereTheLogHasLostItsEnd() {
        store.plant(100, new SavedRange(105, 110, SavedRange.ACKNOWLEDGED, (short) 1));
        partition = create();
        load(0, 50);
        acquire(ANN, batch(50, 54));
        acknowledge(ANN, 50, 54, Acknowledgement.ACCEPT);

        partition = create();
        load(0, 150);

        assertThat(partition.nextOffset()).isEqualTo(55);
        assertThat(acquire(BOB, batch(55, 149))).containsExactly(range(55, 149, 1));
    }

    @Test
    void forgetsWhatWasSettledOfRecordsThatTheLogHasLost() {
        store.plant(
                40,
                new SavedRange(42, 44, SavedRange.ACKNOWLEDGED, (short) 1),
                new SavedRange(48, 70, SavedRange.ACKNOWLEDGED, (short) 1));
        partition = create();
        load(0, 50);

        partition = create();
        load(0, 150);

        assertThat(acquire(BOB, batch(40, 49), batch(50, 149)))
                .containsExactly(range(40, 41, 1), range(45, 47, 1), range(50, 149, 1));
    }

    @Test
    void bringsDeliveryCountsThatNoGroupCanReachBackToItsLimit() {
        store.plant(
                0,
                new SavedRange(0, 0, SavedRange.AVAILABLE, Short.MAX_VALUE),
                new SavedRange(1, 1, SavedRange.AVAILABLE, (short) -7));
        partition = create();
        load(0);

        assertThat(acquire(ANN, batch(0, 1))).containsExactly(range(0, 0, 4), range(1, 1, 1));
        acknowledge(ANN, 0, 1, Acknowledgement.RELEASE);
        assertThat(letters).containsExactly(new DeadLetter(0, 0, (short) 4, DeadLetter.Cause.DELIVERED_TOO_OFTEN));
    }
}
