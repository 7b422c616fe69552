package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.journal.JournalConfig;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.TestBatches;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A start that finds as much to replay as may be, or more, makes room by itself. */
class ReplayBoundTest {
    private static final PartitionId PARTITION = new PartitionId(new TopicId(1, 1), 0);
    private static final int APPENDS = 20;
    private static final int BATCH_BYTES = 20_000;

    private final SimulatedNode node = new SimulatedNode(new SimulatedFileSystem(1), disk -> disk);

    private static JournalConfig journal(long maxUnreleasedBytes) {
        return new JournalConfig(192 << 10, 192 << 10, 128 << 10, maxUnreleasedBytes, 16 << 10, 500_000, 0.1);
    }

    /** Leaves a journal that is above the bound of the start that follows. */
    private void fillAndLowerTheBound(boolean cleanly) throws IOException {
        node.configure(journal(4 << 20), LocalWorld.config(64 << 20));
        node.start();
        PartitionLog log = open(0).join();
        for (int i = 0; i < APPENDS; i++) {
            assertThat(append(log)).isInstanceOf(AppendResult.Appended.class);
            node.settle();
        }
        if (cleanly) {
            node.stop();
        } else {
            node.crash(false);
        }
        node.configure(journal(384 << 10), LocalWorld.config(64 << 20));
        node.start();
    }

    private CompletableFuture<PartitionLog> open(int epoch) {
        CompletableFuture<PartitionLog> stage =
                node.store().open(PARTITION, "t", 1, epoch, Map.of()).toCompletableFuture();
        node.settle();
        return stage;
    }

    private AppendResult append(PartitionLog log) {
        return append(log, BATCH_BYTES);
    }

    private AppendResult append(PartitionLog log, int bytes) {
        ByteBuf batch = node.untracked(TestBatches.ofSize(bytes));
        AppendResult result = log.append(batch, log.leaderEpoch(), AppendOrigin.CLIENT);
        batch.release();
        return result;
    }

    @Test
    void opensLogsUnderANewEpochAfterACrash() throws IOException {
        fillAndLowerTheBound(false);

        CompletableFuture<PartitionLog> opened = open(1);
        assertThat(opened).isCompleted();
        assertThat(opened.join().endOffset()).isEqualTo(APPENDS);
        assertThat(append(opened.join())).isInstanceOf(AppendResult.Appended.class);
    }

    @Test
    void appendsAfterACleanStop() throws IOException {
        fillAndLowerTheBound(true);

        CompletableFuture<PartitionLog> opened = open(0);
        assertThat(opened).isCompleted();
        assertThat(append(opened.join())).isInstanceOf(AppendResult.Appended.class);
    }

    @Test
    void makesRoomForABatchThatIsAlmostAsLargeAsTheBound() throws IOException {
        node.configure(journal(384 << 10), LocalWorld.config(64 << 20));
        node.start();
        PartitionLog log = open(0).join();
        append(log, 2 * BATCH_BYTES);
        node.settle();
        List<AppendResult> results = new ArrayList<>();
        appendWhenThereIsRoom(log, 11 * BATCH_BYTES, results);
        for (int second = 0; second < 20; second++) {
            node.time().advanceNanos(1_000_000_000);
            node.settle();
        }

        assertThat(results).hasSizeGreaterThan(1).last().isInstanceOf(AppendResult.Appended.class);
        assertThat(log.durableOffset()).isEqualTo(2);
    }

    private void appendWhenThereIsRoom(PartitionLog log, int bytes, List<AppendResult> results) {
        AppendResult result = append(log, bytes);
        results.add(result);
        if (result instanceof AppendResult.Refused) {
            node.store().awaitCapacity(node.executor(), () -> appendWhenThereIsRoom(log, bytes, results));
        }
    }
}
