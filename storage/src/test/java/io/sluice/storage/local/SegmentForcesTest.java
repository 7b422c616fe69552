package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.sluice.protocol.record.BatchView;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.ForwardingFileSystem;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.file.SimulatedFileSystem.Operation;
import io.sluice.storage.local.segment.DurableStep;
import io.sluice.storage.local.segment.LogDirectory;
import io.sluice.storage.local.segment.OpenFiles;
import io.sluice.storage.local.segment.Segment;
import io.sluice.storage.local.segment.SegmentName;
import io.sluice.storage.log.TestBatches;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SegmentForcesTest {
    private static final int SEGMENTS = 16;
    private static final int LARGE_BATCHES = 17;
    /** Where in a batch its version is. */
    private static final int MAGIC_AT = 16;

    private final SimulatedFileSystem disk = new SimulatedFileSystem(1);
    private final ExecutorService helpers = Executors.newFixedThreadPool(3);

    @BeforeEach
    void makeLogs() throws IOException {
        disk.createDirectory(Path.of("/logs"));
    }

    @AfterEach
    void end() {
        helpers.shutdown();
    }

    private static List<Segment> segments(FileSystem files) throws IOException {
        List<Segment> segments = new ArrayList<>();
        OpenFiles openFiles = new OpenFiles(64);
        for (int i = 0; i < SEGMENTS; i++) {
            LogDirectory directory = new LogDirectory(new DurableStep(files), Path.of("/logs/" + i + "-t-0"));
            Segment segment = Segment.begin(directory, openFiles, new SegmentName(0, 0), 4096);
            ByteBuf batch = TestBatches.of("v");
            segment.append(batch, new BatchView().wrap(batch));
            batch.release();
            segments.add(segment);
        }
        return segments;
    }

    private static void assertAllForced(List<Segment> segments) {
        assertThat(segments).allMatch(segment -> segment.forcedBytes() == segment.sizeBytes());
    }

    /** Names of directories are forced only when four are at it together. */
    private static final class FourTogether extends ForwardingFileSystem {
        private final CyclicBarrier barrier = new CyclicBarrier(4);

        FourTogether(FileSystem files) {
            super(files);
        }

        @Override
        public void forceDirectory(Path directory) throws IOException {
            try {
                barrier.await(20, TimeUnit.SECONDS);
            } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
                throw new IOException("forces are not made together", e);
            }
            super.forceDirectory(directory);
        }
    }

    @Test
    void forcesSeveralAtATime() throws IOException {
        List<Segment> segments = segments(new FourTogether(disk));

        new SegmentForces(helpers).force(segments);

        assertAllForced(segments);
    }

    @Test
    void doesItAllItselfWhereHelpersNeverGetATurn() throws IOException {
        List<Segment> segments = segments(disk);
        List<Runnable> late = new ArrayList<>();

        new SegmentForces(late::add).force(segments);

        assertAllForced(segments);
        long before = disk.operations();
        late.forEach(Runnable::run);
        assertThat(disk.operations()).isEqualTo(before);
    }

    @Test
    void doesItAllItselfWhereHelpersAreRefused() throws IOException {
        List<Segment> segments = segments(disk);

        new SegmentForces(task -> {
                    throw new RejectedExecutionException("stopping");
                })
                .force(segments);

        assertAllForced(segments);
    }

    @Test
    void forcesASegmentWhoseIndexCannotBeWritten() throws IOException {
        Segment segment = large();
        disk.failWith((operation, path) -> path.toString().endsWith(".index"), 0, Integer.MAX_VALUE);

        new SegmentForces(helpers).force(List.of(segment));

        assertAllForced(List.of(segment));
        assertThat(indexes(segment)).isEmpty();
    }

    @Test
    void forcesASegmentWhoseNewestBatchIsDamaged() throws IOException {
        Segment segment = large();
        disk.flipByte(segment.file().path(), segment.sizeBytes() / LARGE_BATCHES * (LARGE_BATCHES - 1) + MAGIC_AT);

        new SegmentForces(helpers).force(List.of(segment));

        assertAllForced(List.of(segment));
        assertThat(indexes(segment)).isEmpty();
    }

    @Test
    void savesTheIndexOfALargeSegment() throws IOException {
        Segment segment = large();

        new SegmentForces(helpers).force(List.of(segment));

        assertThat(indexes(segment)).hasSize(1);
    }

    /** So large that its index is saved with a force. */
    private Segment large() throws IOException {
        LogDirectory directory = new LogDirectory(new DurableStep(disk), Path.of("/logs/1-t-0"));
        Segment segment = Segment.begin(directory, new OpenFiles(64), new SegmentName(0, 0), 4096);
        for (int i = 0; i < LARGE_BATCHES; i++) {
            ByteBuf batch = TestBatches.ofSize(1 << 20);
            BatchView view = new BatchView().wrap(batch);
            view.setBaseOffset(i);
            segment.append(batch, view);
            batch.release();
        }
        return segment;
    }

    private List<String> indexes(Segment segment) throws IOException {
        Path directory = Objects.requireNonNull(segment.file().path().getParent());
        return disk.list(directory).stream()
                .filter(name -> name.endsWith(".index"))
                .toList();
    }

    @Test
    void saysThatAForceHasFailedWhoeverMadeIt() throws IOException {
        List<Segment> segments = segments(disk);
        disk.failWith((operation, path) -> operation == Operation.FORCE, 9, 1);

        assertThatThrownBy(() -> new SegmentForces(helpers).force(segments))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("input/output error");
    }
}
