package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.sluice.base.error.UserException;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.base.metric.Metric;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.AppendResult.Refusal;
import io.sluice.storage.log.LogState;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.ReadRequest;
import io.sluice.storage.log.ReadResult;
import io.sluice.storage.log.TestBatches;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Disks that fill or err, clocks that jump, directories of somebody else. */
class EngineFaultsTest {
    private final LocalWorld world = new LocalWorld();

    private PartitionLog open(Map<String, String> configs) {
        var stage = world.store()
                .open(new PartitionId(new TopicId(1, 1), 0), "t", 1, 0, configs)
                .toCompletableFuture();
        world.settle();
        return stage.join();
    }

    private static AppendResult append(PartitionLog log, ByteBuf batch) {
        AppendResult result = log.append(batch, log.leaderEpoch(), AppendOrigin.CLIENT);
        batch.release();
        return result;
    }

    private static ReadResult read(PartitionLog log, long offset) {
        ReadRequest request = new ReadRequest(offset, 1 << 20, true, ReadRequest.Limit.VISIBLE, Runnable::run);
        return ((LocalPartitionLog) log).reader().readNow(request);
    }

    private static List<String> values(PartitionLog log, long offset) {
        return TestBatches.values(((ReadResult.Records) read(log, offset)).slice());
    }

    private static Path segmentOf(PartitionLog log) {
        return ((LocalPartitionLog) log).contents().segments()[0].file().path();
    }

    @Test
    void refusesWhileTheDeviceIsFullAndHealsWhenRoomReturns() {
        SimulatedFileSystem disk = world.simulatedFileSystem();
        PartitionLog log = open(Map.of());
        append(log, TestBatches.idempotent(5, 0, 0, "a"));
        world.settle();
        disk.limitCapacity(disk.usedBytes() + 10);

        AppendResult refused = append(log, TestBatches.idempotent(5, 0, 1, "b"));
        assertThat(refused).isInstanceOf(AppendResult.Refused.class);
        assertThat(((AppendResult.Refused) refused).reason()).isEqualTo(Refusal.STORAGE);
        assertThat(values(log, 0)).containsExactly("0:a");

        disk.limitCapacity(Long.MAX_VALUE);
        assertThat(append(log, TestBatches.idempotent(5, 0, 1, "b"))).isInstanceOf(AppendResult.Appended.class);
        world.restart();
        assertThat(values(open(Map.of()), 0)).containsExactly("0:a", "1:b");
    }

    @Test
    void findsAFlippedByteAnywhereInABatchAndServesTheRest() throws IOException {
        int batchBytes = batchBytes();
        for (int at = 0; at < batchBytes; at++) {
            requireFlipIsFound(batchBytes, at);
        }
    }

    private static int batchBytes() {
        ByteBuf batch = TestBatches.of("value");
        int size = batch.readableBytes();
        batch.release();
        return size;
    }

    private static void requireFlipIsFound(int batchBytes, int at) throws IOException {
        EngineFaultsTest one = new EngineFaultsTest();
        PartitionLog log = one.open(Map.of());
        for (int i = 0; i < 3; i++) {
            append(log, TestBatches.of("value"));
        }
        one.world.settle();
        one.world.simulatedFileSystem().flipByte(segmentOf(log), batchBytes + at);

        assertThat(values(log, 0)).as("byte " + at).containsExactly("0:value");
        assertThat(read(log, 1))
                .as("byte " + at)
                .isEqualTo(new ReadResult.Corrupt(segmentOf(log).toString(), batchBytes, 1));
        assertThat(one.world.metrics().counter(Metric.LOG_CORRUPT_BATCHES).sum())
                .isEqualTo(1);
        assertThat(append(log, TestBatches.of("more"))).isInstanceOf(AppendResult.Appended.class);
    }

    @Test
    void fencesTheDirectoryAfterAFailedForceAndServesReads() {
        PartitionLog log = open(Map.of());
        append(log, TestBatches.ofSize(100_000));
        world.settle();
        world.simulatedFileSystem()
                .failWith(
                        (operation, path) -> operation == SimulatedFileSystem.Operation.FORCE
                                && path.toString().endsWith(".log"),
                        0,
                        1);
        world.store().checkpoint();
        world.settle();

        assertThat(world.store().isFenced()).isTrue();
        assertThat(log.state()).isEqualTo(LogState.FAILED);
        assertThat(append(log, TestBatches.of("b"))).isInstanceOf(AppendResult.Refused.class);
        ReadResult result = read(log, 0);
        assertThat(result).isInstanceOf(ReadResult.Records.class);
        ((ReadResult.Records) result).slice().release();
    }

    @Test
    void deletesByAgeInTimeButNotBecauseTheWallClockJumps() {
        PartitionLog log = open(Map.of("retention.ms", "7200000", "segment.ms", "60000"));
        append(log, TestBatches.at(world.time().epochMillis(), "old"));
        pass(2, TimeUnit.MINUTES);
        append(log, TestBatches.at(world.time().epochMillis(), "new"));
        pass(90, TimeUnit.MINUTES);
        world.time().jumpWallClockMillis(TimeUnit.HOURS.toMillis(1));
        pass(6, TimeUnit.MINUTES);
        assertThat(log.logStartOffset()).isZero();

        world.time().jumpWallClockMillis(-TimeUnit.HOURS.toMillis(2));
        pass(6, TimeUnit.MINUTES);
        assertThat(log.logStartOffset()).isZero();

        world.time().jumpWallClockMillis(TimeUnit.HOURS.toMillis(1));
        pass(4, TimeUnit.HOURS);
        assertThat(log.logStartOffset()).isPositive();
    }

    private void pass(long time, TimeUnit unit) {
        world.settle();
        long steps = unit.toMinutes(time);
        for (long minute = 0; minute < steps; minute++) {
            world.time().advanceNanos(TimeUnit.MINUTES.toNanos(1));
            world.settle();
        }
    }

    @Test
    void trimsAndDeletesWhileTheJournalIsAtItsBound() throws IOException {
        PartitionLog log = open(Map.of("segment.bytes", "1048576"));
        append(log, TestBatches.ofSize(600_000));
        append(log, TestBatches.ofSize(600_000));
        world.settle();
        Path first = segmentOf(log);
        world.journal().setAtReplayBound(true);
        assertThat(append(log, TestBatches.of("c"))).isInstanceOf(AppendResult.Refused.class);

        var trimmed = log.trim(1).toCompletableFuture();
        world.settle();
        assertThat(trimmed).isCompletedWithValue(1L);
        assertThat(world.simulatedFileSystem().exists(first)).isFalse();

        Path directory = ((LocalPartitionLog) log).contents().directory().path();
        world.store().delete(log.id());
        world.settle();
        assertThat(world.simulatedFileSystem().exists(directory)).isFalse();
    }

    @Test
    void refusesADirectoryThatIsInUseOrSomebodyElses() {
        SimulatedFileSystem disk = world.simulatedFileSystem();
        assertThatThrownBy(() -> DataDirectory.open(disk, LocalWorld.DIRECTORY, LocalWorld.CLUSTER, 1))
                .isInstanceOf(UserException.class)
                .hasMessageContaining("in use by");

        world.close();
        assertThatThrownBy(() -> DataDirectory.open(disk, LocalWorld.DIRECTORY, "another", 1))
                .isInstanceOf(UserException.class)
                .hasMessageContaining("belongs to cluster " + LocalWorld.CLUSTER);
        assertThatThrownBy(() -> DataDirectory.open(disk, LocalWorld.DIRECTORY, LocalWorld.CLUSTER, 2))
                .isInstanceOf(UserException.class)
                .hasMessageContaining("belongs to node 1");
    }
}
