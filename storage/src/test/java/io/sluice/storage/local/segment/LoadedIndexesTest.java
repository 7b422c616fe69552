package io.sluice.storage.local.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.protocol.record.BatchView;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.log.TestBatches;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class LoadedIndexesTest {
    private static final int INTERVAL_BYTES = 4096;

    private final SimulatedFileSystem disk = new SimulatedFileSystem(1);
    private final OpenFiles openFiles = new OpenFiles(8);
    private final LogDirectory logDirectory = new LogDirectory(new DurableStep(disk), Path.of("/1-t-0"));

    private Segment written(long baseOffset) throws IOException {
        Segment segment = Segment.begin(logDirectory, openFiles, new SegmentName(baseOffset, 0), INTERVAL_BYTES);
        ByteBuf batch = TestBatches.of("a");
        BatchView view = new BatchView().wrap(batch);
        view.setBaseOffset(baseOffset);
        segment.append(batch, view);
        batch.release();
        return segment;
    }

    @Test
    void keepsTheIndexThatASegmentNeedsWhileItIsAppendedTo() throws IOException {
        Segment active = Segment.existing(logDirectory, openFiles, written(0).state());
        SegmentIndex index = active.loadIndex(INTERVAL_BYTES);
        for (int i = 1; i <= LoadedIndexes.LIMIT; i++) {
            written(i).onEnded();
        }

        assertThat(active.index()).isSameAs(index);
    }

    @Test
    void countsAgainAnIndexThatWasLetGoAndIsNeededAgain() throws IOException {
        Segment ended = Segment.existing(logDirectory, openFiles, written(0).state());
        ended.setEnded(true);
        ended.loadIndex(INTERVAL_BYTES);

        assertThat(openFiles.loadedIndexes().count()).isEqualTo(1);
    }

    @Test
    void forgetsASegmentWhoseFilesAreDeleted() throws IOException {
        Segment segment = written(0);
        segment.onEnded();
        assertThat(openFiles.count()).isEqualTo(1);

        segment.delete();

        assertThat(openFiles.loadedIndexes().count()).isZero();
        assertThat(openFiles.count()).as("open files").isZero();
    }

    @Test
    void forgetsADeletedFileThatIsStillRead() throws IOException {
        Segment segment = written(0);
        openFiles.acquire(segment.file());
        segment.delete();
        openFiles.release(segment.file());

        assertThat(openFiles.count()).isZero();
    }

    @Test
    void letsTheFirstGoWhenThereAreTooMany() {
        LoadedIndexes indexes = new LoadedIndexes();
        LogDirectory directory = new LogDirectory(new DurableStep(new SimulatedFileSystem(1)), Path.of("/1-t-0"));
        OpenFiles files = new OpenFiles(8);
        Segment first = Segment.begin(directory, files, new SegmentName(0, 0), 4096);
        Segment second = Segment.begin(directory, files, new SegmentName(1, 0), 4096);
        indexes.add(first);
        indexes.add(second);
        for (int i = 1; i < LoadedIndexes.LIMIT; i++) {
            indexes.add(Segment.begin(directory, files, new SegmentName(1 + i, 0), 4096));
        }

        assertThat(indexes.count()).isEqualTo(LoadedIndexes.LIMIT);
        assertThat(first.index()).isNull();
        assertThat(second.index()).isNotNull();
    }
}
