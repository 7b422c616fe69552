package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.netty.buffer.ByteBuf;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.file.SimulatedFileSystem.Operation;
import io.sluice.storage.local.aborted.AbortedChunk;
import io.sluice.storage.local.content.LogContents;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.ReadRequest;
import io.sluice.storage.log.ReadResult;
import io.sluice.storage.log.TestBatches;
import io.sluice.storage.log.VerifiedAppend;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Aborted transactions that checkpoints have moved to files, through the store. Each has a record and a marker. */
class AbortedFilesTest {
    private static final int BLOCK_ENTRIES = 8;
    private static final long PRODUCER = 7;

    private final LocalWorld world = new LocalWorld();
    private final SimulatedFileSystem files = world.simulatedFileSystem();
    private int epoch;

    AbortedFilesTest() {
        world.setConfig(LocalWorld.config(
                1 << 20, new LocalStorageConfig.ProducerConfig(86_400_000, 10_000, 100_000, BLOCK_ENTRIES)));
        world.restart();
    }

    private PartitionLog open(int logId) {
        return open(logId, Map.of());
    }

    private PartitionLog open(int logId, Map<String, String> configs) {
        var stage = world.store()
                .open(new PartitionId(new TopicId(1, logId), 0), "t", logId, epoch, configs)
                .toCompletableFuture();
        world.settle();
        return stage.join();
    }

    private PartitionLog open() {
        return open(1);
    }

    private PartitionLog killAndOpen() {
        world.kill();
        epoch++;
        return open();
    }

    private static void append(PartitionLog log, ByteBuf batch) {
        AppendResult result = VerifiedAppend.append(log, batch, AppendOrigin.COORDINATOR);
        batch.release();
        assertThat(result).isInstanceOf(AppendResult.Appended.class);
    }

    private static void abort(PartitionLog log, long producer) {
        append(log, TestBatches.transactional(producer, 0, -1, "aborted"));
        append(log, TestBatches.marker(producer, 0, 0, false));
    }

    private void abort(PartitionLog log, int times) {
        for (int i = 0; i < times; i++) {
            abort(log, PRODUCER);
        }
        world.settle();
    }

    private static LogContents contents(PartitionLog log) {
        return ((LocalPartitionLog) log).contents();
    }

    private static List<AbortedChunk> chunks(PartitionLog log) {
        return contents(log).aborted().chunks();
    }

    private List<String> chunkFiles(PartitionLog log) throws IOException {
        return files.list(contents(log).directory().path()).stream()
                .filter(name -> name.endsWith(".aborted"))
                .toList();
    }

    private CommittedReader committed(PartitionLog log, long from) {
        return new CommittedReader(log, world::runTasks, 1 << 20).readFrom(from);
    }

    private static String ending(CommittedReader reader) {
        return reader.offset() + " " + reader.ending();
    }

    @Test
    void areInFilesButForTheNewestAndStayWhatTheyAreOverAStart() throws IOException {
        PartitionLog log = open();
        abort(log, 100);
        append(log, TestBatches.of("plain"));
        world.checkpoint();

        for (int start = 0; start < 3; start++) {
            assertThat(contents(log).aborted().inHeap()).isLessThanOrEqualTo(2 * BLOCK_ENTRIES);
            assertThat(chunks(log)).hasSize(11);
            assertThat(chunkFiles(log)).hasSize(11);
            assertThat(committed(log, 0).found()).containsOnly(Map.entry(200L, "plain"));
            log = killAndOpen();
        }
    }

    @Test
    void goWithTheLogStartOnceTheCatalogueDoesNotNameThem() throws IOException {
        PartitionLog log = open();
        abort(log, 100);
        world.checkpoint();
        List<String> before = chunkFiles(log);
        var trimmed = log.trim(100).toCompletableFuture();
        world.settle();
        assertThat(trimmed).isCompletedWithValue(100L);
        assertThat(chunkFiles(log)).isEqualTo(before);

        log = killAndOpen();
        assertThat(chunkFiles(log)).isEqualTo(before);
        world.checkpoint();
        assertThat(chunkFiles(log)).isEqualTo(before.subList(6, before.size()));
        assertThat(committed(log, 100).found()).isEmpty();
    }

    @Test
    void goWithTheirLog() throws IOException {
        PartitionLog log = open();
        abort(log, 100);
        world.checkpoint();
        Path directory = contents(log).directory().path();
        world.store().delete(log.id());
        world.settle();

        assertThat(files.exists(directory)).isFalse();
        assertThat(files.list(LocalWorld.DIRECTORY.resolve("logs"))).noneMatch(name -> name.startsWith("1-"));
    }

    @Test
    void aFileThatTheCatalogueDoesNotNameGoesWithTheStart() throws IOException {
        PartitionLog log = open();
        abort(log, 100);
        world.checkpoint();
        Path leftBehind = contents(log).directory().path().resolve("00000000000000000500.aborted");
        files.create(leftBehind).close();
        log = killAndOpen();
        world.settle();

        assertThat(files.exists(leftBehind)).isFalse();
        assertThat(chunkFiles(log)).hasSize(11);
    }

    private void damage(Path file, String how) throws IOException {
        switch (how) {
            case "missing" -> files.delete(file);
            case "cut" -> {
                try (var open = files.open(file, io.sluice.storage.file.FileSystem.Access.READ_WRITE)) {
                    open.truncate(100);
                }
            }
            case "damaged" -> files.flipByte(file, 77);
            default -> throw new IllegalArgumentException(how);
        }
    }

    private byte[] content(Path file) throws IOException {
        try (var open = files.open(file, io.sluice.storage.file.FileSystem.Access.READ)) {
            java.nio.ByteBuffer bytes = java.nio.ByteBuffer.allocate((int) open.size());
            open.read(bytes, 0);
            return bytes.array();
        }
    }

    /** Chunk 5 has the transactions from offset 80 to marker 95. */
    @ParameterizedTest
    @ValueSource(strings = {"missing", "cut", "damaged"})
    void areNeverServedAsDataWhereTheirFileIsMissingOrDamaged(String how) throws IOException {
        PartitionLog log = open();
        PartitionLog other = open(2);
        append(other, TestBatches.of("other"));
        append(log, TestBatches.of("first"));
        append(log, TestBatches.marker(99, 0, 0, false)); // of no transaction: what follows begins at even offsets
        abort(log, 39);
        append(log, TestBatches.of("80"));
        append(log, TestBatches.of("81"));
        abort(log, 60);
        append(log, TestBatches.of("last"));
        world.checkpoint();
        AbortedChunk chunk = chunks(log).get(4);
        Path file = chunk.path();
        byte[] sound = content(file);
        damage(file, how);
        log = killAndOpen();

        assertThat(open(2).endOffset()).isEqualTo(1);
        CommittedReader before = committed(log, 0);
        assertThat(before.found()).containsOnly(Map.entry(0L, "first"));
        assertThat(before.offset()).isEqualTo(chunk.lowestFirst());
        assertThat(ending(before)).contains("Failed", file.toString(), "lasting=true");
        assertThat(contents(log).quarantinedRanges()).isEqualTo(1);
        assertThat(ending(committed(log, chunk.lastMarker()))).contains("Failed");
        assertThat(committed(log, chunk.lastMarker() + 1).found()).containsValue("last");
        assertThat(committed(log, chunk.lastMarker() + 1).ending()).isNull();
        assertThat(TouchedFiles.read(log, chunk.lowestFirst()))
                .isInstanceOfSatisfying(
                        ReadResult.Records.class, records -> records.slice().release());

        files.delete(file);
        try (var open = files.create(file)) {
            open.write(java.nio.ByteBuffer.wrap(sound), 0);
        }
        log = killAndOpen();
        assertThat(committed(log, 0).found().values()).containsExactly("first", "80", "81", "last");
        assertThat(contents(log).quarantinedRanges()).isZero();
    }

    @Test
    void areNotServedAsDataWhereTheirFileIsTakenAwayFromANodeThatRuns() throws IOException {
        PartitionLog log = open();
        append(log, TestBatches.of("first"));
        abort(log, 100);
        world.checkpoint();
        log = killAndOpen(); // nothing is known from before
        AbortedChunk chunk = chunks(log).get(4);
        files.delete(chunk.path());

        CommittedReader before = committed(log, 0);
        assertThat(before.offset()).isEqualTo(chunk.lowestFirst());
        assertThat(ending(before)).contains("Failed", chunk.path().toString(), "lasting=true");
        assertThat(before.found()).containsOnly(Map.entry(0L, "first"));
        assertThat(contents(log).quarantinedRanges()).isEqualTo(1);
        assertThat(committed(log, chunk.lastMarker() + 1).ending()).isNull();
    }

    @Test
    void aLogOfWhichOneIsMissingIsCleanedUpToThere() throws IOException {
        Map<String, String> compacted = Map.of(
                "cleanup.policy", "compact",
                "segment.ms", "60000",
                "min.cleanable.dirty.ratio", "0.01");
        PartitionLog log = open(1, compacted);
        append(log, TestBatches.keyed("a", "1"));
        append(log, TestBatches.keyed("a", "2"));
        roll(log);
        for (int i = 0; i < 30; i++) {
            append(log, TestBatches.transactionalKeyed(PRODUCER, 0, -1, "a", "aborted"));
            append(log, TestBatches.marker(PRODUCER, 0, 0, false));
        }
        roll(log);
        world.checkpoint();
        files.delete(chunks(log).get(1).path());
        world.kill();
        epoch++;
        log = open(1, compacted);
        clean(log);

        assertThat(contents(log).cleanedUpTo()).isEqualTo(2);
        assertThat(ending(committed(log, 0))).contains("Failed");
    }

    /** The next record begins a segment; the cleaner does not look meanwhile. */
    private void roll(PartitionLog log) {
        LocalPartitionLog local = (LocalPartitionLog) log;
        world.settle();
        assertThat(local.appender().rollNowIfNotEmpty(local.config(), local.isJournaled()))
                .isTrue();
        local.checkpointState().onStructureChange();
        world.settle();
    }

    @Test
    void areFoundMissingByAnInspectionAndGivenUpWithTheLogStart() throws IOException {
        PartitionLog log = open();
        abort(log, 100);
        world.checkpoint();
        AbortedChunk chunk = chunks(log).get(2);
        files.delete(chunk.path());
        Path journal = LocalWorld.DIRECTORY.resolve("journal");
        assertThat(SegmentInspection.inspect(files, LocalWorld.DIRECTORY, journal))
                .extracting(
                        SegmentInspection.Missing::file,
                        SegmentInspection.Missing::firstOffset,
                        SegmentInspection.Missing::lastOffset,
                        SegmentInspection.Missing::fileMissing)
                .containsExactly(tuple(chunk.path(), 32L, 47L, true));

        log = killAndOpen();
        assertThat(world.store().quarantined()).hasSize(1);
        log.trim(chunk.lastMarker() + 1);
        world.settle();
        assertThat(world.store().quarantined()).isEmpty();
        assertThat(committed(log, chunk.lastMarker() + 1).ending()).isNull();
        world.checkpoint();
        killAndOpen();
        assertThat(SegmentInspection.inspect(files, LocalWorld.DIRECTORY, journal))
                .isEmpty();
    }

    /** Whoever asks near the end of a log is answered on its own thread, but does not wait for a file there. */
    @Test
    void areReadOnTheReadersThreadsAlone() {
        PartitionLog log = open();
        abort(log, 100);
        world.checkpoint();
        List<ReadResult> results = new ArrayList<>();
        List<Path> opened = new ArrayList<>();
        files.failWith(
                (operation, path) -> {
                    if (operation == Operation.OPEN && path.toString().endsWith(".aborted")) {
                        opened.add(path);
                    }
                    return false;
                },
                0,
                1);
        log.read(request(190), results::add);
        assertThat(results).as("in memory").hasSize(1);
        log.read(request(0), results::add);
        assertThat(results).hasSize(1);
        assertThat(opened).isEmpty();

        world.runTasks();
        assertThat(results).hasSize(2);
        assertThat(opened).hasSize(11);
        log.read(request(0), results::add);
        assertThat(results).as("read lately").hasSize(3);
        for (ReadResult result : results) {
            ReadResult.Records records = (ReadResult.Records) result;
            records.slice().release();
        }
        assertThat(((ReadResult.Records) results.get(2)).abortedTransactions()).hasSize(100);
        assertThat(((LocalPartitionLog) log).context().catchUpReaders().takenBytes())
                .isZero();
    }

    private static ReadRequest request(long offset) {
        return new ReadRequest(offset, 1 << 20, true, ReadRequest.Limit.LAST_STABLE, Runnable::run);
    }

    /** A cleaning replaces segments under a reader, and the next one comes before it has read. */
    @Test
    void areToldToAReaderThatTwoCleaningsOvertake() {
        PartitionLog log = open(
                1,
                Map.of(
                        "cleanup.policy", "compact",
                        "segment.ms", "60000",
                        "min.cleanable.dirty.ratio", "0.01"));
        append(log, TestBatches.transactionalKeyed(PRODUCER, 0, -1, "key", "aborted"));
        append(log, TestBatches.marker(PRODUCER, 0, 0, false));
        append(log, TestBatches.keyed("other", "plain"));
        world.settle();
        world.time().advanceNanos(61_000_000_000L);
        world.settle();
        append(log, TestBatches.keyed("active", "x"));
        world.settle();
        boolean[] begun = {false};
        files.failWith(
                (operation, path) -> {
                    if (operation == Operation.READ && path.toString().endsWith(".log") && !begun[0]) {
                        begun[0] = true;
                        clean(log);
                        clean(log);
                    }
                    return false;
                },
                0,
                1);
        CommittedReader reader = committed(log, 0);

        assertThat(begun[0]).isTrue();
        assertThat(contents(log).segments()[0].name().version()).isEqualTo(2);
        assertThat(reader.found()).doesNotContainValue("aborted").containsValue("plain");
    }

    private void clean(PartitionLog log) {
        world.time().advanceNanos(61_000_000_000L);
        append(log, TestBatches.keyed("active", "x"));
        world.settle();
        world.time().advanceNanos(16_000_000_000L);
        world.settle();
    }

    @Test
    void everyEndOfTheProcessLeavesWhatIsCommittedAndNothingElse() throws IOException {
        int points = 0;
        boolean crashed = true;
        for (int at = 1; crashed; at++) {
            crashed = new CrashPoint(at, true).run();
            assertThat(new CrashPoint(at, false).run()).isEqualTo(crashed);
            points = at;
        }

        assertThat(points).isGreaterThan(100);
    }

    /** The process ends in one operation of a run that writes, uses and deletes files of aborted transactions. */
    private static final class CrashPoint {
        private final SimulatedFileSystem disk;
        private final SimulatedNode node;
        private final int at;
        private final boolean power;
        private int acknowledged;
        private long trimmedTo;

        CrashPoint(int at, boolean power) {
            this.at = at;
            this.power = power;
            disk = new SimulatedFileSystem(at);
            node = new SimulatedNode(disk, files -> files);
            node.setAbortedInBlock(2);
        }

        boolean run() throws IOException {
            node.start();
            disk.crashAfter(at);
            PartitionLog log = openOrNull(0);
            for (int i = 0; i < 14 && log != null && !disk.crashed(); i++) {
                appendOne(log, TestBatches.transactional(PRODUCER, 0, -1, "aborted"));
                appendOne(log, TestBatches.marker(PRODUCER, 0, 0, false));
                appendOne(log, TestBatches.of("plain"));
                if (i % 4 == 3) {
                    checkpoint();
                }
                if (i == 9) {
                    trim(log);
                }
            }
            checkpoint();
            boolean crashed = disk.crashed();
            node.crash(power);
            node.start();
            check(Objects.requireNonNull(openOrNull(1)));
            return crashed;
        }

        private @org.jspecify.annotations.Nullable PartitionLog openOrNull(int epoch) {
            var stage = node.store()
                    .open(new PartitionId(new TopicId(1, 1), 0), "t", 1, epoch, Map.of())
                    .toCompletableFuture();
            node.settle();
            return disk.crashed() ? null : stage.join();
        }

        private void appendOne(PartitionLog log, ByteBuf batch) {
            ByteBuf bytes = node.untracked(batch);
            AppendResult result = VerifiedAppend.append(log, bytes, AppendOrigin.COORDINATOR);
            bytes.release();
            node.settle();
            if (result instanceof AppendResult.Appended && !disk.crashed()) {
                acknowledged++;
            }
        }

        private void checkpoint() {
            if (!disk.crashed()) {
                node.store().checkpoint();
                node.settle();
            }
        }

        private void trim(PartitionLog log) {
            var trimmed = log.trim(18).toCompletableFuture();
            node.settle();
            trimmedTo = trimmed.isDone() && !trimmed.isCompletedExceptionally() ? 18 : 0;
        }

        private void check(PartitionLog log) throws IOException {
            assertThat(log.endOffset()).as("end").isGreaterThanOrEqualTo(acknowledged);
            assertThat(log.logStartOffset()).as("start").isIn(trimmedTo, 18L);
            CommittedReader reader = new CommittedReader(log, node::runTasks, 300).readFrom(log.logStartOffset());
            assertThat(reader.ending()).isNull();
            List<Long> plain = new ArrayList<>();
            for (long offset = log.logStartOffset(); offset < log.endOffset(); offset++) {
                if (offset % 3 == 2) {
                    plain.add(offset);
                }
            }
            assertThat(reader.found().keySet()).as("crash at %s", at).containsExactlyElementsOf(plain);
            checkpoint();
            List<String> names = disk.exists(contents(log).directory().path())
                    ? disk.list(contents(log).directory().path())
                    : List.of();
            assertThat(names.stream().filter(name -> name.endsWith(".aborted")))
                    .containsExactlyElementsOf(chunks(log).stream()
                            .map(chunk -> chunk.path().getFileName().toString())
                            .toList());
        }
    }
}
