package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.file.SimulatedFileSystem.Operation;
import io.sluice.storage.journal.JournalEntryKind;
import io.sluice.storage.local.content.Catalogue;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.TestBatches;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A checkpoint that takes what the catalogue has to hold from a few logs at a time. */
class CheckpointSlicesTest {
    private static final int LOGS = 5;
    private static final int PRODUCERS = 20;

    private final LocalWorld world = new LocalWorld();
    private List<PartitionLog> logs = List.of();

    @AfterEach
    void end() {
        world.close();
    }

    private void start(int sliceBytes) {
        world.setConfig(LocalWorld.sliced(sliceBytes));
        world.restart();
        openAll(0);
    }

    private void openAll(int epoch) {
        List<PartitionLog> opened = new ArrayList<>();
        for (int i = 0; i < LOGS; i++) {
            var stage = world.store()
                    .open(new PartitionId(new TopicId(1, 1), i), "t", i + 1, epoch, Map.of())
                    .toCompletableFuture();
            world.settle();
            opened.add(stage.join());
        }
        logs = opened;
    }

    /** More than a tail that would be copied forward, and about a kilobyte of producers, in each log. */
    private void fill() {
        for (PartitionLog log : logs) {
            for (int producer = 0; producer < PRODUCERS; producer++) {
                append(log, producer, 0, "x".repeat(4_000));
            }
        }
        world.settle();
    }

    private static AppendResult append(PartitionLog log, long producer, int sequence, String value) {
        ByteBuf batch = TestBatches.idempotent(producer, 0, sequence, value);
        AppendResult result = log.append(batch, log.leaderEpoch(), AppendOrigin.CLIENT);
        batch.release();
        return result;
    }

    private SimulatedFileSystem disk() {
        return world.simulatedFileSystem();
    }

    private static boolean isForceOfCatalogue(Operation operation, Path path) {
        return operation == Operation.FORCE && path.toString().contains(Catalogue.FILE_NAME);
    }

    private int forcesDuringACheckpoint() {
        AtomicInteger forces = new AtomicInteger();
        disk().failWith(
                        (operation, path) -> {
                            forces.addAndGet(isForceOfCatalogue(operation, path) ? 1 : 0);
                            return false;
                        },
                        0,
                        1);
        world.checkpoint();
        disk().clearFaults();
        return forces.get();
    }

    @Test
    void writesSmallRecordsOfManyLogsTogether() {
        start(1 << 20);
        fill();

        assertThat(forcesDuringACheckpoint()).isEqualTo(1);
        assertThat(world.disk().count(JournalEntryKind.BATCH)).isZero();
    }

    @Test
    void holdsNoMoreThanASliceAndOneLogInMemory() {
        start(2_000);
        fill();

        assertThat(forcesDuringACheckpoint()).isEqualTo(3); // two logs of some 1,300 bytes each, twice, and the last
        assertThat(world.disk().count(JournalEntryKind.BATCH)).isZero();
    }

    @Test
    void losesNothingWhereTheCatalogueHasAPartOfTheLogsOnly() throws IOException {
        for (int crashAt = 0; crashAt < LOGS; crashAt++) {
            CheckpointSlicesTest one = new CheckpointSlicesTest();
            one.start(1);
            one.fill();
            one.disk().crashWhen(CheckpointSlicesTest::isForceOfCatalogue, crashAt);
            one.world.store().checkpoint();
            one.world.settle();
            assertThat(one.disk().crashed()).isTrue();

            one.world.cutPower();
            Set<Long> known = new HashSet<>();
            Catalogue.read(one.disk(), LocalWorld.DIRECTORY, (kind, logId, body) -> {
                if (kind == Catalogue.Kind.DATA) {
                    known.add(logId);
                }
            });
            assertThat(known).hasSizeBetween(crashAt, crashAt + 1);
            one.openAll(1);
            for (PartitionLog log : one.logs) {
                assertThat(log.endOffset()).isEqualTo(PRODUCERS);
                assertThat(append(log, 3, 0, "x".repeat(4_000))).isInstanceOf(AppendResult.Duplicate.class);
                assertThat(append(log, 3, 1, "next")).isInstanceOf(AppendResult.Appended.class);
            }
            one.end();
        }
    }

    @Test
    void takesNothingMoreIntoMemoryWhileWhatItHasFindsNoRoom() throws IOException {
        start(1);
        fill();
        world.checkpoint();
        for (PartitionLog log : logs) {
            append(log, 1, 1, "x".repeat(100_000));
        }
        world.settle();
        disk().limitCapacity(disk().usedBytes());
        for (int i = 0; i < 3; i++) {
            var stage = world.store().checkpoint().toCompletableFuture();
            world.settle();
            assertThat(stage).isCompletedExceptionally();
        }
        assertThat(logs.stream()
                        .filter(log ->
                                ((LocalPartitionLog) log).checkpointState().isDataDirty())
                        .count())
                .isEqualTo(LOGS - 1);
        assertThat(world.disk().count(JournalEntryKind.BATCH)).isPositive();

        disk().limitCapacity(Long.MAX_VALUE);
        world.checkpoint();
        assertThat(world.disk().count(JournalEntryKind.BATCH)).isZero();
        world.cutPower();
        openAll(1);
        assertThat(append(logs.get(0), 1, 1, "x".repeat(100_000))).isInstanceOf(AppendResult.Duplicate.class);
    }
}
