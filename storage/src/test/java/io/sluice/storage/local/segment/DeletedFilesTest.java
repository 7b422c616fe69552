package io.sluice.storage.local.segment;

import static io.sluice.storage.local.segment.DeletedFiles.LARGE_BYTES;
import static io.sluice.storage.local.segment.DeletedFiles.REST_NANOS;
import static io.sluice.storage.local.segment.DeletedFiles.STEP_BYTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SimulatedTime;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.file.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeletedFilesTest {
    private static final Path DIRECTORY = Path.of("/1-t-0");

    private final SimulatedFileSystem disk = new SimulatedFileSystem(1);
    private final SimulatedTime time = new SimulatedTime(0);
    private final DeletedFiles deleted = DeletedFiles.inSteps(time, Runnable::run);
    private final OpenFiles openFiles = new OpenFiles(64, deleted);
    private final DurableStep durable = new DurableStep(disk);
    private final LogDirectory directory = new LogDirectory(durable, DIRECTORY);

    private SegmentFile written(String name, long bytes) throws IOException {
        SegmentFile file = new SegmentFile(directory, name, SegmentFile.Presence.NONE);
        openFiles.acquireForWrite(file).write(ByteBuffer.allocate((int) bytes), 0);
        openFiles.release(file);
        return file;
    }

    /** Sees the file's size when its name is gone. */
    private StorageFile witness(SegmentFile file) throws IOException {
        return disk.open(file.path(), FileSystem.Access.READ);
    }

    private void delete(SegmentFile file) throws IOException {
        openFiles.delete(file, disk.sizeOf(file.path()));
    }

    @Test
    void takesALargeFilesNameAtOnceAndItsRoomStepByStep() throws IOException {
        SegmentFile file = written("a", LARGE_BYTES);
        StorageFile witness = witness(file);

        delete(file);

        assertThat(disk.exists(file.path())).isFalse();
        assertThat(witness.size()).isEqualTo(LARGE_BYTES);
        time.advanceNanos(0);
        assertThat(witness.size()).isEqualTo(LARGE_BYTES - STEP_BYTES);
        time.advanceNanos(REST_NANOS - 1);
        assertThat(witness.size()).isEqualTo(LARGE_BYTES - STEP_BYTES);
        time.advanceNanos(1);
        assertThat(witness.size()).isZero();
        time.advanceNanos(REST_NANOS);
        assertThat(time.pendingTimers()).isZero();
    }

    @Test
    void leavesAFileWholeAsLongAsSomebodyReadsIt() throws IOException {
        SegmentFile file = written("a", LARGE_BYTES);
        StorageFile witness = witness(file);
        StorageFile read = openFiles.acquire(file);

        delete(file);
        time.advanceNanos(10 * REST_NANOS);

        assertThat(read.size()).isEqualTo(LARGE_BYTES);
        openFiles.release(file);
        time.advanceNanos(10 * REST_NANOS);
        assertThat(witness.size()).isZero();
    }

    /** A power cut may bring a name back that was not gone durably; never that of a file that lacks its end. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void emptiesNoFileWhoseNameMayComeBack(long seed) throws IOException {
        SimulatedFileSystem cut = new SimulatedFileSystem(seed);
        LogDirectory there = new LogDirectory(new DurableStep(cut), DIRECTORY);
        SegmentFile file = new SegmentFile(there, "a", SegmentFile.Presence.NONE);
        StorageFile written = openFiles.acquireForWrite(file);
        written.write(ByteBuffer.allocate((int) LARGE_BYTES), 0);
        written.force(true);
        openFiles.release(file);
        cut.forceDirectory(Path.of("/"));
        cut.forceDirectory(DIRECTORY);

        openFiles.delete(file, LARGE_BYTES);
        time.advanceNanos(0);
        cut.powerCut();

        assertThat(cut.sizeOf(file.path())).isIn(-1L, LARGE_BYTES);
    }

    /** What a directory held when its force failed is not known: nothing is forced any more. */
    @Test
    void tellsThatADirectoryCouldNotBeForced() throws IOException {
        List<IOException> failures = new ArrayList<>();
        durable.onFailure(failures::add);
        SegmentFile file = written("a", LARGE_BYTES);
        StorageFile witness = witness(file);
        disk.failWith((operation, path) -> operation == SimulatedFileSystem.Operation.FORCE_DIRECTORY, 0, 1);

        delete(file);
        time.advanceNanos(REST_NANOS);

        assertThat(failures).hasSize(1);
        assertThat(witness.size()).as("given back at once").isEqualTo(LARGE_BYTES);
        assertThat(deleted.count()).isZero();
    }

    @Test
    void emptiesAFileWhoseDirectoryIsGoneToo() throws IOException {
        SegmentFile file = written("a", LARGE_BYTES);
        StorageFile witness = witness(file);

        delete(file);
        disk.delete(DIRECTORY);
        time.advanceNanos(2 * REST_NANOS);

        assertThat(witness.size()).isZero();
    }

    @Test
    void emptiesOneFileAfterAnother() throws IOException {
        SegmentFile first = written("a", LARGE_BYTES);
        SegmentFile second = written("b", LARGE_BYTES);
        StorageFile witness = witness(second);
        delete(first);
        delete(second);

        time.advanceNanos(2 * REST_NANOS - 1);
        assertThat(witness.size()).isEqualTo(LARGE_BYTES);
        time.advanceNanos(2 * REST_NANOS);

        assertThat(witness.size()).isZero();
    }

    @Test
    void holdsNoSmallFileAndNotMoreThanAFewLargeOnes() throws IOException {
        delete(written("small", LARGE_BYTES - 1));
        assertThat(deleted.count()).isZero();

        for (int i = 0; i < DeletedFiles.MAX_WAITING + 1; i++) {
            delete(written("large" + i, LARGE_BYTES));
        }

        assertThat(deleted.count()).isEqualTo(DeletedFiles.MAX_WAITING);
        assertThat(deleted.wants(LARGE_BYTES)).isFalse();
    }

    @Test
    void goesOnWithTheNextFileWhereOneCannotBeShortened() throws IOException {
        SegmentFile first = written("a", LARGE_BYTES);
        SegmentFile second = written("b", LARGE_BYTES);
        StorageFile witness = witness(second);
        delete(first);
        delete(second);
        disk.failWith((operation, path) -> operation == SimulatedFileSystem.Operation.TRUNCATE, 0, 1);

        time.advanceNanos(4 * REST_NANOS);

        assertThat(witness.size()).isZero();
    }

    @Test
    void letsAllGoWhenTheStoreCloses() throws IOException {
        delete(written("a", LARGE_BYTES));

        openFiles.closeAll();
        time.advanceNanos(REST_NANOS);

        assertThat(deleted.count()).isZero();
        assertThat(time.pendingTimers()).isZero();
    }
}
