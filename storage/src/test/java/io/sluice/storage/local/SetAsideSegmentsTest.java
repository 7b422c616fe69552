package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.storage.log.PartitionLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Segments behind one whose file was removed, of a log that bypasses the journal: two batches of a record each in one. */
class SetAsideSegmentsTest extends TouchedFiles {
    private enum Meanwhile {
        NOTHING,
        CHECKPOINT,
        APPEND,
        APPEND_AND_CHECKPOINT,
        ANOTHER_EPOCH,
        ANOTHER_EPOCH_AND_CHECKPOINT,
        ANOTHER_EPOCH_AND_APPEND,
        ANOTHER_EPOCH_AND_APPEND_AND_CHECKPOINT
    }

    /** The checkpoint knows the first batch of the second segment, and so a scan would find the rest. */
    @ParameterizedTest
    @EnumSource
    void keepsWhatFollowsASegmentKnownInPart(Meanwhile meanwhile) throws IOException {
        restoreBehind(meanwhile);
    }

    @Test
    void servesWhatFollowsASegmentKnownWhole() throws IOException {
        world.setConfig(LocalWorld.config(1 << 30));
        world.restart();
        PartitionLog log = openAt(0);
        append(log, 4);
        world.checkpoint();
        append(log, 2);
        files.delete(file(log, 1));
        world.kill();

        assertThat(consume(openAt(1), 4)).isEqualTo("6 end");
    }

    /** Whoever restores the file and gives the one behind it its name back loses nothing by it. */
    private void restoreBehind(Meanwhile meanwhile) throws IOException {
        world.setConfig(LocalWorld.config(1 << 30));
        world.restart();
        PartitionLog log = openAt(0);
        append(log, 3);
        world.checkpoint();
        append(log, 3);
        Path missing = file(log, 1);
        Path behind = file(log, 2);
        Path aside = behind.resolveSibling(behind.getFileName() + ".unclaimed");
        byte[] before = content(missing);
        byte[] after = content(behind);
        files.delete(missing);
        world.kill();
        int epoch = meanwhile.name().startsWith("ANOTHER") ? 1 : 0;
        goOn(meanwhile, epoch);
        assertThat(files.exists(aside)).isTrue();

        write(missing, before);
        files.rename(aside, behind);
        boolean restored = false;
        for (int start = 0; start < 3; start++) {
            world.kill();
            PartitionLog again = openAt(epoch + start);
            restored |= start == 0 && consume(again, 0).equals("6 end");
            append(again, 1);
            world.runTasks(); // the sweep of what a crash left
            assertThat(consume(again, 0)).endsWith(" end");
            byte[] kept = restored ? Arrays.copyOf(content(behind), after.length) : content(aside);
            assertThat(Arrays.equals(kept, after)).as("%s", meanwhile).isTrue();
            if (start == 1) {
                world.checkpoint();
            }
        }
    }

    private void goOn(Meanwhile meanwhile, int epoch) {
        PartitionLog log = openAt(epoch);
        if (meanwhile.name().contains("APPEND")) {
            append(log, 1);
        }
        if (meanwhile.name().contains("CHECKPOINT")) {
            world.checkpoint();
        }
    }

    private PartitionLog openAt(int epoch) {
        var stage = world.store().open(id(), "t", 1, epoch, MEMORY).toCompletableFuture();
        world.settle();
        return stage.join();
    }

    /** Nobody has taken anything away: the file was deleted because the log starts behind it. */
    @Test
    void setsNothingAsideBehindWhatTheLogStartHasPassed() throws IOException {
        world.setConfig(LocalWorld.config(1 << 30));
        world.restart();
        PartitionLog log = openAt(0);
        append(log, 4);
        world.checkpoint();
        append(log, 4);
        Path deleted = file(log, 1);
        Path torn = file(log, 2);
        Path behind = file(log, 3);
        var trimmed = log.trim(4).toCompletableFuture();
        world.settle();
        assertThat(trimmed).isCompletedWithValue(4L);
        files.delete(deleted);
        cut(torn, BATCH_BYTES / 2);
        world.kill();

        assertThat(consume(openAt(0), 4)).isEqualTo("4 end");
        assertThat(files.exists(behind)).isFalse();
        assertThat(files.list(LocalWorld.DIRECTORY.resolve("logs").resolve("1-t-0")))
                .noneMatch(name -> name.endsWith(".unclaimed"));
    }
}
