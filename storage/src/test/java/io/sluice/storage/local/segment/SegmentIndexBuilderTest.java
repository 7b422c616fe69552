package io.sluice.storage.local.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.protocol.record.BatchView;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.log.TestBatches;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class SegmentIndexBuilderTest {
    private static final int INTERVAL = 100;
    private static final SegmentName NAME = new SegmentName(0, 1);

    private final LogDirectory directory =
            new LogDirectory(new DurableStep(new SimulatedFileSystem(1)), Path.of("/1-t-0"));
    private final OpenFiles files = new OpenFiles(8);

    private Segment begin() {
        return Segment.begin(directory, files, NAME, INTERVAL);
    }

    private static void append(Segment segment, int valueBytes) throws IOException {
        ByteBuf batch = TestBatches.ofSize(valueBytes);
        BatchView view = new BatchView().wrap(batch);
        view.setBaseOffset(segment.nextOffset());
        segment.append(batch, view);
        batch.release();
    }

    private int positionAfterRestart(Segment segment, long offset) throws IOException {
        Segment again = Segment.existing(directory, files, segment.state());
        return again.loadIndex(INTERVAL).positionFor(offset);
    }

    @Test
    void goesOnFromWhatWasSaved() throws IOException {
        Segment segment = begin();
        append(segment, 300);
        append(segment, 300);
        segment.saveIndex();
        int third = segment.sizeBytes();
        append(segment, 300);

        assertThat(positionAfterRestart(segment, 2)).isEqualTo(third);
        assertThat(positionAfterRestart(segment, 1)).isEqualTo(third / 2);
    }

    @Test
    void doesNotBelieveAnIndexOfAnEarlierFileOfTheSameName() throws IOException {
        Segment earlier = begin();
        append(earlier, 300);
        append(earlier, 300);
        earlier.saveIndex();
        files.closeAll();

        Segment segment = begin();
        append(segment, 500);
        int second = segment.sizeBytes();
        append(segment, 500);

        assertThat(positionAfterRestart(segment, 1)).isEqualTo(second);
    }
}
