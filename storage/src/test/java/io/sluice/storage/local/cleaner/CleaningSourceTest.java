package io.sluice.storage.local.cleaner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.sluice.base.memory.CountedAllocator;
import io.sluice.base.memory.MemoryExhaustedException;
import io.sluice.protocol.record.BatchView;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.local.segment.DurableStep;
import io.sluice.storage.local.segment.LogDirectory;
import io.sluice.storage.local.segment.OpenFiles;
import io.sluice.storage.local.segment.Segment;
import io.sluice.storage.local.segment.SegmentName;
import io.sluice.storage.log.TestBatches;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class CleaningSourceTest {
    private final SimulatedFileSystem disk = new SimulatedFileSystem(1);
    private final OpenFiles openFiles = new OpenFiles(1);

    private Segment segment(int log) throws IOException {
        LogDirectory directory = new LogDirectory(new DurableStep(disk), Path.of("/" + log + "-t-0"));
        Segment segment = Segment.begin(directory, openFiles, new SegmentName(0, 0), 4096);
        ByteBuf batch = TestBatches.of("a");
        segment.append(batch, new BatchView().wrap(batch));
        batch.release();
        return segment;
    }

    @Test
    void letsGoOfTheFileWhereThereIsNoMemory() throws IOException {
        Segment first = segment(1);
        assertThatThrownBy(() -> new CleaningSource(first, new CountedAllocator(1024, 0, 1)))
                .isInstanceOf(MemoryExhaustedException.class);

        segment(2);
        assertThat(openFiles.count()).as("files that cannot be closed").isEqualTo(1);
    }

    @Test
    void letsGoOfTheMemoryWhereTheFileIsGone() throws IOException {
        CountedAllocator allocator = new CountedAllocator(1 << 20, 0, 1);
        Segment gone = segment(1);
        gone.delete();

        assertThatThrownBy(() -> new CleaningSource(gone, allocator)).isInstanceOf(IOException.class);
        assertThat(allocator.usedBytes()).isZero();
    }
}
