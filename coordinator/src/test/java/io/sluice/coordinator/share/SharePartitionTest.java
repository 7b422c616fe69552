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
    private int available;
    private ShareGroupSettings settings = new ShareGroupSettings(3, 30_000, 100, true, false, "earliest");
    private SharePartition partition = create();

    private SharePartition create() {
        return new SharePartition(
                "g:t-0",
                store,
                () -> settings,
                sent -> {
                    letters.addAll(sent);
                    return CompletableFuture.completedFuture(null);
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
        CompletableFuture<Errors> loaded = partition
                .load(() -> CompletableFuture.completedFuture(firstOffset), 1000)
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
        assertThat(store.kept.keySet()).containsExactly(5L, 7L);
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
        settings = new ShareGroupSettings(3, 30_000, 100, false, false, "earliest");
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
        assertThat(store.kept.get(5L)).isEqualTo(new SimulatedStore.Kept(SavedRange.ARCHIVED, (short) 1));
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
    void leavesRecordsWithTheirHolderWhenNobodyKnowsWhetherItWasKept() {
        acquire(ANN, batch(0, 9));
        CompletableFuture<Errors> answer = acknowledgeLater(ANN, 0, 9, Acknowledgement.ACCEPT);

        store.answer(true, Errors.COORDINATOR_NOT_AVAILABLE);

        assertThat(answer).isCompletedWithValue(Errors.COORDINATOR_NOT_AVAILABLE);
        assertThat(partition.startOffset()).isZero();
        time.advanceNanos(TimeUnit.SECONDS.toNanos(1));
        assertThat(acknowledge(ANN, 0, 9, Acknowledgement.ACCEPT)).isEqualTo(Errors.NONE);
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
}
