package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.TestBatches;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Deletions beside checkpoints, and ends of the process between the two. */
class DeletionTest {
    private final LocalWorld world = new LocalWorld();

    private static PartitionId partition(int logId) {
        return new PartitionId(new TopicId(1, logId), 0);
    }

    private CompletableFuture<PartitionLog> begin(int logId, int epoch) {
        return world.store().open(partition(logId), "t", logId, epoch, Map.of()).toCompletableFuture();
    }

    private PartitionLog open(int logId, int epoch) {
        var stage = begin(logId, epoch);
        world.settle();
        return stage.join();
    }

    private static void append(PartitionLog log, int bytes) {
        ByteBuf batch = TestBatches.ofSize(bytes);
        assertThat(log.append(batch, log.leaderEpoch(), AppendOrigin.CLIENT)).isInstanceOf(AppendResult.Appended.class);
        batch.release();
    }

    @Test
    void isNotInTheCatalogueBeforeItIsInTheJournal() {
        PartitionLog log = open(1, 0);
        append(log, 100_000);
        PartitionLog other = open(2, 0);
        world.checkpoint();

        append(other, 100); // a checkpoint waits for its flush
        var checkpoint = world.store().checkpoint().toCompletableFuture();
        world.runTasks();
        assertThat(begin(1, 1)).isCompleted(); // behind what the checkpoint lets go
        append(log, 100);
        world.journal().flush();
        assertThat(checkpoint).isNotDone();
        world.store().delete(log.id());
        world.runTasks();
        assertThat(checkpoint).isCompleted();
        world.kill();

        assertThat(open(1, 2).endOffset()).isEqualTo(2);
    }

    @Test
    void leavesTheLogWholeForAsLongAsTheJournalHasNoRoomForIt() {
        PartitionLog log = open(1, 0);
        append(log, 100_000);
        world.settle();
        world.checkpoint();
        append(log, 100);
        world.settle();

        world.limitPendingBytes(0);
        world.store().delete(log.id());
        world.checkpoint();
        assertThat(world.disk().size()).isZero();
        world.kill();

        assertThat(open(1, 1).endOffset()).isEqualTo(2);
    }

    @Test
    void isOverOnceACheckpointHasLetItsEntryGo() throws IOException {
        PartitionLog log = open(1, 0);
        append(log, 100_000);
        world.checkpoint();
        Path directory = ((LocalPartitionLog) log).contents().directory().path();
        world.limitPendingBytes(0);
        world.store().delete(log.id());
        world.runTasks();
        world.limitPendingBytes(Long.MAX_VALUE);
        world.settle();
        assertThat(world.simulatedFileSystem().exists(directory)).isFalse();
        world.checkpoint();
        assertThat(world.disk().size()).isZero();
        world.kill();

        assertThat(world.store().recoveredLeaderEpoch(1)).isEmpty();
    }
}
