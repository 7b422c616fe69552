package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.base.time.OncePerInterval;
import io.sluice.protocol.record.BatchView;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.ReadRequest;
import io.sluice.storage.log.ReadResult;
import io.sluice.storage.log.TestBatches;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the engine tells of appends that it refuses and of records that it does not serve. */
class UnservedTest {
    private final LocalWorld world = new LocalWorld();

    private PartitionLog open(Map<String, String> configs) {
        var stage = world.store()
                .open(new PartitionId(new TopicId(1, 1), 0), "t", 1, 0, configs)
                .toCompletableFuture();
        world.settle();
        return stage.join();
    }

    private static AppendResult append(PartitionLog log, ByteBuf batch) {
        AppendResult result = log.append(batch, log.leaderEpoch(), AppendOrigin.CLIENT);
        batch.release();
        return result;
    }

    private static ReadResult read(PartitionLog log, long offset) {
        ReadRequest request = new ReadRequest(offset, 1 << 20, true, ReadRequest.Limit.VISIBLE, Runnable::run);
        return ((LocalPartitionLog) log).reader().readNow(request);
    }

    private static Path segmentOf(PartitionLog log) {
        return ((LocalPartitionLog) log).contents().segments()[0].file().path();
    }

    @Test
    void tellsOfRefusedAppendsEveryTenSecondsWithTheNumberLeftOut() {
        SimulatedFileSystem disk = world.simulatedFileSystem();
        PartitionLog log = open(Map.of());
        append(log, TestBatches.of("a"));
        world.settle();
        disk.limitCapacity(disk.usedBytes() + 10);

        for (int i = 0; i < 5; i++) {
            assertThat(append(log, TestBatches.of("b"))).isInstanceOf(AppendResult.Refused.class);
        }

        OncePerInterval line = ((LocalPartitionLog) log).context().refusals();
        assertThat(line.permit(world.time().nanoTime())).isEqualTo(OncePerInterval.KEPT_BACK);
        world.time().advanceNanos(TimeUnit.SECONDS.toNanos(10));
        assertThat(line.permit(world.time().nanoTime()))
                .as("one line, four left out, and the look of this test")
                .isEqualTo(5);
    }

    @Test
    void namesTheLogsOfWhichNotEverythingIsServed() throws IOException {
        PartitionLog log = open(Map.of());
        append(log, TestBatches.of("a"));
        world.settle();
        assertThat(world.store().quarantined()).isEmpty();
        world.simulatedFileSystem().flipByte(segmentOf(log), BatchView.HEADER_BYTES);

        assertThat(read(log, 0)).isInstanceOf(ReadResult.Corrupt.class);
        assertThat(world.store().quarantined()).containsExactly(new QuarantinedLog("t-0", 1));
    }
}
