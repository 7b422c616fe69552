package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.netty.buffer.ByteBuf;
import io.sluice.base.error.UserException;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.ForwardingFileSystem;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.local.aborted.ChunkCache;
import io.sluice.storage.local.content.Catalogue;
import io.sluice.storage.local.content.LogRecovery;
import io.sluice.storage.local.producer.ProducerLimit;
import io.sluice.storage.local.segment.OpenFiles;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.OffsetQuery;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.ReadRequest;
import io.sluice.storage.log.TestBatches;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of segments that are removed or cut while the node is down: two batches of a record each in a segment. */
class MissingRecordsTest extends TouchedFiles {
    private static final Path LOGS = LocalWorld.DIRECTORY.resolve("logs");
    private static final Pattern RANGES = Pattern.compile("(?m)^sluice_log_quarantined_ranges (\\d+)");
    private static final Map<String, String> DISK = Map.of("segment.bytes", "1048576");

    private PartitionLog open(Map<String, String> configs) {
        var stage = world.store().open(id(), "t", 1, 0, configs).toCompletableFuture();
        world.settle();
        return stage.join();
    }

    private PartitionLog openWith(int batches) {
        PartitionLog log = open(DISK);
        append(log, batches);
        return log;
    }

    private int ranges() {
        ByteArrayOutputStream page = new ByteArrayOutputStream();
        try {
            world.metrics().writeText(page);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Matcher line = RANGES.matcher(page.toString(StandardCharsets.UTF_8));
        assertThat(line.find()).isTrue();
        return Integer.parseInt(line.group(1));
    }

    @Test
    void servesWhatIsBeforeAndBehindAMissingFileAndNeverPassesOverIt() throws IOException {
        PartitionLog log = openWith(6);
        world.checkpoint();
        Path missing = file(log, 1);
        byte[] content = content(missing);
        files.delete(missing);
        world.kill();

        PartitionLog again = open(DISK);
        assertThat(consume(again, 0))
                .startsWith("2 Failed")
                .contains("offsets 2 to 3 are missing", missing + " is not");
        assertThat(consume(again, 3)).startsWith("3 Failed");
        assertThat(consume(again, 4)).isEqualTo("6 end");
        assertThat(ranges()).isEqualTo(1);
        append(again, 1);
        assertThat(consume(again, 4)).isEqualTo("7 end");

        write(missing, content);
        world.kill();
        assertThat(consume(open(DISK), 0)).isEqualTo("7 end");
        assertThat(ranges()).isZero();
    }

    @Test
    void servesTheWholeBatchesOfAFileThatWasCut() throws IOException {
        PartitionLog log = openWith(6);
        world.checkpoint();
        Path cut = file(log, 1);
        cut(cut, BATCH_BYTES + BATCH_BYTES / 2);
        world.kill();

        PartitionLog again = open(DISK);
        assertThat(consume(again, 0)).startsWith("3 Failed").contains("offsets 3 to 3 are missing", cut + " ends at");
        assertThat(consume(again, 4)).isEqualTo("6 end");
        assertThat(ranges()).isEqualTo(1);
    }

    /** What the journal still holds, and what is appended, goes to another file: the next start finds the same missing. */
    @ParameterizedTest
    @ValueSource(ints = {-1, 0, BATCH_BYTES / 2, BATCH_BYTES + BATCH_BYTES})
    void goesOnBehindWhatTheLastSegmentLacks(int bytesLeft) throws IOException {
        PartitionLog log = openWith(6);
        world.checkpoint();
        PartitionLog more = openWith(0);
        ByteBuf small = TestBatches.of("x");
        more.append(small, more.leaderEpoch(), AppendOrigin.CLIENT);
        small.release();
        world.settle();
        Path last = file(log, 2);
        if (bytesLeft < 0) {
            files.delete(last);
        } else {
            cut(last, bytesLeft);
        }
        int lost = bytesLeft > BATCH_BYTES ? 5 : 4;

        for (int start = 0; start < 3; start++) {
            world.kill();
            PartitionLog again = open(DISK);
            assertThat(consume(again, 0)).startsWith(lost + " Failed");
            assertThat(consume(again, 6)).isEqualTo(7 + start + " end");
            append(again, 1);
            assertThat(consume(again, 6)).isEqualTo(8 + start + " end");
            assertThat(ranges()).isEqualTo(1);
            if (start > 0) {
                world.checkpoint();
            }
        }
    }

    /** A checkpoint knows the first batch of the second segment; a scan would find the rest behind it. */
    @Test
    void setsAsideWhatFollowsAMissingFileOfALogThatBypassesTheJournal() throws IOException {
        world.setConfig(LocalWorld.config(1 << 30)); // no checkpoint but the one below
        world.restart();
        PartitionLog log = open(MEMORY);
        append(log, 3);
        world.checkpoint();
        append(log, 3);
        Path missing = file(log, 1);
        Path behind = file(log, 2);
        Path aside = behind.resolveSibling(behind.getFileName() + ".unclaimed");
        byte[] content = content(missing);
        files.delete(missing);
        world.kill();

        PartitionLog again = open(MEMORY);
        assertThat(consume(again, 0)).startsWith("2 Failed").contains("offsets 2 to 2 are missing");
        assertThat(again.endOffset()).isEqualTo(3);
        assertThat(files.exists(behind)).isFalse();
        assertThat(files.exists(aside)).isTrue();

        write(missing, content);
        files.rename(aside, behind);
        world.kill();
        assertThat(consume(open(MEMORY), 0)).isEqualTo("6 end");
    }

    @Test
    void namesTheFirstOfManyPartitions() throws IOException {
        int count = 25;
        for (int logId = 1; logId <= count; logId++) {
            var stage = world.store()
                    .open(new PartitionId(new TopicId(1, logId), 0), "t", logId, 0, MEMORY)
                    .toCompletableFuture();
            world.settle();
            append(stage.join(), 1);
        }
        world.checkpoint();
        for (int logId = 1; logId <= count; logId++) {
            files.delete(LOGS.resolve(logId + "-t-0").resolve("00000000000000000000.log"));
        }
        LogRecovery recovery =
                new LogRecovery(files, LOGS, new OpenFiles(10), ProducerLimit.none(), new ChunkCache(8), 0);
        Catalogue.read(files, LocalWorld.DIRECTORY, recovery);
        recovery.onCatalogueRead();

        assertThat(MissingRecords.report(recovery.logs())).isEqualTo(20);
        world.kill();
        assertThat(open(MEMORY).endOffset()).isEqualTo(1);
    }

    @Test
    void forgetsWhatIsMissingOnceTheLogStartsBehindIt() throws IOException {
        PartitionLog log = openWith(6);
        world.checkpoint();
        files.delete(file(log, 0));
        files.delete(file(log, 2));
        world.kill();
        PartitionLog again = open(DISK);
        assertThat(ranges()).isEqualTo(2);

        var trimmed = again.trim(6).toCompletableFuture();
        world.settle();
        assertThat(trimmed).isCompletedWithValue(6L);
        assertThat(ranges()).isZero();
        append(again, 1);
        world.kill();
        assertThat(consume(open(DISK), 6)).isEqualTo("7 end");
        assertThat(ranges()).isZero();
    }

    @Test
    void isFoundByAnInspection() throws IOException {
        Path journal = LocalWorld.DIRECTORY.resolve("journal");
        PartitionLog log = openWith(6);
        world.checkpoint();
        files.delete(file(log, 0));
        cut(file(log, 1), BATCH_BYTES + BATCH_BYTES / 2);

        assertThat(SegmentInspection.inspect(files, LocalWorld.DIRECTORY, journal))
                .extracting(
                        SegmentInspection.Missing::file,
                        SegmentInspection.Missing::firstOffset,
                        SegmentInspection.Missing::lastOffset,
                        SegmentInspection.Missing::fileMissing)
                .containsExactly(tuple(file(log, 0), 0L, 1L, true), tuple(file(log, 1), 3L, 3L, false));
    }

    @Test
    void leavesAJournalUnreadWhereNothingIsMissing() throws IOException {
        openWith(2);
        world.checkpoint();
        Path journal = Path.of("/journal");
        FileSystem refusing = new ForwardingFileSystem(files) {
            @Override
            public boolean exists(Path path) throws IOException {
                assertThat(path).isNotEqualTo(journal);
                return super.exists(path);
            }
        };

        assertThat(SegmentInspection.inspect(refusing, LocalWorld.DIRECTORY, journal))
                .isEmpty();
    }

    @Test
    void isNotFoundByAnInspectionWhereTheJournalKnowsThatItWasDeleted() throws IOException {
        SimulatedNode node = new SimulatedNode(new SimulatedFileSystem(1), UnaryOperator.identity());
        node.start();
        for (int logId = 1; logId <= 2; logId++) {
            var stage = node.store()
                    .open(new PartitionId(new TopicId(1, logId), 0), "t", logId, 0, Map.of("segment.ms", "1000"))
                    .toCompletableFuture();
            node.settle();
            PartitionLog log = stage.join();
            for (int i = 0; i < 2; i++) {
                ByteBuf batch = node.untracked(TestBatches.ofSize(10_000));
                assertThat(log.append(batch, 0, AppendOrigin.CLIENT)).isInstanceOf(AppendResult.Appended.class);
                batch.release();
                node.time().advanceNanos(2_000_000_000L);
                node.settle();
            }
        }
        var checkpoint = node.store().checkpoint().toCompletableFuture();
        node.settle();
        assertThat(checkpoint).isCompleted();
        Path first = LocalWorld.DIRECTORY.resolve("logs").resolve("1-t-0").resolve("00000000000000000000.log");
        assertThat(node.disk.exists(first)).isTrue();
        var trimmed = Objects.requireNonNull(node.store().find(new PartitionId(new TopicId(1, 1), 0)))
                .trim(1)
                .toCompletableFuture();
        node.store().delete(new PartitionId(new TopicId(1, 2), 0));
        node.settle();
        assertThat(trimmed).isCompletedWithValue(1L);
        assertThat(node.disk.exists(first)).isFalse();

        Path journal = LocalWorld.DIRECTORY.resolve("journal");
        assertThat(SegmentInspection.inspect(node.disk, LocalWorld.DIRECTORY, journal))
                .isEmpty();
        assertThat(SegmentInspection.inspect(node.disk, LocalWorld.DIRECTORY, Path.of("/nowhere")))
                .hasSize(3);
    }

    @Test
    void missesNothingThatWasDeletedBehindALogStartThatOnlyTheJournalKnows() {
        PartitionLog log = openWith(2);
        world.checkpoint();
        append(log, 4);
        var trimmed = log.trim(4).toCompletableFuture();
        world.settle();
        assertThat(trimmed).isCompleted();
        world.kill();

        PartitionLog again = open(DISK);
        assertThat(consume(again, 4)).isEqualTo("6 end");
        assertThat(ranges()).isZero();
    }

    @Test
    void failsASearchByTimeThatWouldPassOverWhatIsMissing() throws IOException {
        PartitionLog log = openWith(6);
        world.checkpoint();
        cut(file(log, 0), BATCH_BYTES / 2);
        world.kill();
        PartitionLog again = open(DISK);
        List<OffsetQuery.Result> results = new ArrayList<>();
        again.findOffset(
                new OffsetQuery(TestBatches.TIMESTAMP, ReadRequest.Limit.VISIBLE, Runnable::run), results::add);
        world.runTasks();

        assertThat(results).hasSize(1);
        assertThat(results.get(0).toString()).contains("Failed", "are missing");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void refusesToStartWithoutAnyOfTheLogsThatTheCatalogueLists(boolean mountPoint) throws IOException {
        openWith(2);
        world.checkpoint();
        append(open(DISK), 1);
        files.deleteTree(LOGS);
        if (mountPoint) {
            files.createDirectories(LOGS);
        }

        for (int i = 0; i < 2; i++) { // the first attempt must not have made the second look right
            assertThatThrownBy(world::kill)
                    .isInstanceOf(UserException.class)
                    .hasMessageContaining(LOGS + (mountPoint ? " is empty" : " is missing"))
                    .hasMessageContaining("lists 1 partitions with records")
                    .hasMessageContaining("Mount it or restore it");
            assertThat(files.exists(LOGS)).isEqualTo(mountPoint);
        }
    }

    @Test
    void startsWithoutLogsWhereTheJournalSaysThatAllWereDeleted() throws IOException {
        openWith(2);
        world.checkpoint();
        world.store().delete(id());
        world.settle();
        assertThat(files.list(LOGS)).containsExactly(JournalNote.FILE_NAME);

        world.kill();
        assertThat(world.store().startedClean()).isFalse();
    }
}
