package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.file.StorageFile;
import io.sluice.storage.local.segment.Segment;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.ReadRequest;
import io.sluice.storage.log.ReadResult;
import io.sluice.storage.log.TestBatches;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Segments behind one whose file was removed, of a log that bypasses the journal: two batches of a record each in one. */
class SetAsideSegmentsTest {
    private static final int BATCH_BYTES = 400_000;
    private static final Map<String, String> MEMORY = Map.of("segment.bytes", "1048576", "sluice.durability", "memory");

    private final LocalWorld world = new LocalWorld();
    private final SimulatedFileSystem files = world.simulatedFileSystem();

    private static PartitionId id() {
        return new PartitionId(new TopicId(1, 1), 0);
    }

    private void append(PartitionLog log, int batches) {
        for (int i = 0; i < batches; i++) {
            ByteBuf batch = TestBatches.ofSize(BATCH_BYTES);
            assertThat(log.append(batch, log.leaderEpoch(), AppendOrigin.CLIENT))
                    .isInstanceOf(AppendResult.Appended.class);
            batch.release();
        }
        world.settle();
    }

    private static Path file(PartitionLog log, int segment) {
        return segments(log)[segment].file().path();
    }

    private static Segment[] segments(PartitionLog log) {
        return ((LocalPartitionLog) log).contents().segments();
    }

    private void cut(Path path, int bytes) throws IOException {
        try (StorageFile file = files.open(path, FileSystem.Access.READ_WRITE)) {
            file.truncate(bytes);
        }
    }

    /** Reads on from an offset as a consumer does; ends with where it gets no further, and why. */
    private static String consume(PartitionLog log, long from) {
        long offset = from;
        ReadResult result = read(log, offset);
        while (result instanceof ReadResult.Records records && records.slice().sizeInBytes() > 0) {
            for (String value : TestBatches.values(records.slice())) {
                assertThat(value).startsWith(offset + ":");
                offset++;
            }
            result = read(log, offset);
        }
        if (result instanceof ReadResult.Records records) {
            records.slice().release();
            return offset + " end";
        }
        return offset + " " + result;
    }

    private static ReadResult read(PartitionLog log, long offset) {
        ReadRequest request = new ReadRequest(offset, 1 << 20, true, ReadRequest.Limit.VISIBLE, Runnable::run);
        return ((LocalPartitionLog) log).reader().readNow(request);
    }

    private byte[] content(Path path) throws IOException {
        try (StorageFile file = files.open(path, FileSystem.Access.READ)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
            file.read(bytes, 0);
            return bytes.array();
        }
    }

    private void write(Path path, byte[] content) throws IOException {
        try (StorageFile file = files.create(path)) {
            file.write(ByteBuffer.wrap(content), 0);
        }
    }

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
