package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.StorageFile;
import io.sluice.storage.local.aborted.ChunkCache;
import io.sluice.storage.local.content.Catalogue;
import io.sluice.storage.local.content.LogContents;
import io.sluice.storage.local.content.LogRecovery;
import io.sluice.storage.local.producer.ProducerLimit;
import io.sluice.storage.local.segment.OpenFiles;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.ReadResult;
import io.sluice.storage.log.TestBatches;
import io.sluice.storage.log.VerifiedAppend;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * The bytes on disk are those of docs/formats. A difference means that nodes could not read each other's directories: a
 * new format gets a new number, and the old files stay here and must still be read.
 */
class GoldenFilesTest {
    private static final Path LOG = LocalWorld.DIRECTORY.resolve("logs").resolve("5-orders-2");

    private final LocalWorld world = new LocalWorld();

    private void writeEverything() {
        var stage = world.store()
                .open(new PartitionId(new TopicId(3, 4), 2), "orders", 5, 6, Map.of("segment.ms", "60000"))
                .toCompletableFuture();
        world.settle();
        PartitionLog log = stage.join();
        append(log, TestBatches.idempotent(9, 0, 0, "a", "b"));
        append(log, TestBatches.transactional(11, 1, 0, "c"));
        append(log, TestBatches.marker(11, 1, 2, false));
        world.time().advanceNanos(TimeUnit.MINUTES.toNanos(2));
        append(log, TestBatches.of("d"));
        world.checkpoint();
        world.settle();
    }

    private static void append(PartitionLog log, ByteBuf batch) {
        VerifiedAppend.append(log, batch, AppendOrigin.CLIENT);
        batch.release();
    }

    private String read(Path file) throws IOException {
        try (StorageFile open = world.simulatedFileSystem().open(file, FileSystem.Access.READ)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) open.size());
            open.read(bytes, 0);
            return HexFormat.of().formatHex(bytes.array());
        }
    }

    private static String golden(String name) throws IOException {
        try (InputStream in = GoldenFilesTest.class.getResourceAsStream("/golden/engine/" + name)) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), java.nio.charset.StandardCharsets.UTF_8)
                    .strip();
        }
    }

    @Test
    void writesTheBytesThatTheFormatsDescribe() throws IOException {
        writeEverything();

        assertThat(read(LOG.resolve("00000000000000000000.log"))).isEqualTo(golden("segment.hex"));
        assertThat(read(LOG.resolve("00000000000000000000.index"))).isEqualTo(golden("index.hex"));
        assertThat(read(LocalWorld.DIRECTORY.resolve("catalogue"))).isEqualTo(golden("catalogue-3.hex"));
        assertThat(read(LocalWorld.DIRECTORY.resolve("meta.properties"))).isEqualTo(golden("meta.hex"));
    }

    private List<String> readCatalogue(String name) throws IOException {
        List<String> records = new ArrayList<>();
        Catalogue.Visitor visitor = (kind, logId, body) -> records.add(kind + " " + logId);
        FileSystem files = world.simulatedFileSystem();
        Path directory = readCatalogue(name, visitor);
        try (Catalogue opened = Catalogue.open(files, directory, (kind, logId, body) -> {})) {
            records.add("JOURNAL " + opened.journalPosition());
        }
        Catalogue.read(files, directory, visitor);
        return records;
    }

    private Path readCatalogue(String name, Catalogue.Visitor visitor) throws IOException {
        byte[] bytes = HexFormat.of().parseHex(golden(name));
        Path directory = Path.of("/golden");
        FileSystem files = world.simulatedFileSystem();
        files.createDirectories(directory);
        files.delete(directory.resolve(Catalogue.FILE_NAME));
        try (StorageFile file = files.create(directory.resolve(Catalogue.FILE_NAME))) {
            file.write(ByteBuffer.wrap(bytes), 0);
        }
        Catalogue.read(files, directory, visitor);
        return directory;
    }

    @Test
    void readsAGoldenCatalogue() throws IOException {
        assertThat(readCatalogue("catalogue-3.hex"))
                .containsExactly("META 5", "DATA 5", "JOURNAL 526", "META 5", "DATA 5");
    }

    @Test
    void writesTheBytesOfAbortedTransactionsThatTheFormatsDescribe() throws IOException {
        world.setConfig(
                LocalWorld.config(1 << 20, new LocalStorageConfig.ProducerConfig(86_400_000, 10_000, 100_000, 2)));
        world.restart();
        var stage = world.store()
                .open(new PartitionId(new TopicId(3, 4), 2), "orders", 5, 6, Map.of())
                .toCompletableFuture();
        world.settle();
        for (int i = 0; i < 5; i++) {
            append(stage.join(), TestBatches.transactional(11 + i, 1, 0, "c"));
            append(stage.join(), TestBatches.marker(11 + i, 1, 2, false));
        }
        world.checkpoint();

        assertThat(read(LOG.resolve("00000000000000000001.aborted"))).isEqualTo(golden("aborted.hex"));
        assertThat(read(LocalWorld.DIRECTORY.resolve("catalogue"))).isEqualTo(golden("catalogue-3-chunks.hex"));
    }

    /** All aborted transactions were in the catalogue. */
    @Test
    void readsTheAbortedTransactionsOfACatalogueOfTheFormatBefore() throws IOException {
        for (String name : List.of("catalogue-1.hex", "catalogue-2.hex", "catalogue-3.hex")) {
            LogRecovery recovery = new LogRecovery(
                    world.simulatedFileSystem(),
                    LocalWorld.DIRECTORY.resolve("logs"),
                    new OpenFiles(10),
                    ProducerLimit.none(),
                    new ChunkCache(8),
                    0);
            readCatalogue(name, recovery);
            LogContents contents = Objects.requireNonNull(recovery.find(5)).contents();
            assertThat(contents.aborted().view().between(0, 10, false))
                    .as(name)
                    .containsExactly(new ReadResult.AbortedTransaction(11, 2));
            assertThat(contents.producers().size()).isEqualTo(2);
        }
    }

    @Test
    void readsACatalogueOfTheFormatsBeforeAndWritesItAnew() throws IOException {
        String data = "DATA_WITHOUT_CHUNKS 5";
        assertThat(readCatalogue("catalogue-1.hex")).containsExactly("META 5", data, "JOURNAL -1", "META 5", data);
        assertThat(readCatalogue("catalogue-2.hex")).containsExactly("META 5", data, "JOURNAL 526", "META 5", data);
    }
}
