package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.storage.config.TopicConfig;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.file.StorageFile;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.TestBatches;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of segments that earlier runs left behind the end of a log, when its batches begin to bypass the journal. */
class LeftBehindFilesTest {
    private static final int POWER_CUTS = 16;

    /** Where the log ends in a segment without a file, or in none, nothing else makes the deletion last. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void doNotComeBackWithAPowerCutOnceTheyWereDeleted(boolean endsInSegmentWithoutFile) throws IOException {
        for (int seed = 0; seed < POWER_CUTS; seed++) {
            LocalWorld world =
                    new LocalWorld(new SimulatedFileSystem(seed), LocalWorld.DIRECTORY, LocalWorld.config(1 << 20));
            SimulatedFileSystem files = world.simulatedFileSystem();
            PartitionLog log = open(world);
            if (endsInSegmentWithoutFile) {
                appendAndRoll(world, log);
            }
            Path directory = ((LocalPartitionLog) log).contents().directory().path();
            Path left = directory.resolve("00000000000000000009.log");
            files.createDirectoriesDurably(directory);
            try (StorageFile file = files.create(left)) {
                file.force(true);
            }
            files.forceDirectory(directory);
            world.store().configure(log.id(), Map.of("sluice.durability", "memory"));
            world.settle();
            assertThat(files.exists(left)).isFalse();

            files.powerCut();
            assertThat(files.exists(left)).as("seed %s", seed).isFalse();
        }
    }

    private static PartitionLog open(LocalWorld world) {
        var stage = world.store()
                .open(new PartitionId(new TopicId(1, 1), 0), "t", 1, 0, Map.of())
                .toCompletableFuture();
        world.settle();
        return stage.join();
    }

    private static void appendAndRoll(LocalWorld world, PartitionLog log) {
        ByteBuf batch = TestBatches.of("a");
        assertThat(log.append(batch, 0, AppendOrigin.CLIENT)).isInstanceOf(AppendResult.Appended.class);
        batch.release();
        world.settle();
        LocalPartitionLog local = (LocalPartitionLog) log;
        TopicConfig config = local.config();
        synchronized (local.contents()) {
            assertThat(local.appender().rollNowIfNotEmpty(config, true)).isTrue();
        }
        world.settle();
    }
}
