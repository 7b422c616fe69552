package io.sluice.storage.local.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.storage.file.SimulatedFileSystem;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class LoadedIndexesTest {
    @Test
    void letsTheFirstGoWhenThereAreTooMany() {
        LoadedIndexes indexes = new LoadedIndexes();
        LogDirectory directory = new LogDirectory(new SimulatedFileSystem(1), Path.of("/logs/1-t-0"));
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
