package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.netty.buffer.ByteBuf;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.protocol.record.BatchView;
import io.sluice.protocol.record.MalformedBatchException;
import io.sluice.protocol.record.RecordCursor;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.local.content.LogIdentity;
import io.sluice.storage.local.segment.DurableStep;
import io.sluice.storage.local.segment.LogDirectory;
import io.sluice.storage.local.segment.OpenFiles;
import io.sluice.storage.local.segment.Segment;
import io.sluice.storage.local.segment.SegmentName;
import io.sluice.storage.log.TestBatches;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class UnreadableBatchesTest {
    private final UnreadableBatches batches = new UnreadableBatches();
    private final Segment segment = Segment.begin(
            new LogDirectory(new DurableStep(new SimulatedFileSystem(1)), Path.of("/logs/1-t-0")),
            new OpenFiles(8),
            new SegmentName(0, 0),
            4096);

    private boolean report(long logId, long offset) {
        ByteBuf batch = TestBatches.of("x");
        batch.setZero(BatchView.HEADER_BYTES, batch.readableBytes() - BatchView.HEADER_BYTES);
        MalformedBatchException why = catchThrowableOfType(MalformedBatchException.class, () -> {
            try (RecordCursor cursor = new RecordCursor().open(new BatchView().wrap(batch))) {
                cursor.next();
            }
        });
        batch.release();
        LogIdentity log = new LogIdentity(logId, new PartitionId(new TopicId(1, 1), 0), "t");
        return batches.report(log, segment, 0, offset, why);
    }

    @Test
    void saysEachBatchOnce() {
        assertThat(report(1, 7)).isTrue();
        assertThat(report(1, 7)).isFalse();
        assertThat(report(1, 8)).isTrue();
        assertThat(report(2, 7)).isTrue();
        assertThat(batches.count()).isEqualTo(3);
    }
}
