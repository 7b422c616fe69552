package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.storage.file.SimulatedFileSystem.Operation;
import io.sluice.storage.local.reader.CatchUpReaders;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.OffsetQuery;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.ReadRequest;
import io.sluice.storage.log.ReadResult;
import io.sluice.storage.log.TestBatches;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** Reads and searches that a defect ends, or whose executors take no more: each is answered once, and holds nothing. */
class ReaderDefectsTest {
    private static final Executor STOPPED = task -> {
        throw new RejectedExecutionException("shut down");
    };

    private final LocalWorld world = new LocalWorld();

    private PartitionLog largeLog() {
        var stage = world.store()
                .open(new PartitionId(new TopicId(1, 1), 0), "t", 1, 0, Map.of())
                .toCompletableFuture();
        world.settle();
        PartitionLog log = stage.join();
        for (int i = 0; i < 20; i++) {
            ByteBuf batch = TestBatches.ofSize(100_000);
            assertThat(log.append(batch, 0, AppendOrigin.CLIENT)).isInstanceOf(AppendResult.Appended.class);
            batch.release();
        }
        world.settle();
        return log;
    }

    private static CatchUpReaders readers(PartitionLog log) {
        return ((LocalPartitionLog) log).context().catchUpReaders();
    }

    private void failReading() {
        world.simulatedFileSystem().failWith(ReaderDefectsTest::readingIsDefect, 0, 1);
    }

    private static boolean readingIsDefect(Operation operation, Path file) {
        if (operation == Operation.READ && file.toString().endsWith(".log")) {
            throw new IllegalStateException("a defect while reading");
        }
        return false;
    }

    private static ReadRequest from(long offset, Executor executor) {
        return new ReadRequest(offset, 1 << 20, true, ReadRequest.Limit.VISIBLE, executor);
    }

    @Test
    void answersAReadBehindTheTailThatADefectEnds() {
        PartitionLog log = largeLog();
        long before = world.memory().usedBytes();
        failReading();
        List<ReadResult> results = new ArrayList<>();
        log.read(from(0, Runnable::run), results::add);
        world.runTasks();

        assertThat(results).hasSize(1);
        assertThat(results.get(0).toString()).contains("Failed", "a defect while reading");
        assertThat(readers(log).takenBytes()).isZero();
        assertThat(world.memory().usedBytes()).isEqualTo(before);
    }

    @Test
    void answersAReadAtTheTailThatADefectEnds() {
        PartitionLog log = largeLog();
        failReading();
        List<ReadResult> results = new ArrayList<>();
        log.read(from(19, Runnable::run), results::add);

        assertThat(results).hasSize(1);
        assertThat(results.get(0).toString()).contains("Failed", "a defect while reading");
    }

    @Test
    void endsASearchWhoseExecutorTakesNothingAnyMore() {
        PartitionLog log = largeLog();
        Executor stopped = task -> {
            throw new RejectedExecutionException("stopped");
        };
        List<OffsetQuery.Result> results = new ArrayList<>();
        log.findOffset(new OffsetQuery(OffsetQuery.LATEST, ReadRequest.Limit.VISIBLE, stopped), results::add);
        log.findOffset(new OffsetQuery(TestBatches.TIMESTAMP, ReadRequest.Limit.VISIBLE, stopped), results::add);
        world.runTasks();

        assertThat(results).isEmpty();
        assertThat(readers(log).takenBytes()).isZero();
    }

    @Test
    void answersASearchThatADefectEnds() {
        PartitionLog log = largeLog();
        failReading();
        List<OffsetQuery.Result> results = new ArrayList<>();
        log.findOffset(new OffsetQuery(TestBatches.TIMESTAMP, ReadRequest.Limit.VISIBLE, Runnable::run), results::add);
        world.runTasks();

        assertThat(results).hasSize(1);
        assertThat(results.get(0).toString()).contains("Failed", "a defect while reading");
        assertThat(readers(log).takenBytes()).isZero();
    }

    @Test
    void holdsNothingForAReaderWhoseExecutorHasStopped() {
        PartitionLog log = largeLog();
        long before = world.memory().usedBytes();
        log.read(from(0, STOPPED), result -> {
            throw new AssertionError("heard of " + result);
        });
        world.runTasks();

        assertThat(readers(log).takenBytes()).isZero();
        assertThat(world.memory().usedBytes()).isEqualTo(before);
    }

    @Test
    void refusesOnceWhatItsExecutorDoesNotTake() {
        ArrayDeque<Runnable> tasks = new ArrayDeque<>();
        boolean[] stopped = {false};
        CatchUpReaders readers = new CatchUpReaders(
                task -> {
                    if (stopped[0]) {
                        throw new RejectedExecutionException("shut down");
                    }
                    tasks.add(task);
                },
                10);
        List<String> heard = new ArrayList<>();
        assertThat(readers.submit(10, () -> heard.add("first"), () -> heard.add("first refused")))
                .isTrue();
        assertThat(readers.submit(10, () -> heard.add("second"), () -> heard.add("second refused")))
                .isTrue();
        stopped[0] = true;
        tasks.remove().run();
        readers.giveBack(10);
        assertThat(readers.submit(10, () -> heard.add("third"), () -> heard.add("third refused")))
                .isTrue();

        assertThat(heard).containsExactly("first", "second refused", "third refused");
        assertThat(readers.takenBytes()).isZero();
        assertThat(readers.waiting()).isZero();
    }
}
