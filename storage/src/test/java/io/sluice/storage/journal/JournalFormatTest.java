package io.sluice.storage.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.file.StorageFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** The bytes on disk, held against a file kept in the sources: docs/formats/journal.md describes them. */
class JournalFormatTest {
    private static final Path FILE = JournalWorld.DIRECTORY.resolve("00000001.journal");
    private static final String GOLDEN = "journal-1.hex";
    private static final int KEPT_BYTES = 4 * 4096;

    private final SimulatedFileSystem files = new SimulatedFileSystem(1);
    private final JournalWorld world = new JournalWorld(files, JournalWorld.SMALL);

    @Test
    void writesTheBytesThatItAlwaysWrote() throws IOException {
        Journal journal = world.start().journal();
        append(journal, JournalEntryKind.BATCH, 0x0102030405060708L, 42, "a record batch");
        append(journal, JournalEntryKind.LOG_START_OFFSET, 9, 17, "");
        world.settle();
        append(journal, JournalEntryKind.LEADER_EPOCH, 9, 3, "12345678");
        world.settle();
        journal.close();
        byte[] written = new byte[KEPT_BYTES];
        try (StorageFile file = files.open(FILE, FileSystem.Access.READ)) {
            file.read(ByteBuffer.wrap(written), 0);
        }
        assertThat(sparse(written)).isEqualTo(golden(GOLDEN));
    }

    @Test
    void readsTheBytesThatItAlwaysWrote() throws IOException {
        putGolden(GOLDEN);
        requireGoldenIsRead();
    }

    @Test
    void readsTheBytesThatItWroteWithoutSayingForWhom() throws IOException {
        putGolden("journal-1-without-owner.hex");
        requireGoldenIsRead();
    }

    @Test
    void refusesTheJournalOfAnotherDataDirectoryAndLeavesItAlone() throws IOException {
        putGolden(GOLDEN);
        assertThatThrownBy(() -> JournalDirectory.open(files, JournalWorld.DIRECTORY, JournalWorld.SMALL, 5))
                .isInstanceOf(JournalMismatchException.class)
                .hasMessageContaining("00000001.journal was written for another data directory")
                .hasMessageContaining("sluice.journal.dir")
                .hasMessageNotContaining("accept.loss")
                .hasMessageNotContaining("move the journal");
        assertThat(files.list(JournalWorld.DIRECTORY)).containsExactly("00000001.journal");
    }

    private void requireGoldenIsRead() throws IOException {
        JournalWorld.Started started = world.start();
        assertThat(started.recovery().endedCleanly()).isTrue();
        assertThat(started.replayed())
                .extracting(
                        JournalWorld.Replayed::kind,
                        JournalWorld.Replayed::logId,
                        JournalWorld.Replayed::argument,
                        entry -> entry.payload().toString(StandardCharsets.US_ASCII),
                        JournalWorld.Replayed::endPosition)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(
                                JournalEntryKind.BATCH, 0x0102030405060708L, 42L, "a record batch", 42L),
                        org.assertj.core.groups.Tuple.tuple(JournalEntryKind.LOG_START_OFFSET, 9L, 17L, "", 70L),
                        org.assertj.core.groups.Tuple.tuple(JournalEntryKind.LEADER_EPOCH, 9L, 3L, "12345678", 106L));
    }

    @Test
    void refusesANewerFormatAndLeavesItAlone() throws IOException {
        putGolden(GOLDEN);
        try (StorageFile file = files.open(FILE, FileSystem.Access.READ_WRITE)) {
            ByteBuffer header = ByteBuffer.allocate(80);
            file.read(header, 0);
            header.putShort(4, (short) 2);
            CRC32C crc = new CRC32C();
            crc.update(header.array(), 0, 8);
            crc.update(header.array(), 12, 68);
            file.write(header.putInt(8, (int) crc.getValue()).rewind(), 0);
        }
        assertThatThrownBy(world::start)
                .isInstanceOf(JournalVersionException.class)
                .hasMessageContaining("00000001.journal")
                .hasMessageContaining("format 2");
        assertThat(files.list(JournalWorld.DIRECTORY)).containsExactly("00000001.journal");
    }

    @Test
    void takesADamagedFormatForDamage() throws IOException {
        putGolden(GOLDEN);
        files.flipByte(FILE, 4);

        assertThatThrownBy(world::start)
                .isInstanceOf(JournalDamagedException.class)
                .hasMessageContaining("00000001.journal: the header is broken");
    }

    @Test
    void showsWhatIsInTheFiles() throws IOException {
        putGolden(GOLDEN);
        List<Object> seen = new ArrayList<>();
        JournalInspection.inspect(files, JournalWorld.DIRECTORY, new JournalInspection.Visitor() {
            @Override
            public void onFile(JournalInspection.FileDescription file) {
                seen.add(file);
            }

            @Override
            public void onBlock(JournalInspection.BlockDescription block) {
                seen.add(block);
            }

            @Override
            public void onEntry(JournalInspection.EntryDescription entry) {
                seen.add(entry);
            }

            @Override
            public void onEnd(Path file, long position, boolean laterBlocks) {
                seen.add(file + " " + position + " " + laterBlocks);
            }
        });
        assertThat(seen)
                .containsExactly(
                        new JournalInspection.FileDescription(FILE, 128 << 10, 1, 0, 1, 0, 0),
                        new JournalInspection.BlockDescription(4096, 48 + 70, 1, 0, 0, false),
                        new JournalInspection.EntryDescription(
                                JournalEntryKind.BATCH, "whole", 0x0102030405060708L, 42, 14, 14),
                        new JournalInspection.EntryDescription(JournalEntryKind.LOG_START_OFFSET, "whole", 9, 17, 0, 0),
                        new JournalInspection.BlockDescription(8192, 48 + 36, 2, 70, 0, false),
                        new JournalInspection.EntryDescription(JournalEntryKind.LEADER_EPOCH, "whole", 9, 3, 8, 8),
                        new JournalInspection.BlockDescription(12288, 48, 3, 106, 0, true),
                        FILE + " 16384 false");
    }

    private static void append(Journal journal, JournalEntryKind kind, long logId, long argument, String payload) {
        ByteBuf bytes = Unpooled.copiedBuffer(payload, StandardCharsets.US_ASCII);
        assertThat(journal.tryReserve(bytes.readableBytes())).isTrue();
        journal.append(kind, logId, argument, bytes);
    }

    private void putGolden(String name) throws IOException {
        files.createDirectoriesDurably(JournalWorld.DIRECTORY);
        try (StorageFile file = files.create(FILE)) {
            file.preallocate(0, 128 << 10);
            for (String line : golden(name).split("\n", -1)) {
                if (!line.isEmpty()) {
                    String[] parts = line.split(": ", 2);
                    byte[] bytes = HexFormat.ofDelimiter(" ").parseHex(parts[1]);
                    file.write(ByteBuffer.wrap(bytes), Long.parseLong(parts[0], 16));
                }
            }
            file.force(true);
        }
        files.forceDirectory(JournalWorld.DIRECTORY);
    }

    private static String golden(String name) throws IOException {
        try (InputStream in = JournalFormatTest.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    /** Lines of 16 bytes in hexadecimal; those of zeros only are left out. */
    private static String sparse(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (int at = 0; at < bytes.length; at += 16) {
            String line = HexFormat.ofDelimiter(" ").formatHex(bytes, at, at + 16);
            if (!line.replace("0", "").isBlank()) {
                text.append(HexFormat.of().toHexDigits(at))
                        .append(": ")
                        .append(line)
                        .append('\n');
            }
        }
        return text.toString();
    }
}
