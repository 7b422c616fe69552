package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.storage.file.SimulatedFileSystem.Operation;
import io.sluice.storage.local.segment.Segment;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.TestBatches;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EarlyForceTest {
    private static final int LIMIT = 128 << 10;
    private static final int HALF = 70_000;

    private final LocalWorld world = new LocalWorld();
    private final List<String> forced = new ArrayList<>();
    private PartitionLog hot = open(1);

    @BeforeEach
    void watchForces() {
        world.setConfig(LocalWorld.config(8L * LIMIT, 1 << 20));
        world.restart();
        hot = open(1);
        world.simulatedFileSystem().failWith(this::noteForce, 0, 1);
    }

    private boolean noteForce(Operation operation, Path path) {
        if (operation == Operation.FORCE && path.toString().endsWith(".log")) {
            forced.add(Objects.requireNonNull(path.getParent()).getFileName().toString());
        }
        return false;
    }

    private PartitionLog open(int logId) {
        var stage = world.store()
                .open(new PartitionId(new TopicId(1, logId), 0), "t", logId, 0, Map.of())
                .toCompletableFuture();
        world.settle();
        return stage.join();
    }

    private static void append(PartitionLog log, int bytes) {
        ByteBuf batch = TestBatches.of("x".repeat(bytes));
        assertThat(log.append(batch, 0, AppendOrigin.CLIENT)).isInstanceOf(AppendResult.Appended.class);
        batch.release();
    }

    private static Segment activeOf(PartitionLog log) {
        return Objects.requireNonNull(((LocalPartitionLog) log).contents().active());
    }

    @Test
    void forcesTheSegmentThatHasTakenMuchAndNoOther() {
        PartitionLog cold = open(2);
        append(hot, HALF);
        append(cold, HALF);
        world.settle();
        assertThat(forced).isEmpty();

        append(hot, HALF);
        world.settle();
        assertThat(forced).containsExactly("1-t-0");
        assertThat(activeOf(hot).forcedBytes()).isEqualTo(activeOf(hot).sizeBytes());
        assertThat(activeOf(cold).forcedBytes()).isZero();
    }

    @Test
    void forcesItAgainOnceItHasTakenAsMuchAgain() {
        for (int i = 0; i < 5; i++) {
            append(hot, HALF);
            world.settle();
        }
        assertThat(forced).hasSize(2);
    }

    @Test
    void forcesOnceForAllThatWasAppendedBeforeItsTurn() {
        for (int i = 0; i < 5; i++) {
            append(hot, HALF);
        }
        world.settle();
        assertThat(forced).hasSize(1);
    }

    @Test
    void leavesTheCheckpointOnlyWhatCameSince() {
        append(hot, HALF);
        append(hot, HALF);
        world.settle();
        world.checkpoint();
        assertThat(forced).hasSize(1);

        world.cutPower();
        assertThat(open(1).endOffset()).isEqualTo(2);
    }

    @Test
    void forcesNothingThatACheckpointHasForcedMeanwhile() {
        append(hot, HALF);
        var checkpoint = world.store().checkpoint().toCompletableFuture();
        append(hot, HALF);
        world.settle();
        assertThat(checkpoint).isDone();
        assertThat(forced).hasSize(1);
    }

    @Test
    void fencesWhereItFails() {
        world.simulatedFileSystem()
                .failWith(
                        (operation, path) ->
                                operation == Operation.FORCE && path.toString().endsWith(".log"),
                        0,
                        1);
        append(hot, HALF);
        append(hot, HALF);
        world.settle();

        assertThat(world.store().isFenced()).isTrue();
    }

    @Test
    void leavesToTheCheckpointWhatCouldNotBeOpened() {
        world.simulatedFileSystem().refuseDirectories(0, 1);
        append(hot, HALF);
        append(hot, HALF);
        world.settle();
        assertThat(world.store().isFenced()).isFalse();
        assertThat(activeOf(hot).forcedBytes()).isZero();

        world.checkpoint();
        assertThat(activeOf(hot).forcedBytes()).isEqualTo(activeOf(hot).sizeBytes());
        world.cutPower();
        assertThat(open(1).endOffset()).isEqualTo(2);
    }

    @Test
    void leavesALogAloneThatIsDeletedBeforeItsTurn() {
        append(hot, HALF);
        append(hot, HALF);
        world.store().delete(hot.id());
        world.settle();

        assertThat(world.store().isFenced()).isFalse();
        assertThat(forced).isEmpty();
    }
}
