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
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** flush.messages and flush.ms of topics that bypass the journal: what a power cut may take, over many power cuts. */
class MemoryFlushTest {
    private static final int POWER_CUTS = 20;

    private static PartitionLog open(LocalWorld world, int epoch, String... more) {
        Map<String, String> configs = new HashMap<>(Map.of("sluice.durability", "memory"));
        for (int i = 0; i < more.length; i += 2) {
            configs.put(more[i], more[i + 1]);
        }
        var stage = world.store()
                .open(new PartitionId(new TopicId(1, 1), 0), "t", 1, epoch, configs)
                .toCompletableFuture();
        world.settle();
        return stage.join();
    }

    private static void append(PartitionLog log, int records) {
        for (int i = 0; i < records; i++) {
            ByteBuf batch = TestBatches.ofSize(3_000);
            assertThat(log.append(batch, 0, AppendOrigin.CLIENT)).isInstanceOf(AppendResult.Appended.class);
            batch.release();
        }
    }

    /** The smallest end offset that any of the power cuts has left. */
    private static long leastSurviving(Consumer<LocalWorld> before) {
        long least = Long.MAX_VALUE;
        for (long seed = 1; seed <= POWER_CUTS; seed++) {
            LocalWorld world =
                    new LocalWorld(new SimulatedFileSystem(seed), LocalWorld.DIRECTORY, LocalWorld.config(1 << 20));
            before.accept(world);
            world.cutPower();
            least = Math.min(least, open(world, 1).endOffset());
            world.close();
        }
        return least;
    }

    @Test
    void losesEverythingNewWhereNothingAsksForAForce() {
        assertThat(leastSurviving(world -> {
                    append(open(world, 0), 5);
                    world.settle();
                }))
                .isZero();
    }

    @Test
    void forcesAfterSoManyRecords() {
        assertThat(leastSurviving(world -> {
                    PartitionLog log = open(world, 0, "flush.messages", "4");
                    append(log, 4);
                    world.settle();
                    append(log, 3);
                    world.settle();
                }))
                .isEqualTo(4);
    }

    @Test
    void forcesAfterSoMuchTime() {
        assertThat(leastSurviving(world -> {
                    PartitionLog log = open(world, 0, "flush.ms", "1000");
                    append(log, 2);
                    pass(world, 1_000);
                    append(log, 1);
                    pass(world, 999);
                }))
                .isEqualTo(2);
    }

    @Test
    void forcesWhatCameWhileItWasForcing() {
        assertThat(leastSurviving(world -> {
                    PartitionLog log = open(world, 0, "flush.messages", "2", "flush.ms", "1000");
                    append(log, 3);
                    pass(world, 1_000);
                }))
                .isEqualTo(3);
    }

    @Test
    void forcesAgainWhatCouldNotBeOpened() {
        assertThat(leastSurviving(world -> {
                    PartitionLog log = open(world, 0, "flush.messages", "4");
                    world.simulatedFileSystem().refuseDirectories(0, 2);
                    append(log, 4);
                    pass(world, 1_000);
                    pass(world, 1_000);
                    assertThat(world.store().isFenced()).isFalse();
                }))
                .isEqualTo(4);
    }

    private static void pass(LocalWorld world, long millis) {
        world.settle();
        world.time().advanceNanos(TimeUnit.MILLISECONDS.toNanos(millis));
        world.settle();
    }

    @Test
    void endsASegmentWhoseIndexIsFull() {
        LocalWorld world = new LocalWorld();
        PartitionLog log = open(world, 0, "index.interval.bytes", "1000", "segment.index.bytes", "16");
        append(log, 6);
        world.settle();

        assertThat(((LocalPartitionLog) log).contents().segments()).hasSize(2);
        world.close();
    }
}
