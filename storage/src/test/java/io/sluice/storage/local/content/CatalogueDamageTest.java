package io.sluice.storage.local.content;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.sluice.base.error.UserException;
import io.sluice.storage.file.FileSystem.Access;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.file.SimulationSeeds;
import io.sluice.storage.file.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A torn end of the catalogue is cut off; damage before it is refused. Over many seeds. */
class CatalogueDamageTest {
    private static final Path DIRECTORY = Path.of("/data");
    private static final Path FILE = DIRECTORY.resolve(Catalogue.FILE_NAME);
    private static final int LOGS = 6;
    private static final int HEADER_BYTES = 12;
    private static final int MARK_BYTES = 17;

    @Test
    void holdsOnEverySeed() {
        SimulationSeeds.runAll(CatalogueDamageTest.class, seed -> new World(seed).run());
    }

    /** A catalogue that grows by groups of records, of which the process knows which were forced. */
    private static final class World {
        private final Random random;
        private final SimulatedFileSystem disk;
        private final Map<Long, Integer> forced = new HashMap<>();
        private final Map<Long, Integer> written = new HashMap<>();
        private int next = 1;

        World(long seed) {
            random = new Random(new SplittableRandom(seed).nextLong());
            disk = new SimulatedFileSystem(seed);
        }

        void run() throws IOException {
            disk.createDirectories(DIRECTORY);
            disk.forceDirectory(Path.of("/"));
            for (int life = 0; life < 3; life++) {
                live();
                requireAllThatWasForced();
            }
            flipOneByte();
        }

        /** Until the process ends in the middle of something. */
        private void live() throws IOException {
            disk.crashAfter(1 + random.nextInt(60));
            try {
                Catalogue catalogue = Catalogue.open(disk, DIRECTORY, (kind, logId, body) -> {});
                while (true) {
                    writeGroup(catalogue);
                }
            } catch (IOException e) {
                assertThat(disk.crashed()).as(e.toString()).isTrue();
            }
            if (random.nextBoolean()) {
                disk.powerCut();
            } else {
                disk.kill();
            }
        }

        private void writeGroup(Catalogue catalogue) throws IOException {
            for (int i = random.nextInt(8); i >= 0; i--) {
                long logId = 1L + random.nextInt(LOGS);
                int value = next++;
                byte[] body = new byte[4 + random.nextInt(3_000)];
                ByteBuffer.wrap(body).putInt(value);
                written.put(logId, value);
                catalogue.append(Catalogue.Kind.DATA, logId, Unpooled.wrappedBuffer(body));
            }
            catalogue.force();
            forced.putAll(written);
        }

        private void requireAllThatWasForced() throws IOException {
            Map<Long, Integer> found = new HashMap<>();
            Catalogue.open(disk, DIRECTORY, (kind, logId, body) -> found.put(logId, body.getInt(0)))
                    .close();
            forced.forEach((logId, value) ->
                    assertThat(found.getOrDefault(logId, 0)).as("log " + logId).isGreaterThanOrEqualTo(value));
            written.clear();
            written.putAll(found);
            forced.putAll(found);
        }

        /** Anywhere in what was forced: what was forced last has a mark behind it, too. */
        private void flipOneByte() throws IOException {
            Catalogue catalogue = Catalogue.open(disk, DIRECTORY, (kind, logId, body) -> {});
            for (int i = 0; i < 3; i++) {
                writeGroup(catalogue);
            }
            catalogue.close();
            int end = lastMark();
            int position = HEADER_BYTES + random.nextInt(end - HEADER_BYTES);
            disk.flipByte(FILE, position);

            Set<Long> seen = new HashSet<>();
            assertThatThrownBy(() -> Catalogue.open(disk, DIRECTORY, (kind, logId, body) -> seen.add(logId)))
                    .isInstanceOf(UserException.class)
                    .hasMessageContaining(FILE + " is damaged at byte ")
                    .hasMessageContaining("Restore the data directory");

            disk.flipByte(FILE, position);
            requireAllThatWasForced();
        }

        private int lastMark() throws IOException {
            try (StorageFile file = disk.open(FILE, Access.READ)) {
                ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
                file.read(bytes, 0);
                int at = bytes.capacity() - MARK_BYTES;
                assertThat(bytes.get(at + 8)).as("kind of the last record").isEqualTo((byte) 4);
                assertThat(bytes.getLong(at + 9)).as("position in the mark").isEqualTo(at);
                return at;
            }
        }
    }
}
