package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.LogSlice.Piece;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.ReadRequest;
import io.sluice.storage.log.ReadResult;
import io.sluice.storage.log.RecordingDurability;
import io.sluice.storage.log.TestBatches;
import io.sluice.storage.log.VerifiedAppend;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What only a real disk shows: regions of files, open files, a restart. */
class RealDiskTest {
    private static final int FILES = 8;

    @TempDir
    private Path directory = Path.of("");

    private RealStore start() throws IOException {
        LocalStorageConfig defaults = LocalStorageConfig.defaults();
        return new RealStore(
                directory,
                new LocalStorageConfig(
                        FILES,
                        defaults.checkpointBytes(),
                        defaults.checkpointSliceBytes(),
                        defaults.smallTailBytes(),
                        defaults.catchUpBytes(),
                        0,
                        defaults.retentionCheckMillis(),
                        defaults.producers(),
                        defaults.cleaner(),
                        false));
    }

    private static PartitionLog open(RealStore real, int partition) {
        return real.store
                .open(new PartitionId(new TopicId(1, 1), partition), "t", 10 + partition, 0, Map.of())
                .toCompletableFuture()
                .orTimeout(20, TimeUnit.SECONDS)
                .join();
    }

    /** A disk that is busy with others may be slower than this: what is refused as full is tried again when told. */
    private static void append(RealStore real, PartitionLog log, ByteBuf batch) {
        AppendResult result = log.append(batch, 0, AppendOrigin.CLIENT);
        while (result instanceof AppendResult.Refused refused && refused.reason() == AppendResult.Refusal.FULL) {
            CompletableFuture<Void> room = new CompletableFuture<>();
            real.store.awaitCapacity(Runnable::run, () -> room.complete(null));
            room.orTimeout(20, TimeUnit.SECONDS).join();
            result = log.append(batch, 0, AppendOrigin.CLIENT);
        }
        assertThat(result).isInstanceOf(AppendResult.Appended.class);
        batch.release();
    }

    private static void awaitDurable(PartitionLog log) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        log.awaitDurable(log.endOffset(), new RecordingDurability(task -> {
            task.run();
            done.complete(null);
        }));
        done.orTimeout(20, TimeUnit.SECONDS).join();
    }

    private static ReadResult.Records read(PartitionLog log, long offset) {
        CompletableFuture<ReadResult> result = new CompletableFuture<>();
        log.read(new ReadRequest(offset, 512 << 10, true, ReadRequest.Limit.VISIBLE, Runnable::run), result::complete);
        return (ReadResult.Records) result.orTimeout(20, TimeUnit.SECONDS).join();
    }

    @Test
    void sendsARegionOfTheFileBehindTheTailAndKeepsItOpenForTheReader() throws IOException {
        try (RealStore real = start()) {
            PartitionLog log = open(real, 0);
            for (int i = 0; i < 40; i++) {
                append(real, log, TestBatches.ofSize(100_000));
                awaitDurable(log);
            }

            ReadResult.Records records = read(log, 0);
            assertThat(records.slice().pieces()).hasOnlyElementsOfType(Piece.FileRegion.class);
            real.store.delete(log.id());
            assertThat(TestBatches.values(records.slice())).hasSize(5).allMatch(value -> value.length() > 100_000);
        }
    }

    @Test
    void countsTheRecordsOfRegionsWhetherTheyAreCheckedOrKnownToBeSound() throws IOException {
        try (RealStore real = start()) {
            PartitionLog log = open(real, 0);
            for (int i = 0; i < 2000; i++) {
                append(real, log, TestBatches.of("a".repeat(700), "b".repeat(700), "c"));
            }
            awaitDurable(log);

            for (long offset : new long[] {0, 0, 3, 4, 4, 1001, 1001}) {
                ReadResult.Records records = read(log, offset);
                assertThat(records.slice().pieces())
                        .as("from %d", offset)
                        .hasOnlyElementsOfType(Piece.FileRegion.class);
                assertThat(records.slice().recordCount()).isGreaterThan(1000);
                assertThat(TestBatches.values(records.slice()))
                        .as("from %d", offset)
                        .startsWith(offset - offset % 3 + ":" + "a".repeat(700));
            }
        }
    }

    @Test
    void keepsFewFilesOpenHoweverManyLogsThereAreAndFindsAllAfterARestart() throws IOException {
        int logs = 100;
        try (RealStore real = start()) {
            for (int i = 0; i < logs; i++) {
                append(real, open(real, i), TestBatches.of("v" + i));
            }
            for (int i = 0; i < logs; i++) {
                awaitDurable(open(real, i));
            }
            java.io.ByteArrayOutputStream text = new java.io.ByteArrayOutputStream();
            real.metrics.writeText(text);
            assertThat(text.toString(java.nio.charset.StandardCharsets.UTF_8))
                    .contains("sluice_log_open_files " + FILES + ".0");
        }
        try (RealStore real = start()) {
            assertThat(real.store.startedClean()).isTrue();
            for (int i = 0; i < logs; i++) {
                assertThat(TestBatches.values(read(open(real, i), 0).slice())).containsExactly("0:v" + i);
            }
        }
    }

    /** Each has a record and a marker. */
    @Test
    void tellsOfAbortedTransactionsInFilesAfterARestart() throws IOException {
        int transactions = 10_000;
        try (RealStore real = start()) {
            PartitionLog log = open(real, 0);
            for (int i = 0; i < transactions; i++) {
                appendVerified(real, log, TestBatches.transactional(7, 0, -1, "aborted"));
                appendVerified(real, log, TestBatches.marker(7, 0, 0, false));
            }
            append(real, log, TestBatches.of("plain"));
            awaitDurable(log);
            real.store
                    .checkpoint()
                    .toCompletableFuture()
                    .orTimeout(20, TimeUnit.SECONDS)
                    .join();
            assertThat(((LocalPartitionLog) log).contents().aborted().chunks()).hasSize(1);
        }
        try (RealStore real = start()) {
            PartitionLog log = open(real, 0);
            assertThat(((LocalPartitionLog) log).contents().aborted().inHeap()).isEqualTo(transactions - 4_096);
            long offset = 0;
            List<String> found = new ArrayList<>();
            while (offset < log.endOffset()) {
                CompletableFuture<ReadResult> result = new CompletableFuture<>();
                log.read(
                        new ReadRequest(offset, 512 << 10, true, ReadRequest.Limit.LAST_STABLE, Runnable::run),
                        result::complete);
                ReadResult.Records records = (ReadResult.Records)
                        result.orTimeout(20, TimeUnit.SECONDS).join();
                long next = TestBatches.nextOffset(records.slice());
                assertThat(records.abortedTransactions()).hasSize((int) ((Math.min(next, 20_000) - offset + 1) / 2));
                TestBatches.values(records.slice()).stream()
                        .filter(value -> value.endsWith(":plain"))
                        .forEach(found::add);
                offset = next;
            }
            assertThat(found).containsExactly(2 * transactions + ":plain");
        }
    }

    private static void appendVerified(RealStore real, PartitionLog log, ByteBuf batch) {
        AppendResult result = VerifiedAppend.append(log, batch, AppendOrigin.COORDINATOR);
        while (result instanceof AppendResult.Refused refused && refused.reason() == AppendResult.Refusal.FULL) {
            CompletableFuture<Void> room = new CompletableFuture<>();
            real.store.awaitCapacity(Runnable::run, () -> room.complete(null));
            room.orTimeout(20, TimeUnit.SECONDS).join();
            result = VerifiedAppend.append(log, batch, AppendOrigin.COORDINATOR);
        }
        assertThat(result).isInstanceOf(AppendResult.Appended.class);
        batch.release();
    }
}
