package io.sluice.storage.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.base.error.UserException;
import io.sluice.base.id.TopicId;
import io.sluice.base.metadata.MetadataStore.Entry;
import io.sluice.base.metadata.PartitionImage;
import io.sluice.base.metadata.TopicImage;
import io.sluice.storage.file.FileSystem.Access;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.file.StorageFile;
import io.sluice.storage.metadata.MetadataState.Change;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The bytes on disk, held against files kept in the sources: docs/formats/metadata.md describes them. */
class MetadataFormatTest {
    private static final Path DIRECTORY = Path.of("/data/metadata");
    private static final String LOG = MetadataLog.fileName(3);
    private static final String SNAPSHOT = MetadataSnapshot.fileName(3);
    private static final TopicImage TOPIC = new TopicImage(
            "orders",
            new TopicId(0x0102030405060708L, 0x1112131415161718L),
            List.of(new PartitionImage(0, 7), new PartitionImage(1, 8), new PartitionImage(2, 20)),
            Map.of("retention.ms", "5000", "cleanup.policy", "compact"),
            1);

    private final SimulatedFileSystem files = new SimulatedFileSystem(1);

    @Test
    void writesTheBytesThatItAlwaysWrote() throws IOException {
        MetadataJournal journal = MetadataJournal.open(files, DIRECTORY, 300);
        put(journal, "/topics/orders", MetadataValues.encodeTopic(TOPIC), 0);
        put(journal, "/nodes/1", MetadataValues.encodeNode(new MetadataValues.Node(3, true)), 5);
        put(journal, "/ids/logs", MetadataValues.encodeLong(10_001), 0);
        Change deletion = new Change("/nodes/1", null);
        journal.append(List.of(List.of(deletion)), journal.state().with(deletion));
        journal.close();
        assertThat(files.list(DIRECTORY)).containsExactly(LOG, SNAPSHOT);
        assertThat(HexFormat.of().formatHex(bytesOf(SNAPSHOT))).isEqualTo(golden(SNAPSHOT));
        assertThat(HexFormat.of().formatHex(bytesOf(LOG))).isEqualTo(golden(LOG));
    }

    @Test
    void readsTheBytesThatItAlwaysWrote() throws IOException {
        putGolden();
        MetadataJournal journal = MetadataJournal.open(files, DIRECTORY, 300);
        MetadataState state = journal.state();
        assertThat(state.all()).extracting(Entry::key).containsExactly("/ids/logs", "/topics/orders");
        assertThat(MetadataValues.decodeTopic("orders", value(state, "/topics/orders")))
                .isEqualTo(TOPIC);
        assertThat(MetadataValues.decodeLong(value(state, "/ids/logs"))).isEqualTo(10_001);
        assertThat(journal.lastChange()).isEqualTo(4);
    }

    @Test
    void refusesANewerFormatAndSaysWhatToDo() throws IOException {
        putGolden();
        try (StorageFile file = files.open(DIRECTORY.resolve(SNAPSHOT), Access.READ_WRITE)) {
            file.write(ByteBuffer.wrap(new byte[] {0, 0, 0, 9}), 4);
        }
        assertThatThrownBy(() -> MetadataJournal.open(files, DIRECTORY, 300))
                .isInstanceOf(UserException.class)
                .hasMessageContaining("format 9")
                .hasMessageContaining("newer");
    }

    private static void put(MetadataJournal journal, String key, byte[] value, long version) throws IOException {
        Change change = new Change(key, new Entry(key, value, version));
        journal.append(List.of(List.of(change)), journal.state().with(change));
    }

    private void putGolden() throws IOException {
        files.createDirectories(DIRECTORY);
        for (String name : List.of(LOG, SNAPSHOT)) {
            try (StorageFile file = files.create(DIRECTORY.resolve(name))) {
                file.write(ByteBuffer.wrap(HexFormat.of().parseHex(golden(name))), 0);
            }
        }
    }

    private byte[] bytesOf(String name) throws IOException {
        try (StorageFile file = files.open(DIRECTORY.resolve(name), Access.READ)) {
            ByteBuffer content = MetadataFiles.readWhole(file);
            int end = content.limit();
            while (name.equals(LOG) && end > 0 && content.get(end - 1) == 0) {
                end--; // room allocated ahead
            }
            byte[] bytes = new byte[end];
            content.get(bytes);
            return bytes;
        }
    }

    private static byte[] value(MetadataState state, String key) {
        return Objects.requireNonNull(state.get(key)).value();
    }

    private static String golden(String name) throws IOException {
        String resource = "/io/sluice/storage/metadata/" + name + ".hex";
        try (InputStream in =
                Objects.requireNonNull(MetadataFormatTest.class.getResourceAsStream(resource), resource)) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII).replaceAll("\\s", "");
        }
    }
}
