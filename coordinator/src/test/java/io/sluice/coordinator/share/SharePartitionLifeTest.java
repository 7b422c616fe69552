package io.sluice.coordinator.share;

import static io.sluice.coordinator.share.SharePartitionWorld.ANN;
import static io.sluice.coordinator.share.SharePartitionWorld.BOB;
import static io.sluice.coordinator.share.SharePartitionWorld.batch;
import static io.sluice.coordinator.share.SharePartitionWorld.range;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.storage.config.ShareGroupKeys;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How a share partition begins, retires and ends. */
class SharePartitionLifeTest {
    private final SharePartitionWorld world = new SharePartitionWorld();

    @BeforeEach
    void begin() {
        world.load(0);
    }

    @Test
    void resumesFromWhatWasKept() {
        world.acquire(ANN, batch(0, 9));
        world.acknowledge(ANN, 0, 9, 1, 1, 2, 1, 3, 1, 1, 1, 1, 2);
        world.acquire(ANN, batch(0, 9));

        world.restart();

        assertThat(world.partition.startOffset()).isEqualTo(2);
        assertThat(world.acquire(BOB, batch(0, 9), batch(10, 12)))
                .containsExactly(range(2, 2, 2), range(9, 9, 2), range(10, 12, 1));
    }

    @Test
    void givesUpARecordThatKillsItsLoneConsumerWithOneDeadLetter() {
        for (int crash = 0; crash < 3; crash++) {
            world.lettersDurable = new CompletableFuture<>();
            assertThat(world.acquire(ANN, batch(0, 0))).containsExactly(range(0, 0, crash + 1));
            world.partition.release(ANN, true);
            world.partition.retire();
            world.store.answerAll();
            world.lettersDurable.complete(null);
            world.store.answerAll();
            assertThat(world.lost).hasSize(crash + 1);
            world.partition = world.create();
            world.load(0);
        }

        assertThat(world.partition.startOffset()).isEqualTo(1);
        assertThat(world.letters).hasSize(1);
    }

    @Test
    void keepsCountsOfALastMemberThatDiesDuringAWrite() {
        world.acquire(ANN, batch(0, 9));
        CompletableFuture<?> unused = world.acknowledgeLater(ANN, 9, 9, Acknowledgement.ACCEPT);

        world.partition.release(ANN, true);
        world.partition.retire();
        assertThat(world.lost).isEmpty();
        world.store.answerAll();

        assertThat(world.lost).containsExactly(Errors.NOT_LEADER_OR_FOLLOWER);
        world.restart();
        assertThat(world.acquire(BOB, batch(0, 9))).containsExactly(range(0, 8, 2));
    }

    @Test
    void countsWhatIsStillHeldWhenNobodyReadsAnyMore() {
        world.acquire(ANN, batch(0, 9));

        world.partition.retire();
        world.store.answerAll();

        world.restart();
        assertThat(world.acquire(BOB, batch(0, 9))).containsExactly(range(0, 9, 2));
    }

    @Test
    void deliversNothingWhileItRetiresAndGoesOnWhenSomebodyReadsAgain() {
        world.acquire(ANN, batch(0, 9));
        CompletableFuture<?> unused = world.acknowledgeLater(ANN, 0, 9, Acknowledgement.RELEASE);
        world.partition.retire();

        assertThat(world.partition.canAcquire(1000)).isFalse();
        assertThat(world.acquire(BOB, batch(10, 19))).isEmpty();
        assertThat(world.partition.reuse()).isTrue();
        world.store.answerAll();

        assertThat(world.lost).isEmpty();
        assertThat(world.acquire(BOB, batch(0, 9))).containsExactly(range(0, 9, 2));
    }

    @Test
    void isLostAtOnceWhenItRetiresWithNothingToKeep() {
        world.partition.retire();

        assertThat(world.lost).containsExactly(Errors.NOT_LEADER_OR_FOLLOWER);
        assertThat(world.partition.reuse()).isFalse();
    }

    @Test
    void doesNotTryForEverToKeepTheLastOfIt() {
        world.acquire(ANN, batch(0, 9));
        world.partition.retire();
        for (int i = 0; i < 20 && world.store.writes() > 0; i++) {
            world.store.answer(false, Errors.COORDINATOR_NOT_AVAILABLE);
            world.time.advanceNanos(TimeUnit.SECONDS.toNanos(1));
        }

        assertThat(world.lost).containsExactly(Errors.NOT_LEADER_OR_FOLLOWER);
        assertThat(world.store.writes()).isZero();
    }

    @Test
    void beginsAnewWhereTheLogHasLostItsEnd() {
        world.store.plant(100, new SavedRange(105, 110, SavedRange.ACKNOWLEDGED, (short) 1));
        world.partition = world.create();
        world.load(0, 50);
        world.acquire(ANN, batch(50, 54));
        world.acknowledge(ANN, 50, 54, Acknowledgement.ACCEPT);

        world.partition = world.create();
        world.load(0, 150);

        assertThat(world.partition.nextOffset()).isEqualTo(55);
        assertThat(world.acquire(BOB, batch(55, 149))).containsExactly(range(55, 149, 1));
    }

    @Test
    void forgetsWhatWasSettledOfRecordsThatTheLogHasLost() {
        world.store.plant(
                40,
                new SavedRange(42, 44, SavedRange.ACKNOWLEDGED, (short) 1),
                new SavedRange(48, 70, SavedRange.ACKNOWLEDGED, (short) 1));
        world.partition = world.create();
        world.load(0, 50);

        world.partition = world.create();
        world.load(0, 150);

        assertThat(world.acquire(BOB, batch(40, 49), batch(50, 149)))
                .containsExactly(range(40, 41, 1), range(45, 47, 1), range(50, 149, 1));
    }

    @Test
    void forgetsDeliveryCountsThatNoGroupCanHave() {
        world.store.plant(
                0,
                new SavedRange(0, 0, SavedRange.AVAILABLE, Short.MAX_VALUE),
                new SavedRange(1, 1, SavedRange.AVAILABLE, (short) -7));
        world.partition = world.create();
        world.load(0);

        assertThat(world.store.resets).isEqualTo(1);
        int given = ShareGroupKeys.MOST_DELIVERIES;
        assertThat(world.acquire(ANN, batch(0, 1))).containsExactly(range(0, 0, given), range(1, 1, 1));
        world.acknowledge(ANN, 0, 1, Acknowledgement.RELEASE);
        assertThat(world.letters)
                .containsExactly(new DeadLetter(0, 0, (short) given, DeadLetter.Cause.DELIVERED_TOO_OFTEN));
    }

    @Test
    void bringsADeliveryCountIntoItsRangeOnce() {
        world.store.plant(0, new SavedRange(1, 1, SavedRange.AVAILABLE, Short.MAX_VALUE));
        world.restart();
        world.acquire(ANN, batch(0, 1));
        world.acknowledge(ANN, 1, 1, Acknowledgement.ACCEPT);

        world.restart();

        assertThat(world.store.resets).isEqualTo(1);
    }

    @Test
    void leavesDeliveryCountsOfWhatIsSettledAlone() {
        world.store.plant(0, new SavedRange(1, 1, SavedRange.ACKNOWLEDGED, Short.MAX_VALUE));

        world.restart();

        assertThat(world.store.resets).isZero();
        assertThat(world.acquire(ANN, batch(0, 2))).containsExactly(range(0, 0, 1), range(2, 2, 1));
    }

    @Test
    void keepsTheFirstOffsetBeforeAnythingIsDelivered() {
        SharePartitionWorld fresh = new SharePartitionWorld();

        CompletableFuture<Errors> loaded = fresh.loadLater(42, 1000);

        assertThat(loaded).isNotDone();
        fresh.store.answerAll();
        assertThat(loaded).isCompletedWithValue(Errors.NONE);
        assertThat(fresh.store.startOffset).isEqualTo(42);
    }

    @Test
    void doesNotComeToLifeWhenItIsClosedWhileItLoads() {
        SharePartitionWorld fresh = new SharePartitionWorld();
        CompletableFuture<Errors> loaded = fresh.loadLater(0, 1000);

        fresh.partition.close();
        fresh.store.answerAll();

        assertThat(loaded).isCompletedWithValue(Errors.NOT_LEADER_OR_FOLLOWER);
        assertThat(fresh.partition.canAcquire(1000)).isFalse();
    }

    @Test
    void keepsCountsAndAllThatIsSettledWhereTheGroupsLimitIsLowered() {
        world.acquire(ANN, batch(0, 1));
        world.acknowledge(ANN, 0, 1, Acknowledgement.RELEASE, Acknowledgement.RELEASE);
        world.acquire(ANN, batch(0, 1));
        world.acknowledge(ANN, 0, 1, Acknowledgement.RELEASE, Acknowledgement.ACCEPT);

        world.limitDeliveries(1);
        world.restart();
        world.limitDeliveries(5);
        world.restart();

        assertThat(world.store.resets).isZero();
        assertThat(world.acquire(BOB, batch(0, 1))).containsExactly(range(0, 0, 3));
    }

    @Test
    void finishesLoadingBeforeItsSuccessorMayLoad() {
        world.store.plant(40, new SavedRange(45, 60, SavedRange.ACKNOWLEDGED, (short) 1));
        world.partition = world.create();
        CompletableFuture<Errors> loaded = world.loadLater(0, 50);
        assertThat(world.store.resets).isEqualTo(1);

        world.partition.retire();
        assertThat(world.lost).isEmpty();
        assertThat(world.partition.reuse()).isTrue();
        world.partition.retire();
        world.store.answerAll();

        assertThat(loaded).isCompletedWithValue(Errors.NOT_LEADER_OR_FOLLOWER);
        assertThat(world.lost).containsExactly(Errors.NOT_LEADER_OR_FOLLOWER);
        assertThat(world.partition.reuse()).isFalse();
        assertThat(world.store.kept().keySet()).containsExactly(45L, 46L, 47L, 48L, 49L);
    }

    @Test
    void goesOnWhereSomebodyReadsAgainWhileItLoads() {
        SharePartitionWorld fresh = new SharePartitionWorld();
        CompletableFuture<Errors> loaded = fresh.loadLater(0, 1000);

        fresh.partition.retire();
        assertThat(fresh.partition.reuse()).isTrue();
        fresh.store.answerAll();

        assertThat(loaded).isCompletedWithValue(Errors.NONE);
        assertThat(fresh.acquire(ANN, batch(0, 9))).containsExactly(range(0, 9, 1));
    }

    /** Ann has rejected offset 0, and held the nine behind it. */
    private void retireWithALetterUnderWay() {
        world.lettersDurable = new CompletableFuture<>();
        world.acquire(ANN, batch(0, 9));
        world.acknowledge(ANN, 0, 0, Acknowledgement.REJECT);
        world.partition.retire();
        world.store.answerAll();
    }

    @Test
    void deliversNothingByAStateThatWasAlteredWhileItRetired() {
        retireWithALetterUnderWay();
        assertThat(world.lost).isEmpty();
        world.store.alter(500);

        assertThat(world.partition.reuse()).isFalse();

        assertThat(world.acquire(BOB, batch(0, 9))).isEmpty();
        assertThat(world.lost).containsExactly(Errors.NOT_LEADER_OR_FOLLOWER);
        world.restart();
        assertThat(world.partition.nextOffset()).isEqualTo(500);
    }

    @Test
    void deliversNothingByTheStateOfAGroupThatWasDeletedAndMadeAgain() {
        world.lettersDurable = new CompletableFuture<>();
        world.acquire(ANN, batch(0, 9));
        world.acknowledge(ANN, 5, 9, Acknowledgement.ACCEPT);
        world.acknowledge(ANN, 0, 0, Acknowledgement.REJECT);
        world.partition.retire();
        world.store.answerAll();
        world.store.beginAnew(SharePartitionStore.UNINITIALIZED);

        assertThat(world.partition.reuse()).isFalse();

        world.restart();
        assertThat(world.acquire(BOB, batch(0, 9))).containsExactly(range(0, 9, 1));
    }

    @Test
    void deliversNothingByTheStateOfAGroupThatWasMadeAgainFurtherOn() {
        retireWithALetterUnderWay();
        world.store.beginAnew(500);

        assertThat(world.partition.reuse()).isFalse();

        world.restart();
        assertThat(world.partition.nextOffset()).isEqualTo(500);
    }

    /** Ann has accepted offsets 0 to 4, holds the five behind them, and has just accepted those too. */
    private CompletableFuture<Errors> acceptWithAWriteUnderWay() {
        world.acquire(ANN, batch(0, 9));
        world.acknowledge(ANN, 0, 4, Acknowledgement.ACCEPT);
        return world.acknowledgeLater(ANN, 5, 9, Acknowledgement.ACCEPT);
    }

    @Test
    void takesNoGroupThatWasMadeAgainWhileAWriteWasInDoubtForItsOwn() {
        isLostWhereTheGroupIsMadeAgainFrom(100);
    }

    @Test
    void writesNothingToAGroupThatWasMadeAgainAndHasNotBegunWhileAWriteWasInDoubt() {
        isLostWhereTheGroupIsMadeAgainFrom(SharePartitionStore.UNINITIALIZED);
    }

    private void isLostWhereTheGroupIsMadeAgainFrom(long startOffset) {
        CompletableFuture<Errors> accepted = acceptWithAWriteUnderWay();

        world.store.beginAnew(startOffset);
        world.store.answer(false, Errors.COORDINATOR_NOT_AVAILABLE);

        assertThat(world.lost).containsExactly(Errors.NOT_LEADER_OR_FOLLOWER);
        assertThat(accepted).isCompletedWithValue(Errors.NOT_LEADER_OR_FOLLOWER);
        world.time.advanceNanos(TimeUnit.SECONDS.toNanos(60));
        assertThat(world.store.writes()).isZero();
    }

    @Test
    void goesOnWhereTheWriteUnderWayIsKeptWhenSomebodyReadsAgain() {
        CompletableFuture<Errors> accepted = acceptWithAWriteUnderWay();
        world.partition.retire();
        world.store.keepFirst();

        assertThat(world.partition.reuse()).isTrue();
        world.store.answerAll();

        assertThat(world.lost).isEmpty();
        assertThat(accepted).isCompletedWithValue(Errors.NONE);
        assertThat(world.acquire(BOB, batch(10, 19))).containsExactly(range(10, 19, 1));
    }

    @Test
    void doesNotTryForEverToReadItsStateAgain() {
        retireWithALetterUnderWay();
        world.store.readError = Errors.COORDINATOR_NOT_AVAILABLE;

        assertThat(world.partition.reuse()).isTrue();
        world.time.advanceNanos(TimeUnit.SECONDS.toNanos(20));
        assertThat(world.lost).as("a letter is under way").isEmpty();
        world.lettersDurable.complete(null);
        world.store.answerAll();
        world.time.advanceNanos(TimeUnit.SECONDS.toNanos(1));

        assertThat(world.lost).containsExactly(Errors.COORDINATOR_NOT_AVAILABLE);
    }

    @Test
    void waitsUntilItsStateCanBeReadBeforeItGoesOn() {
        retireWithALetterUnderWay();
        world.store.readError = Errors.COORDINATOR_NOT_AVAILABLE;

        assertThat(world.partition.reuse()).isTrue();
        assertThat(world.partition.canAcquire(1000)).isFalse();
        world.available = 0;
        world.store.readError = Errors.NONE;
        world.time.advanceNanos(TimeUnit.SECONDS.toNanos(1));

        assertThat(world.available).isPositive();
        assertThat(world.acquire(BOB, batch(1, 9))).containsExactly(range(1, 9, 2));
    }

    @Test
    void retiresWhereNobodyReadsAnyMoreWhileItsStateIsReadAgain() {
        world.lettersDurable = new CompletableFuture<>();
        world.acquire(ANN, batch(0, 9));
        world.acknowledge(ANN, 0, 0, Acknowledgement.REJECT);
        world.partition.retire();
        world.store.readError = Errors.COORDINATOR_NOT_AVAILABLE;
        assertThat(world.partition.reuse()).isTrue();

        world.partition.retire();
        world.store.readError = Errors.NONE;
        world.time.advanceNanos(TimeUnit.SECONDS.toNanos(1));
        assertThat(world.partition.canAcquire(1000)).isFalse();
        world.lettersDurable.complete(null);
        world.store.answerAll();

        assertThat(world.lost).containsExactly(Errors.NOT_LEADER_OR_FOLLOWER);
    }
}
