package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.base.metric.Metric;
import io.sluice.protocol.record.BatchView;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.file.SimulatedFileSystem.Operation;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.ReadRequest;
import io.sluice.storage.log.ReadResult;
import io.sluice.storage.log.TestBatches;
import io.sluice.storage.log.VerifiedAppend;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The cleaner, through the store. */
class CompactionTest {
    private static final Map<String, String> COMPACTED = Map.of(
            "cleanup.policy", "compact",
            "segment.ms", "60000",
            "delete.retention.ms", "3600000",
            "min.cleanable.dirty.ratio", "0.01");

    private static final Path LOG = Path.of("/data/logs/1-state-0");
    private static final String REWRITTEN = "00000000000000000000-1";

    private final LocalWorld world = new LocalWorld();

    @AfterEach
    void end() {
        world.close();
    }

    private PartitionLog open() {
        return open(COMPACTED);
    }

    private PartitionLog open(Map<String, String> configs) {
        var stage = world.store()
                .open(new PartitionId(new TopicId(1, 1), 0), "state", 1, 0, configs)
                .toCompletableFuture();
        world.settle();
        return stage.join();
    }

    private void append(PartitionLog log, ByteBuf batch) {
        append(log, batch, AppendOrigin.COORDINATOR);
    }

    private void append(PartitionLog log, ByteBuf batch, AppendOrigin origin) {
        AppendResult result = VerifiedAppend.append(log, batch, origin);
        batch.release();
        assertThat(result).isInstanceOf(AppendResult.Appended.class);
    }

    /** Ends the active segment with a record under a key of its own, and lets the cleaner come past. */
    private void clean(PartitionLog log) {
        pass(61, TimeUnit.SECONDS);
        append(log, TestBatches.keyed("active", "x"));
        pass(16, TimeUnit.SECONDS);
    }

    private void pass(long time, TimeUnit unit) {
        world.settle();
        world.time().advanceNanos(unit.toNanos(time));
        world.settle();
    }

    /** The cleaner's map has room for two keys only. */
    private PartitionLog openWithTinyMap() {
        world.setConfig(LocalWorld.config(1 << 20, 3 * 24));
        world.restart();
        return open();
    }

    private static long cleanedUpTo(PartitionLog log) {
        return ((LocalPartitionLog) log).contents().cleanedUpTo();
    }

    private static ByteBuf keyed(String value, String... keys) {
        String[] values = new String[keys.length];
        Arrays.fill(values, value);
        return TestBatches.keyed(-1, 0, 0, false, keys, values);
    }

    private List<String> values(PartitionLog log) {
        List<String> all = new ArrayList<>();
        long offset = log.logStartOffset();
        while (offset < log.visibleOffset()) {
            ReadResult.Records records = (ReadResult.Records) read(log, offset);
            long next = TestBatches.nextOffset(records.slice());
            assertThat(next).isGreaterThan(offset);
            all.addAll(TestBatches.values(records.slice()));
            offset = next;
        }
        return all;
    }

    private ReadResult read(PartitionLog log, long offset) {
        AtomicReference<ReadResult> result = new AtomicReference<>();
        log.read(new ReadRequest(offset, 1 << 20, true, ReadRequest.Limit.VISIBLE, Runnable::run), result::set);
        world.runTasks();
        return Objects.requireNonNull(result.get());
    }

    @Test
    void keepsTheNewestRecordOfEachKey() {
        PartitionLog log = open();
        append(log, TestBatches.keyed("a", "1"));
        append(log, TestBatches.keyed("b", "1"));
        append(log, TestBatches.keyed("a", "2"));
        append(log, TestBatches.keyed("c", "1"));
        clean(log);

        assertThat(values(log)).containsExactly("1:1", "2:2", "3:1", "4:x");
        assertThat(log.endOffset()).isEqualTo(5);
    }

    @Test
    void saysWhatItHasDoneAndWhatWaits() throws IOException {
        Map<String, String> patient = new HashMap<>(COMPACTED);
        patient.put("min.cleanable.dirty.ratio", "0.9");
        PartitionLog log = open(patient);
        append(log, TestBatches.keyed("a", "1"));
        append(log, TestBatches.keyed("a", "2"));
        clean(log);
        long read = world.metrics().counter(Metric.LOG_CLEANED_BYTES).sum();
        long written = world.metrics().counter(Metric.LOG_CLEANER_WRITTEN_BYTES).sum();

        clean(log);

        ByteArrayOutputStream page = new ByteArrayOutputStream();
        world.metrics().writeText(page);
        assertThat(read).isEqualTo(4 * written);
        assertThat(world.metrics().counter(Metric.LOG_CLEANINGS).sum()).isEqualTo(1);
        assertThat(world.metrics().counter(Metric.LOG_CLEANED_BYTES).sum()).isEqualTo(read);
        assertThat(page.toString(StandardCharsets.UTF_8))
                .contains("sluice_log_cleaning_remaining_bytes 0")
                .containsPattern("sluice_log_cleaner_waiting_bytes [1-9]");
    }

    @Test
    void cleansAgainWhatCameSince() {
        PartitionLog log = open();
        append(log, TestBatches.keyed("a", "1"));
        append(log, TestBatches.keyed("b", "1"));
        clean(log);
        append(log, TestBatches.keyed("a", "2"));
        clean(log);

        assertThat(values(log)).containsExactly("1:1", "2:x", "3:2", "4:x");
    }

    @Test
    void countsTheIndexOfARewrittenSegmentInsteadOfThoseItReplaces() {
        PartitionLog log = open();
        append(log, TestBatches.keyed("a", "1"));
        append(log, TestBatches.keyed("a", "2"));
        clean(log);
        world.checkpoint();

        assertThat(((LocalPartitionLog) log)
                        .context()
                        .openFiles()
                        .loadedIndexes()
                        .count())
                .isEqualTo(1);
    }

    @Test
    void cleansInALaterRoundWhatItHadNoMemoryFor() {
        PartitionLog log = open();
        append(log, TestBatches.keyed("a", "1"));
        append(log, TestBatches.keyed("a", "2"));
        ByteBuf all = world.memory().directBuffer(LocalWorld.MEMORY_BYTES - 1024);
        clean(log);
        all.release();
        assertThat(values(log)).contains("0:1");

        pass(16, TimeUnit.SECONDS);
        assertThat(values(log)).containsExactly("1:2", "2:x");
    }

    @Test
    void goesOnWithRoundsAfterADefect() {
        PartitionLog log = open();
        append(log, TestBatches.keyed("a", "1"));
        append(log, TestBatches.keyed("a", "2"));
        world.simulatedFileSystem().failWith((operation, path) -> throwOnce(path.toString()), 0, 1);
        clean(log);
        assertThat(values(log)).contains("0:1");

        pass(16, TimeUnit.SECONDS);
        assertThat(values(log)).containsExactly("1:2", "2:x");
    }

    private boolean throwOnce(String path) {
        if (path.endsWith("-1.log")) {
            world.simulatedFileSystem().clearFaults();
            throw new IllegalStateException("a defect");
        }
        return false;
    }

    @Test
    void fencesWhereARewrittenSegmentCannotBeForced() {
        PartitionLog log = open();
        append(log, keyed("old", "k"));
        append(log, keyed("new", "k"));
        world.simulatedFileSystem()
                .failWith(
                        (operation, path) ->
                                operation == Operation.FORCE && path.toString().contains(REWRITTEN),
                        0,
                        1);
        clean(log);

        assertThat(world.store().isFenced()).isTrue();
        assertThat(values(log)).contains("0:old", "1:new");
    }

    @Test
    void stillHasWhatItKeptAfterARestartAndWithoutTheOldFiles() {
        PartitionLog log = open();
        append(log, TestBatches.keyed("a", "1"));
        append(log, TestBatches.keyed("a", "2"));
        clean(log);
        world.checkpoint();
        world.restart();
        PartitionLog again = open();

        assertThat(values(again)).containsExactly("1:2", "2:x");
        append(again, TestBatches.keyed("d", "1"));
        world.settle();
        assertThat(values(again)).containsExactly("1:2", "2:x", "3:1");
    }

    @Test
    void losesNothingWhenItCrashesBeforeTheCheckpoint() {
        PartitionLog log = open();
        append(log, TestBatches.keyed("a", "1"));
        append(log, TestBatches.keyed("a", "2"));
        clean(log);
        world.kill();
        PartitionLog again = open();

        assertThat(values(again)).contains("1:2", "2:x");
        clean(again);
        assertThat(values(again)).doesNotContain("0:1");
    }

    @Test
    void keepsTombstonesUntilTheirTimeIsOver() {
        PartitionLog log = open();
        append(log, TestBatches.keyed("a", "1"));
        append(log, TestBatches.keyed("a", null));
        clean(log);
        assertThat(values(log)).containsExactly("1:null", "2:x");

        pass(2, TimeUnit.HOURS);
        clean(log);
        append(log, TestBatches.keyed("e", "1"));
        clean(log);

        assertThat(values(log)).noneMatch(value -> value.endsWith("null"));
    }

    @Test
    void letsNoDeletedKeyReturnWhereTheMapEndsBetweenTheKeyAndItsTombstone() {
        PartitionLog log = openWithTinyMap();
        append(log, keyed("1", "a", "b"));
        append(log, TestBatches.keyed("deleted", "returned"));
        append(log, keyed("1", "c", "d"));
        append(log, TestBatches.keyed("deleted", null));
        clean(log);
        assertThat(cleanedUpTo(log)).isEqualTo(2);

        pass(2, TimeUnit.HOURS);
        assertThat(cleanedUpTo(log)).isEqualTo(4);
        for (int i = 0; i < 5; i++) {
            pass(2, TimeUnit.HOURS);
        }

        assertThat(cleanedUpTo(log)).isEqualTo(6);
        assertThat(values(log)).containsExactly("0:1", "1:1", "3:1", "4:1", "5:null", "6:x");
        clean(log);
        pass(2, TimeUnit.HOURS);
        clean(log);
        assertThat(values(log)).noneMatch(value -> value.endsWith("returned") || value.endsWith("null"));
    }

    @Test
    void cleansABatchWithMoreKeysThanItsMapHolds() {
        PartitionLog log = openWithTinyMap();
        append(log, keyed("old", "a", "b", "c", "d", "e"));
        append(log, keyed("new", "e", "d", "c", "b", "a"));
        clean(log);
        for (long before = -1; cleanedUpTo(log) > before; ) {
            before = cleanedUpTo(log);
            pass(16, TimeUnit.SECONDS);
        }

        assertThat(cleanedUpTo(log)).isEqualTo(10);
        assertThat(values(log)).containsExactly("5:new", "6:new", "7:new", "8:new", "9:new", "10:x");
    }

    @Test
    void removesNothingForABatchThatTurnsOutUnreadableBehindTheLastKeyThatFits() {
        PartitionLog log = openWithTinyMap();
        append(log, keyed("1", "a", "b"));
        ByteBuf cutOff = keyed("2", "a", "b", "c");
        cutOff.setInt(57, 4); // records that its header promises
        new BatchView().wrap(cutOff).rewriteCrc();
        append(log, cutOff);
        clean(log);
        pass(16, TimeUnit.SECONDS);

        assertThat(baseOffsets(log)).containsExactly(0L, 2L, 5L);
        assertThat(cleanedUpTo(log)).isEqualTo(5);
    }

    @Test
    void keepsAnEmptyBatchAtTheEndSoThatReadersArriveThere() {
        Map<String, String> configs = new HashMap<>(COMPACTED);
        configs.put("max.compaction.lag.ms", "60000");
        PartitionLog log = open(configs);
        append(log, TestBatches.keyed("a", "1"));
        append(log, TestBatches.of("no key", "none either"));
        pass(61, TimeUnit.SECONDS);
        assertThat(cleanedUpTo(log)).isEqualTo(3);

        assertThat(values(log)).containsExactly("0:1");
        assertThat(baseOffsets(log)).containsExactly(0L, 1L);

        world.checkpoint();
        world.kill();
        log = open(configs);
        assertThat(baseOffsets(log)).containsExactly(0L, 1L);

        append(log, TestBatches.keyed("b", "1"));
        pass(61, TimeUnit.SECONDS);
        assertThat(cleanedUpTo(log)).isEqualTo(4);
        assertThat(baseOffsets(log)).containsExactly(0L, 3L);
    }

    @Test
    void leavesOutAbortedTransactionsAndKeepsOpenOnesUntouched() {
        PartitionLog log = open();
        append(log, TestBatches.transactional(7, 0, 0, "no key"), AppendOrigin.CLIENT);
        append(log, TestBatches.marker(7, 0, 0, false), AppendOrigin.MARKER);
        append(log, TestBatches.keyed("a", "1"));
        clean(log);
        assertThat(values(log)).doesNotContain("0:no key").contains("2:1");

        append(log, TestBatches.transactional(8, 0, 0, "open"), AppendOrigin.CLIENT);
        long open = log.endOffset() - 1;
        append(log, TestBatches.keyed("a", "2"));
        clean(log);
        assertThat(values(log)).contains(open + ":open", "2:1");
    }

    private static ByteBuf committedLater(String key, int sequence) {
        return TestBatches.transactionalKeyed(7, 0, sequence, key, "1");
    }

    /** Who loads the log, as the coordinator of groups does, takes records without a marker for undecided. */
    @Test
    void keepsAMarkerAsLongAsSomethingOfItsTransactionStays() {
        PartitionLog log = open();
        append(log, committedLater("a", 0), AppendOrigin.COORDINATOR);
        append(log, committedLater("b", 1), AppendOrigin.COORDINATOR);
        append(log, TestBatches.marker(7, 0, 0, true), AppendOrigin.MARKER);
        clean(log);
        pass(2, TimeUnit.HOURS);
        clean(log);
        pass(2, TimeUnit.HOURS);
        append(log, TestBatches.keyed("a", "2"));
        clean(log);
        assertThat(baseOffsets(log)).doesNotContain(0L).contains(1L, 2L);

        append(log, TestBatches.keyed("b", "2"));
        clean(log);
        assertThat(baseOffsets(log)).doesNotContain(1L).contains(2L);
        pass(2, TimeUnit.HOURS);
        append(log, TestBatches.keyed("c", "1"));
        clean(log);
        assertThat(baseOffsets(log)).doesNotContain(2L);
    }

    @Test
    void readsOnWhileSegmentsAreReplaced() {
        PartitionLog log = open();
        for (int i = 0; i < 50; i++) {
            append(log, TestBatches.keyed("k" + i % 5, "v" + i));
        }
        clean(log);

        assertThat(values(log)).containsExactly("45:v45", "46:v46", "47:v47", "48:v48", "49:v49", "50:x");
        assertThat(((ReadResult.Records) read(log, 10)).slice())
                .satisfies(slice -> assertThat(TestBatches.values(slice)).startsWith("45:v45"));
    }

    @Test
    void deletesWhatACrashLeftOfACleaningAndNothingElse() throws IOException {
        PartitionLog log = open();
        append(log, TestBatches.keyed("a", "1"));
        append(log, TestBatches.keyed("a", "2"));
        clean(log);
        SimulatedFileSystem files = world.simulatedFileSystem();
        files.create(LOG.resolve("notes.txt")).close();
        files.create(LOG.resolve("00000000000000000099.log")).close();
        assertThat(files.list(LOG)).contains(REWRITTEN + ".log", REWRITTEN + ".index");

        world.kill();
        world.settle();

        assertThat(files.list(LOG))
                .doesNotContain(REWRITTEN + ".log", REWRITTEN + ".index")
                .contains(
                        "00000000000000000000.log",
                        "00000000000000000002.log",
                        "00000000000000000099.log",
                        "notes.txt");
        assertThat(values(open())).containsExactly("0:1", "1:2", "2:x");
    }

    @Test
    void deletesOriginalsWhenACrashCameBetweenTheCatalogueAndTheirDeletion() throws IOException {
        PartitionLog log = open();
        append(log, TestBatches.keyed("a", "1"));
        append(log, TestBatches.keyed("a", "2"));
        clean(log);
        SimulatedFileSystem files = world.simulatedFileSystem();
        files.failWith((operation, path) -> operation == Operation.DELETE && path.startsWith(LOG), 0, 2);
        world.checkpoint();
        assertThat(files.list(LOG)).contains("00000000000000000000.log");

        world.kill();
        world.settle();

        assertThat(files.list(LOG)).contains(REWRITTEN + ".log").doesNotContain("00000000000000000000.log");
        assertThat(values(open())).containsExactly("1:2", "2:x");
    }

    @Test
    void keepsABatchWholeThatItCannotReadAndCleansTheRest() {
        PartitionLog log = open();
        append(log, TestBatches.keyed("b", "1"));
        append(log, TestBatches.keyed("a", "1"));
        append(log, unreadable("a", "2"));
        append(log, TestBatches.keyed("b", "2"));
        clean(log);

        assertThat(baseOffsets(log)).containsExactly(1L, 2L, 3L, 4L);

        append(log, TestBatches.keyed("b", "3"));
        clean(log);

        assertThat(baseOffsets(log)).containsExactly(1L, 2L, 4L, 5L, 6L);
        assertThat(((LocalPartitionLog) log).contents().cleanedUpTo()).isEqualTo(6);
    }

    /** With a sound CRC around compressed data that is none. */
    private static ByteBuf unreadable(String key, String value) {
        ByteBuf batch = TestBatches.keyed(-1, 0, 0, true, new String[] {key}, new String[] {value});
        batch.setZero(BatchView.HEADER_BYTES, batch.readableBytes() - BatchView.HEADER_BYTES);
        new BatchView().wrap(batch).rewriteCrc();
        return batch;
    }

    private List<Long> baseOffsets(PartitionLog log) {
        List<Long> offsets = new ArrayList<>();
        BatchView view = new BatchView();
        for (long at = log.logStartOffset(); at < log.visibleOffset(); at = view.nextOffset()) {
            ByteBuf all = TestBatches.bytesOf(((ReadResult.Records) read(log, at)).slice());
            for (int index = 0; BatchView.isWholeAt(all, index, all.writerIndex()); index = view.endIndex()) {
                offsets.add(view.wrap(all, index).baseOffset());
            }
        }
        return offsets;
    }
}
