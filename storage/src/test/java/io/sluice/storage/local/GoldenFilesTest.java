package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.StorageFile;
import io.sluice.storage.local.content.Catalogue;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.PartitionLog;
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
        assertThat(read(LocalWorld.DIRECTORY.resolve("catalogue"))).isEqualTo(golden("catalogue-2.hex"));
        assertThat(read(LocalWorld.DIRECTORY.resolve("meta.properties"))).isEqualTo(golden("meta.hex"));
    }

    private List<String> readCatalogue(String name) throws IOException {
        byte[] bytes = HexFormat.of().parseHex(golden(name));
        Path directory = Path.of("/golden");
        FileSystem files = world.simulatedFileSystem();
        files.createDirectories(directory);
        try (StorageFile file = files.create(directory.resolve(Catalogue.FILE_NAME))) {
            file.write(ByteBuffer.wrap(bytes), 0);
        }
        List<String> records = new ArrayList<>();
        Catalogue.Visitor visitor = (kind, logId, body) -> records.add(kind + " " + logId);
        Catalogue.read(files, directory, visitor);
        try (Catalogue opened = Catalogue.open(files, directory, (kind, logId, body) -> {})) {
            records.add("JOURNAL " + opened.journalPosition());
        }
        Catalogue.read(files, directory, visitor);
        return records;
    }

    @Test
    void readsAGoldenCatalogue() throws IOException {
        assertThat(readCatalogue("catalogue-2.hex"))
                .containsExactly("META 5", "DATA 5", "JOURNAL 526", "META 5", "DATA 5");
    }

    @Test
    void readsACatalogueOfTheFormatBeforeAndWritesItAnew() throws IOException {
        assertThat(readCatalogue("catalogue-1.hex"))
                .containsExactly("META 5", "DATA 5", "JOURNAL -1", "META 5", "DATA 5");
    }
}
