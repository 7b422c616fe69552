package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.base.metric.Metric;
import io.sluice.protocol.record.BatchView;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.journal.JournalEntryKind;
import io.sluice.storage.local.content.Catalogue;
import io.sluice.storage.local.reader.CatchUpReaders;
import io.sluice.storage.local.segment.Segment;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.AppendResult.Refusal;
import io.sluice.storage.log.LogState;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.ReadRequest;
import io.sluice.storage.log.ReadResult;
import io.sluice.storage.log.TestBatches;
import io.sluice.storage.log.VisibilityListener;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
        return append(log, batch, AppendOrigin.CLIENT);
    }

    private static AppendResult append(PartitionLog log, ByteBuf batch, AppendOrigin origin) {
        AppendResult result = log.append(batch, log.leaderEpoch(), origin);
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
        requireThatNoOtherLogServes();
        ReadResult result = read(log, 0);
        assertThat(result).isInstanceOf(ReadResult.Records.class);
        ((ReadResult.Records) result).slice().release();
    }

    private void requireThatNoOtherLogServes() {
        PartitionId other = new PartitionId(new TopicId(1, 1), 1);
        var stage = world.store().open(other, "t", 2, 0, Map.of()).toCompletableFuture();
        world.settle();
        assertThat(stage).isCompletedExceptionally();
        assertThat(Objects.requireNonNull(world.store().find(other)).state()).isEqualTo(LogState.FAILED);
    }

    @Test
    void waitsForNoRoomOnceTheJournalHasFailedOrTheStoreIsClosing() {
        PartitionLog log = open(Map.of());
        world.settle();
        world.journal().failUntold(new IOException("a write failed"));
        world.store().configure(log.id(), Map.of("sluice.durability", "memory"));
        world.runTasks();
        assertThat(world.journal().waiters()).as("change of durability").isZero();

        EngineFaultsTest two = new EngineFaultsTest();
        two.open(Map.of());
        two.world.journal().limitBuffer(0);
        two.world.store().delete(log.id());
        two.world.runTasks();
        assertThat(two.world.journal().waiters()).as("deletion").isEqualTo(1);
        two.world.store().close();
        two.world.runTasks();
        assertThat(two.world.journal().waiters()).as("deletion").isZero();
    }

    @Test
    void aLogThatCannotBeOpenedHasFailedAndDoesNotSeemToRecover() {
        PartitionId id = open(Map.of("sluice.durability", "memory")).id();
        append(Objects.requireNonNull(world.store().find(id)), TestBatches.of("a"));
        world.settle();
        world.kill();
        world.simulatedFileSystem()
                .failWith((operation, path) -> operation == SimulatedFileSystem.Operation.READ, 0, Integer.MAX_VALUE);
        var stage = world.store()
                .open(id, "t", 1, 0, Map.of("sluice.durability", "memory"))
                .toCompletableFuture();
        world.settle();

        assertThat(stage).isCompletedExceptionally();
        PartitionLog log = Objects.requireNonNull(world.store().find(id));
        assertThat(log.state()).isEqualTo(LogState.FAILED);
        assertThat(append(log, TestBatches.of("b")).toString()).contains("STORAGE", "could not be opened");
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

    @Test
    void deletesSegmentsWithoutTimestampsByTheTimeOfTheirLastAppend() {
        Map<String, String> configs = Map.of("retention.ms", "7200000", "segment.ms", "60000");
        PartitionLog log = open(configs);
        append(log, TestBatches.at(BatchView.NO_TIMESTAMP, "old"));
        pass(2, TimeUnit.MINUTES);
        append(log, TestBatches.at(BatchView.NO_TIMESTAMP, "new"));
        world.checkpoint();
        pass(110, TimeUnit.MINUTES);
        assertThat(log.logStartOffset()).isZero();
        world.restart();
        PartitionLog again = open(configs);
        pass(6, TimeUnit.MINUTES);
        assertThat(again.logStartOffset()).isZero();

        pass(10, TimeUnit.MINUTES);
        assertThat(again.logStartOffset()).isEqualTo(2);
    }

    @Test
    void takesASegmentWithoutAFileToBeAsOldAsTheNext() throws IOException {
        Map<String, String> configs = Map.of("retention.ms", "7200000", "segment.ms", "60000");
        PartitionLog log = open(configs);
        for (String value : List.of("lost", "old", "new")) {
            append(log, TestBatches.at(BatchView.NO_TIMESTAMP, value));
            pass(2, TimeUnit.MINUTES);
        }
        world.checkpoint();
        Segment lost = ((LocalPartitionLog) log).contents().segments()[0];
        world.simulatedFileSystem().delete(lost.file().path());
        world.restart();
        PartitionLog again = open(configs);
        pass(100, TimeUnit.MINUTES);
        assertThat(again.logStartOffset()).isZero();

        pass(1, TimeUnit.HOURS);
        assertThat(again.logStartOffset()).isEqualTo(3);
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
    void forcesTheSegmentWhereThereIsNoMemoryToCopyItsTail() throws IOException {
        PartitionLog log = open(Map.of());
        append(log, TestBatches.of("a"));
        world.settle();
        ByteBuf all = world.memory().directBuffer(LocalWorld.MEMORY_BYTES);
        var stage = world.store().checkpoint().toCompletableFuture();
        world.settle();
        all.release();

        assertThat(stage).isCompleted();
        assertThat(world.store().isFenced()).isFalse();
        assertThat(world.disk().count(JournalEntryKind.BATCH)).isZero();
        world.cutPower();
        assertThat(values(open(Map.of()), 0)).containsExactly("0:a");
    }

    @Test
    void endsACheckpointThatMeetsADefectAndFencesTheDirectory() {
        for (String file : List.of(".log", "catalogue")) {
            EngineFaultsTest one = new EngineFaultsTest();
            append(one.open(Map.of()), TestBatches.ofSize(100_000));
            one.world.settle();
            one.world.simulatedFileSystem().failWith((operation, path) -> throwAtForce(operation, path, file), 0, 1);
            var stage = one.world.store().checkpoint().toCompletableFuture();
            one.world.settle();

            assertThat(stage).as(file).isCompletedExceptionally();
            assertThat(one.world.store().isFenced()).as(file).isTrue();
        }
    }

    private static boolean throwAtForce(SimulatedFileSystem.Operation operation, Path path, String file) {
        if (operation == SimulatedFileSystem.Operation.FORCE && path.toString().contains(file)) {
            throw new IllegalStateException("a defect");
        }
        return false;
    }

    @Test
    void writesOnceWhatManyCheckpointsHadNoRoomFor() throws IOException {
        SimulatedFileSystem disk = world.simulatedFileSystem();
        PartitionLog log = open(Map.of());
        append(log, TestBatches.ofSize(100_000));
        world.settle();
        disk.limitCapacity(disk.usedBytes());
        for (int i = 0; i < 3; i++) {
            var stage = world.store().checkpoint().toCompletableFuture();
            world.settle();
            assertThat(stage).isCompletedExceptionally();
        }
        disk.limitCapacity(Long.MAX_VALUE);
        world.checkpoint();

        List<Catalogue.Kind> records = new ArrayList<>();
        Catalogue.read(disk, LocalWorld.DIRECTORY, (kind, logId, body) -> records.add(kind));
        assertThat(records).containsExactly(Catalogue.Kind.META, Catalogue.Kind.DATA);
    }

    @Test
    void waitsAWhileBetweenCheckpointsThatHaveNoRoom() {
        SimulatedFileSystem disk = world.simulatedFileSystem();
        PartitionLog log = open(Map.of());
        append(log, TestBatches.ofSize(100_000));
        world.settle();
        disk.limitCapacity(disk.usedBytes());
        world.journal().setAtReplayBound(true);
        List<Path> attempts = new ArrayList<>();
        disk.failWith((operation, path) -> noteWriteToCatalogue(operation, path, attempts), 0, 1);
        for (int i = 0; i < 5; i++) {
            world.settle();
        }
        assertThat(attempts).hasSize(1);

        disk.limitCapacity(Long.MAX_VALUE);
        world.time().advanceNanos(TimeUnit.SECONDS.toNanos(1));
        world.settle();
        assertThat(world.metrics().counter(Metric.LOG_CHECKPOINTS).sum()).isPositive();
    }

    @Test
    void setsNothingAsideForABatchWithoutRoomForTheSegmentThatItBegins() {
        PartitionLog log = open(Map.of("segment.bytes", "1048576"));
        append(log, TestBatches.ofSize(1_000_000));
        world.settle();
        ByteBuf batch = TestBatches.ofSize(100_000);
        world.journal().limitBuffer(batch.readableBytes() + 40);

        AppendResult refused = append(log, batch);
        assertThat(refused).isEqualTo(new AppendResult.Refused(Refusal.FULL, "the journal's buffer is full"));
        assertThat(world.journal().cancellations()).isZero();

        world.journal().setAtReplayBound(true);
        assertThat(append(log, TestBatches.of("b")).toString()).contains("FULL", "replay too much");
        world.journal().setAtReplayBound(false);
        world.journal().limitBuffer(Long.MAX_VALUE / 2);
        assertThat(append(log, TestBatches.ofSize(100_000))).isInstanceOf(AppendResult.Appended.class);
        world.restart();
        assertThat(open(Map.of("segment.bytes", "1048576")).endOffset()).isEqualTo(2);
    }

    @Test
    void aCoordinatorHasRoomWhereProducersHaveNone() {
        PartitionLog log = open(Map.of());
        append(log, TestBatches.of("a"));
        world.settle();
        world.journal().limitBuffer(0);
        world.journal().keepForCoordinators(10_000);
        assertThat(append(log, TestBatches.of("b")).toString()).contains("FULL", "buffer is full");
        assertThat(append(log, TestBatches.of("c"), AppendOrigin.COORDINATOR))
                .isInstanceOf(AppendResult.Appended.class);
        assertThat(append(log, TestBatches.ofSize(20_000), AppendOrigin.COORDINATOR))
                .isEqualTo(new AppendResult.Refused(Refusal.FULL, "the journal's buffer is full"));
    }

    @Test
    void makesACheckpointWhereNothingIsAppendedOrFlushedBecauseTheJournalIsAtItsBound() {
        append(open(Map.of()), TestBatches.ofSize(100_000));
        world.settle();
        world.journal().setAtReplayBound(true);
        world.runTasks();
        assertThat(world.metrics().counter(Metric.LOG_CHECKPOINTS).sum()).isZero();

        world.time().advanceNanos(TimeUnit.SECONDS.toNanos(1));
        world.runTasks();
        assertThat(world.metrics().counter(Metric.LOG_CHECKPOINTS).sum()).isEqualTo(1);
    }

    private static boolean noteWriteToCatalogue(
            SimulatedFileSystem.Operation operation, Path path, List<Path> attempts) {
        if (operation == SimulatedFileSystem.Operation.WRITE && path.toString().contains(Catalogue.FILE_NAME)) {
            attempts.add(path);
        }
        return false;
    }

    @Test
    void chargesReadersForAllTheMemoryThatWasNotHandedOver() {
        PartitionLog log = open(Map.of());
        for (int i = 0; i < 20; i++) {
            append(log, TestBatches.ofSize(100_000));
        }
        world.settle();
        CatchUpReaders readers = ((LocalPartitionLog) log).context().catchUpReaders();
        List<ReadResult> results = new ArrayList<>();
        List<Runnable> handed = new ArrayList<>();
        log.read(new ReadRequest(0, 1 << 20, true, ReadRequest.Limit.VISIBLE, handed::add), results::add);
        world.runTasks();
        assertThat(readers.takenBytes()).isGreaterThan(900_000);

        handed.get(0).run();
        assertThat(readers.takenBytes()).isZero();
        ReadResult.Records records = (ReadResult.Records) results.get(0);
        assertThat(records.slice().sizeInBytes()).isGreaterThan(900_000);
        records.slice().release();
        assertThat(readers.takenBytes()).isZero();
    }

    @Test
    void servesReadersBehindTheTailHoweverMuchOthersKeepOfWhatTheyWereGiven() {
        PartitionLog log = open(Map.of());
        for (int i = 0; i < 30; i++) {
            append(log, TestBatches.ofSize(100_000));
        }
        world.settle();
        List<ReadResult> results = new ArrayList<>();
        for (int i = 0; i < 20; i++) { // twice the memory that reads may hold together
            log.read(new ReadRequest(0, 1 << 20, true, ReadRequest.Limit.VISIBLE, Runnable::run), results::add);
            world.runTasks();
        }

        assertThat(results).hasSize(20).allMatch(ReadResult.Records.class::isInstance);
        results.forEach(result -> ((ReadResult.Records) result).slice().release());
    }

    @Test
    void letsTheLoadOfACoordinatorReadBeforeOthersThatWait() {
        PartitionLog log = open(Map.of());
        for (int i = 0; i < 30; i++) {
            append(log, TestBatches.ofSize(100_000));
        }
        world.settle();
        CatchUpReaders readers = ((LocalPartitionLog) log).context().catchUpReaders();
        readers.charge(1L << 30);
        List<String> heard = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            log.read(
                    new ReadRequest(0, 1_000, true, ReadRequest.Limit.VISIBLE, Runnable::run),
                    result -> heard.add(release(result)));
        }
        log.read(
                new ReadRequest(0, 1_000, true, ReadRequest.Limit.END, Runnable::run),
                result -> heard.add("load " + release(result)));
        assertThat(heard).hasSize(5_000 - 4_096).doesNotContain("Records");
        heard.clear();

        readers.giveBack(1L << 30);
        world.runTasks();
        assertThat(heard).hasSize(4_097).startsWith("load Records", "Records");
        assertThat(readers.takenBytes()).isZero();
    }

    private static String release(ReadResult result) {
        if (result instanceof ReadResult.Records records) {
            records.slice().release();
        }
        return result.getClass().getSimpleName();
    }

    @Test
    void fencesAfterATornWriteWithoutHoldingTheAppendLock() {
        PartitionLog log = open(Map.of());
        append(log, TestBatches.of("a"));
        world.settle();
        List<String> heard = new ArrayList<>();
        log.addVisibilityListener(new VisibilityListener() {
            @Override
            public void onVisible(PartitionLog visible) {}

            @Override
            public void onStateChange(PartitionLog changed) {
                boolean locked = Thread.holdsLock(((LocalPartitionLog) changed).contents());
                heard.add(changed.state() + (locked ? " locked" : ""));
            }
        });
        world.simulatedFileSystem()
                .failWith(
                        (operation, path) -> path.toString().endsWith(".log")
                                && (operation == SimulatedFileSystem.Operation.WRITE
                                        || operation == SimulatedFileSystem.Operation.TRUNCATE),
                        0,
                        2);

        assertThat(append(log, TestBatches.of("b"))).isInstanceOf(AppendResult.Refused.class);
        assertThat(heard).containsExactly("FAILED");
        assertThat(append(log, TestBatches.of("c"))).isInstanceOf(AppendResult.Refused.class);
    }

    @Test
    void keepsTheTimeOfAppendThatABatchWasGivenAMomentAgo() {
        PartitionLog log = open(Map.of("message.timestamp.type", "LogAppendTime"));
        long now = world.time().epochMillis();

        assertThat(appendTime(log, stamped(now - 5))).isEqualTo(now - 5);
        assertThat(appendTime(log, stamped(now - 9))).isEqualTo(now);
        assertThat(appendTime(log, TestBatches.at(now - 100, "not stamped"))).isEqualTo(now);
    }

    private static ByteBuf stamped(long timestamp) {
        ByteBuf batch = TestBatches.of("a");
        new BatchView().wrap(batch).setMaxTimestamp(timestamp, true);
        return batch;
    }

    private static long appendTime(PartitionLog log, ByteBuf batch) {
        return ((AppendResult.Appended) append(log, batch)).logAppendTimeMillis();
    }

    @Test
    void takesASegmentThatCouldNotBeFollowedForTheOneThatIsAppendedTo() {
        SimulatedFileSystem disk = world.simulatedFileSystem();
        PartitionLog log = open(Map.of("segment.bytes", "1048576"));
        append(log, TestBatches.ofSize(1_000_000));
        world.settle();
        disk.limitCapacity(disk.usedBytes() + 10_000);
        assertThat(append(log, TestBatches.ofSize(100_000))).isInstanceOf(AppendResult.Refused.class);
        world.settle();

        LocalPartitionLog local = (LocalPartitionLog) log;
        assertThat(local.contents().segments()).hasSize(1);
        assertThat(local.context().openFiles().loadedIndexes().count()).isZero();
    }
}
