package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.TestBatches;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checkpoints that cannot open what they have to force. */
class MissingHandlesTest {
    private final LocalWorld world = new LocalWorld();

    private PartitionLog open(int logId) {
        var stage = world.store()
                .open(new PartitionId(new TopicId(1, logId), 0), "t", logId, 0, Map.of())
                .toCompletableFuture();
        world.settle();
        return stage.join();
    }

    private static AppendResult append(PartitionLog log, ByteBuf batch) {
        AppendResult result = log.append(batch, log.leaderEpoch(), AppendOrigin.CLIENT);
        batch.release();
        return result;
    }

    private static Path segmentOf(PartitionLog log) {
        return ((LocalPartitionLog) log).contents().segments()[0].file().path();
    }

    /** The segment's own directory, or the one above it: nothing was forced, so nothing is lost, and the next one is as good. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void theNextCheckpointForcesWhatCouldNotBeOpened(int opened) {
        PartitionLog log = open(1);
        append(log, TestBatches.ofSize(100_000));
        world.settle();
        world.simulatedFileSystem().refuseDirectories(opened, 1);
        var refused = world.store().checkpoint().toCompletableFuture();
        world.settle();

        assertThat(refused).isCompletedExceptionally();
        assertThat(world.store().isFenced()).isFalse();
        assertThat(append(log, TestBatches.of("b"))).isInstanceOf(AppendResult.Appended.class);

        world.checkpoint();
        world.cutPower();
        assertThat(open(1).endOffset()).isEqualTo(2);
    }

    @Test
    void theNextCheckpointForcesASegmentWhoseFileCouldNotBeOpened() {
        PartitionLog log = open(1);
        append(log, TestBatches.ofSize(100_000));
        for (int other = 2; other < 100; other++) {
            append(open(other), TestBatches.of("a")); // more than may be open
        }
        world.settle();
        world.simulatedFileSystem()
                .failWith(
                        (operation, path) ->
                                operation == SimulatedFileSystem.Operation.OPEN && path.equals(segmentOf(log)),
                        0,
                        1);
        var refused = world.store().checkpoint().toCompletableFuture();
        world.settle();

        assertThat(refused).isCompletedExceptionally();
        assertThat(world.store().isFenced()).isFalse();
        world.checkpoint();
        world.cutPower();
        assertThat(open(1).endOffset()).isEqualTo(1);
        assertThat(open(99).endOffset()).isEqualTo(1);
    }
}
