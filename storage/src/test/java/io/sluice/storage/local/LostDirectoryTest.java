package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.storage.file.HeldPath;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.LogState;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.TestBatches;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the engine does, and leaves be, where its data directory is not what it has opened any more. */
class LostDirectoryTest {
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

    @Test
    void makesNothingWhereItsDirectoryWas() throws IOException {
        SimulatedFileSystem disk = world.simulatedFileSystem();
        PartitionLog log = open(Map.of());
        disk.rename(LocalWorld.DIRECTORY, Path.of("/elsewhere"));

        assertThat(append(log, TestBatches.of("a"))).isInstanceOf(AppendResult.Refused.class);
        world.time().advanceNanos(TimeUnit.SECONDS.toNanos(2));
        world.settle();

        assertThat(disk.exists(LocalWorld.DIRECTORY)).isFalse();
    }

    @Test
    void writesNothingIntoADirectoryInThePlaceOfItsOwn() throws IOException {
        SimulatedFileSystem disk = world.simulatedFileSystem();
        PartitionLog log = open(Map.of());
        append(log, TestBatches.of("a"));
        world.settle();
        disk.rename(LocalWorld.DIRECTORY, Path.of("/elsewhere"));
        disk.createDirectories(LocalWorld.DIRECTORY.resolve("logs"));

        world.store().fence(new DirectoryLostException(LocalWorld.DIRECTORY, HeldPath.Target.ANOTHER));
        assertThat(append(log, TestBatches.of("b"))).isInstanceOf(AppendResult.Refused.class);
        world.time().advanceNanos(TimeUnit.SECONDS.toNanos(2));
        world.settle();
        world.store().close();

        assertThat(log.state()).isEqualTo(LogState.FAILED);
        assertThat(disk.list(LocalWorld.DIRECTORY)).containsExactly("logs");
        assertThat(disk.list(LocalWorld.DIRECTORY.resolve("logs"))).isEmpty();
    }

    @Test
    void makesANoteThatIsMissedAnewOnlyOnceTheDirectoryIsKnownToBeItsOwn() throws IOException {
        SimulatedFileSystem disk = world.simulatedFileSystem();
        Path note = LocalWorld.DIRECTORY.resolve("logs").resolve(DataDirectory.JOURNAL_NOTE);
        PartitionLog log = open(Map.of());
        appendAndPassASecond(log);
        assertThat(disk.exists(note)).isTrue();
        disk.delete(note);

        appendAndPassASecond(log);
        assertThat(disk.exists(note)).isFalse();
        appendAndPassASecond(log);
        assertThat(disk.exists(note)).isTrue();
    }

    private void appendAndPassASecond(PartitionLog log) {
        append(log, TestBatches.of("a"));
        world.settle();
        world.time().advanceNanos(TimeUnit.SECONDS.toNanos(1));
        world.settle();
    }
}
