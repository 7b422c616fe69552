package io.sluice.storage.local.content;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.protocol.record.BatchView;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.journal.JournalEntryKind;
import io.sluice.storage.local.aborted.ChunkCache;
import io.sluice.storage.local.producer.ProducerLimit;
import io.sluice.storage.local.segment.OpenFiles;
import io.sluice.storage.log.TestBatches;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What replay makes of entries of the journal. */
class LogRecoveryTest {
    private static final long LOG_ID = 1;

    private final SimulatedFileSystem files = new SimulatedFileSystem(1);
    private final LogRecovery recovery =
            new LogRecovery(files, Path.of("/logs"), new OpenFiles(10), ProducerLimit.none(), new ChunkCache(8), 0);

    private LogContents contents() {
        return Objects.requireNonNull(recovery.find(LOG_ID)).contents();
    }

    private void epoch(int epoch, long startOffset) throws IOException {
        epoch(epoch, startOffset, false);
    }

    private void epoch(int epoch, long startOffset, boolean memory) throws IOException {
        ByteBuf payload = Unpooled.buffer();
        payload.writeLong(startOffset).writeByte(memory ? 1 : 0);
        new LogIdentity(LOG_ID, new PartitionId(new TopicId(1, 1), 0), "t").writeTo(payload);
        recovery.onEntry(JournalEntryKind.LEADER_EPOCH, LOG_ID, epoch, payload, 0);
    }

    private void batch(int epoch, long baseOffset, String... values) throws IOException {
        ByteBuf batch = TestBatches.of(values);
        BatchView view = new BatchView().wrap(batch);
        view.setBaseOffset(baseOffset);
        view.setLeaderEpoch(epoch);
        recovery.onEntry(JournalEntryKind.BATCH, LOG_ID, baseOffset, batch, 0);
        batch.release();
    }

    @Test
    void passesOverABatchBehindALostEndWhoseOffsetBelongsToALaterEpoch() throws IOException {
        files.createDirectories(Path.of("/logs"));
        epoch(1, 0);
        batch(1, 0, "a");
        epoch(3, 1);
        batch(1, 1, "followed what was lost", "as well");
        assertThat(contents().endOffset()).isEqualTo(1);

        batch(3, 1, "acknowledged");
        assertThat(contents().endOffset()).isEqualTo(2);
    }

    @Test
    void searchesTheSegmentsOfALogInMemoryOnceForAllBatchesBeyondItsEnd() throws IOException {
        files.createDirectories(Path.of("/logs"));
        epoch(1, 0, true);
        batch(1, 0, "a");
        batch(1, 5, "beyond what was lost");
        long before = files.operations();
        for (int i = 6; i < 50; i++) {
            batch(1, i, "more");
        }
        assertThat(files.operations()).isEqualTo(before);

        epoch(2, 1, true); // what the segments hold may be of this one
        batch(2, 50, "beyond what was lost");
        assertThat(files.operations()).isGreaterThan(before);
        assertThat(contents().endOffset()).isEqualTo(1);
    }

    @Test
    void replaysABatchOfAnEarlierEpochWhereThatHadItsOffset() throws IOException {
        files.createDirectories(Path.of("/logs"));
        epoch(1, 0);
        epoch(3, 1);
        batch(1, 0, "a");
        batch(3, 1, "b");

        assertThat(contents().endOffset()).isEqualTo(2);
    }
}
