package io.sluice.broker.share;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.simulation.Batches;
import io.sluice.coordinator.share.AcquireLimits;
import io.sluice.coordinator.share.AcquiredRange;
import io.sluice.coordinator.share.DeadLetters;
import io.sluice.coordinator.share.FetchedBatch;
import io.sluice.coordinator.share.LibraryStore;
import io.sluice.coordinator.share.PatientShareState;
import io.sluice.coordinator.share.SharePartition;
import io.sluice.storage.log.LogState;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** Who may read a share partition, when, and in which order. */
class ServedSharePartitionTest {
    private static final String GROUP = "g";

    private final ShareNode node = new ShareNode();
    private final List<ServedSharePartition> gone = new ArrayList<>();

    /** Keeps what it is told. */
    private static final class RecordingTurn implements ShareTurn {
        int turns;
        final List<Errors> lost = new ArrayList<>();

        @Override
        public void onTurn(ServedSharePartition partition) {
            turns++;
        }

        @Override
        public void onLost(ServedSharePartition partition) {
            lost.add(partition.lost());
        }
    }

    private final RecordingTurn ann = new RecordingTurn();
    private final RecordingTurn bob = new RecordingTurn();
    private final RecordingTurn cid = new RecordingTurn();

    private ServedSharePartition served() {
        ServedSharePartition partition = node.serve(GROUP, 0);
        assertThat(partition.records().canAcquire(1)).as("loaded").isTrue();
        return partition;
    }

    private ServedSharePartition load(Function<SharePartition, CompletionStage<Errors>> load) {
        return new ServedSharePartition(
                new ShareKey(GROUP, node.topic.partitionId(0)),
                node.log(0),
                node.partitions.configs(),
                listener -> new SharePartition(
                        "g:t-0",
                        new LibraryStore(node.patientState, new PatientShareState.Key(GROUP, node.topicId, 0), 0),
                        () -> node.partitions.configs().of(GROUP),
                        DeadLetters.NONE,
                        listener,
                        node.times),
                load,
                gone::add);
    }

    private void append(String value) {
        node.append(0, Batches.of(1, value));
    }

    private static List<AcquiredRange> take(ServedSharePartition partition, String holder, long offset) {
        return partition
                .records()
                .acquire(holder, offset, List.of(new FetchedBatch(offset, offset, true)), new AcquireLimits(1, false));
    }

    @Test
    void oneAtATimeReadsInTheOrderInWhichTheyCame() {
        ServedSharePartition partition = served();
        partition.enqueue(ann);
        partition.enqueue(bob);
        append("one");
        assertThat(List.of(ann.turns, bob.turns)).containsExactly(1, 0);

        partition.end(ann);

        assertThat(List.of(ann.turns, bob.turns)).containsExactly(1, 1);
        partition.enqueue(ann);
        partition.enqueue(cid);
        partition.end(bob);
        assertThat(List.of(ann.turns, bob.turns, cid.turns))
                .as("who has had a turn comes after those who wait")
                .containsExactly(2, 1, 0);
    }

    @Test
    void givesNoTurnWhereNothingIsFree() {
        ServedSharePartition partition = served();
        partition.enqueue(ann);
        assertThat(ann.turns).isZero();
        append("one");
        assertThat(take(partition, "ann", 0)).hasSize(1);

        partition.end(ann);
        partition.enqueue(bob);

        assertThat(bob.turns).isZero();
        partition.records().release("ann", true);
        assertThat(bob.turns).as("after it was given back").isEqualTo(1);
    }

    @Test
    void beginsAtOnceOnlyWhereNobodyReadsOrWaits() {
        ServedSharePartition partition = served();
        assertThat(partition.tryBegin(ann)).as("there is nothing").isFalse();
        append("one");
        assertThat(partition.tryBegin(ann)).isTrue();
        assertThat(partition.tryBegin(bob)).as("somebody reads").isFalse();
        assertThat(take(partition, "ann", 0)).hasSize(1);
        partition.enqueue(bob);
        partition.end(ann);
        append("two");
        assertThat(bob.turns).isEqualTo(1);

        partition.enqueue(cid);
        assertThat(take(partition, "bob", 1)).hasSize(1);
        partition.end(bob);
        append("three");

        assertThat(cid.turns).isEqualTo(1);
        assertThat(partition.tryBegin(ann)).as("somebody was first").isFalse();
    }

    @Test
    void passesOverWhoHasWithdrawn() {
        ServedSharePartition partition = served();
        partition.enqueue(ann);
        partition.enqueue(bob);
        partition.withdraw(ann);

        append("one");

        assertThat(List.of(ann.turns, bob.turns)).containsExactly(0, 1);
    }

    @Test
    void aTurnThatIsNotOnesOwnIsNotEnded() {
        ServedSharePartition partition = served();
        append("one");
        assertThat(partition.tryBegin(ann)).isTrue();
        partition.enqueue(cid);

        partition.end(bob);

        assertThat(cid.turns).isZero();
    }

    @Test
    void givesATurnToWhoWaitedWhileItLoaded() {
        append("one");
        node.state.holdReads(0);
        ServedSharePartition partition = load(records -> records.load(() -> CompletableFuture.completedFuture(0L), 1));
        assertThat(partition.tryBegin(ann)).isFalse();
        partition.enqueue(ann);
        assertThat(ann.turns).isZero();

        node.state.answerReads(0);

        assertThat(ann.turns).isEqualTo(1);
    }

    @Test
    void tellsThoseWhoWaitAndThoseWhoComeThatItIsLost() {
        ServedSharePartition partition = served();
        partition.enqueue(ann);

        node.log(0).become(LogState.DELETED);
        partition.enqueue(bob);

        assertThat(ann.lost).containsExactly(Errors.NOT_LEADER_OR_FOLLOWER);
        assertThat(bob.lost).containsExactly(Errors.NOT_LEADER_OR_FOLLOWER);
        partition.end(cid);
        assertThat(List.of(ann.turns, bob.turns)).containsExactly(0, 0);
        assertThat(partition.tryBegin(cid)).isFalse();
        assertThat(node.log(0).listenerCount()).as("listeners").isZero();
        assertThat(node.partitions.size()).isZero();
    }

    @Test
    void tellsThoseWhoWaitThatItCouldNotBeLoaded() {
        CompletableFuture<Errors> loading = new CompletableFuture<>();
        ServedSharePartition partition = load(records -> loading);
        partition.enqueue(ann);

        loading.completeExceptionally(new IllegalStateException("a defect"));

        assertThat(ann.lost).containsExactly(Errors.NOT_LEADER_OR_FOLLOWER);
        assertThat(gone).containsExactly(partition);
    }

    @Test
    void isLostWhereItsLogWasGoneBeforeItListened() {
        node.log(0).become(LogState.DELETED);

        ServedSharePartition partition = load(records -> records.load(() -> CompletableFuture.completedFuture(0L), 0));

        assertThat(partition.lost()).isEqualTo(Errors.NOT_LEADER_OR_FOLLOWER);
        assertThat(gone).containsExactly(partition);
        assertThat(node.log(0).listenerCount()).isZero();
    }
}
