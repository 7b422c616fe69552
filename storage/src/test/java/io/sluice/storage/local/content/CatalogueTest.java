package io.sluice.storage.local.content;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.sluice.storage.file.CannotOpenException;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.ForwardingFile;
import io.sluice.storage.file.ForwardingFileSystem;
import io.sluice.storage.file.OutOfSpaceException;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.file.SimulatedFileSystem.Operation;
import io.sluice.storage.file.StorageFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The catalogue on a device without room. */
class CatalogueTest {
    private static final Path DIRECTORY = Path.of("/data");

    private SimulatedFileSystem disk = new SimulatedFileSystem(1);

    @BeforeEach
    void makeDirectory() throws IOException {
        disk.createDirectories(DIRECTORY);
        disk.forceDirectory(Path.of("/"));
    }

    private static void append(Catalogue catalogue, long logId, int bytes) throws IOException {
        catalogue.append(Catalogue.Kind.META, logId, Unpooled.wrappedBuffer(new byte[bytes]));
    }

    private List<Long> logs() throws IOException {
        List<Long> found = new ArrayList<>();
        Catalogue.read(disk, DIRECTORY, (kind, logId, body) -> found.add(logId));
        return found;
    }

    @Test
    void growsOnWhileThereIsNoRoomToWriteItAnew() throws IOException {
        Catalogue catalogue = Catalogue.open(disk, DIRECTORY, (kind, logId, body) -> {});
        for (int i = 0; i < 5; i++) {
            append(catalogue, 1, 1 << 20);
        }
        disk.limitCapacity(disk.usedBytes() + (256 << 10));
        append(catalogue, 2, 100);
        catalogue.force();
        append(catalogue, 3, 100);
        catalogue.force();

        assertThat(logs()).containsExactly(1L, 1L, 1L, 1L, 1L, 2L, 3L);
        assertThat(disk.list(DIRECTORY)).containsExactly(Catalogue.FILE_NAME);

        disk.limitCapacity(Long.MAX_VALUE);
        for (int i = 0; i < 5; i++) {
            append(catalogue, 1, 1 << 20);
        }
        catalogue.force();
        assertThat(logs()).containsExactlyInAnyOrder(1L, 2L, 3L);
    }

    private Catalogue grown() throws IOException {
        Catalogue catalogue = Catalogue.open(disk, DIRECTORY, (kind, logId, body) -> {});
        for (int i = 0; i < 5; i++) {
            append(catalogue, 1, 1 << 20);
        }
        return catalogue;
    }

    @Test
    void growsOnWhileThereIsNoDescriptorToWriteItAnewWith() throws IOException {
        Catalogue catalogue = grown();
        disk.withholdDescriptors((operation, path) -> operation == Operation.CREATE, 0, 1);
        append(catalogue, 2, 100);
        catalogue.force();
        disk.powerCut();

        assertThat(logs()).containsExactly(1L, 1L, 1L, 1L, 1L, 2L);
    }

    /** Until the new file's name is durable nothing is, and the next force makes it so. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void forcesTheNewFilesNameLaterWhereThereIsNoDescriptorForIt(long seed) throws IOException {
        disk = new SimulatedFileSystem(seed);
        makeDirectory();
        Catalogue catalogue = grown();
        disk.forceDirectory(DIRECTORY);
        disk.withholdDescriptors((operation, path) -> operation == Operation.FORCE_DIRECTORY, 0, 1);
        append(catalogue, 2, 100);
        assertThatThrownBy(catalogue::force)
                .isInstanceOf(CannotOpenException.class)
                .hasMessageContaining("too many open files");
        append(catalogue, 3, 100);
        catalogue.force();
        disk.powerCut();

        assertThat(logs()).contains(1L, 2L, 3L);
    }

    /** What is done by what was read, as deleting a segment that is not in it, must not be told otherwise by a later start. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void whatAnOpeningReadIsThereAfterAPowerCutAtOnce(long seed) throws IOException {
        disk = new SimulatedFileSystem(seed);
        makeDirectory();
        Catalogue killed = Catalogue.open(disk, DIRECTORY, (kind, logId, body) -> {});
        append(killed, 1, 100);
        killed.force();
        append(killed, 2, 5 * SimulatedFileSystem.SECTOR_BYTES);
        killed.close(); // written, not forced
        disk.kill();
        List<Long> read = new ArrayList<>();
        Catalogue.open(disk, DIRECTORY, (kind, logId, body) -> read.add(logId));
        disk.powerCut();

        assertThat(read).containsExactly(1L, 2L);
        assertThat(logs()).containsExactlyInAnyOrder(1L, 2L);
    }

    @Test
    void doesNotTakeAForceThatFoundNoRoomForOneThatCanBeTriedAgain() throws IOException {
        ForceWithoutRoom files = new ForceWithoutRoom(disk);
        Catalogue catalogue = Catalogue.open(files, DIRECTORY, (kind, logId, body) -> {});
        append(catalogue, 1, 100);
        files.full = true;

        assertThatThrownBy(catalogue::force)
                .isInstanceOf(IOException.class)
                .isNotInstanceOf(OutOfSpaceException.class)
                .hasCauseInstanceOf(OutOfSpaceException.class);
    }

    /** A device that says at a force, as network file systems do, that there was no room for what it took. */
    private static final class ForceWithoutRoom extends ForwardingFileSystem {
        private boolean full;

        ForceWithoutRoom(FileSystem files) {
            super(files);
        }

        @Override
        public StorageFile create(Path path) throws IOException {
            return new ForwardingFile(super.create(path)) {
                @Override
                public void force(boolean metadata) throws IOException {
                    if (full) {
                        throw new OutOfSpaceException(path(), new IOException("simulated"));
                    }
                    super.force(metadata);
                }
            };
        }
    }

    @Test
    void keepsWhatItHasNoRoomForUntilThereIs() throws IOException {
        Catalogue catalogue = Catalogue.open(disk, DIRECTORY, (kind, logId, body) -> {});
        disk.limitCapacity(disk.usedBytes());
        append(catalogue, 1, 300 << 10);
        append(catalogue, 2, 300 << 10);
        assertThatThrownBy(catalogue::force).isInstanceOf(OutOfSpaceException.class);
        disk.limitCapacity(Long.MAX_VALUE);
        catalogue.force();

        disk.powerCut();
        assertThat(logs()).containsExactly(1L, 2L);
    }
}
