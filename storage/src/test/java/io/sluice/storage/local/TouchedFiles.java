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
import java.util.Map;

/** A log of a partition whose files somebody touches while the node is down: two batches of a record each in a segment. */
abstract class TouchedFiles {
    static final int BATCH_BYTES = 400_000;
    static final Map<String, String> MEMORY = Map.of("segment.bytes", "1048576", "sluice.durability", "memory");

    final LocalWorld world = new LocalWorld();
    final SimulatedFileSystem files = world.simulatedFileSystem();

    static PartitionId id() {
        return new PartitionId(new TopicId(1, 1), 0);
    }

    void append(PartitionLog log, int batches) {
        for (int i = 0; i < batches; i++) {
            ByteBuf batch = TestBatches.ofSize(BATCH_BYTES);
            assertThat(log.append(batch, log.leaderEpoch(), AppendOrigin.CLIENT))
                    .isInstanceOf(AppendResult.Appended.class);
            batch.release();
        }
        world.settle();
    }

    static Path file(PartitionLog log, int segment) {
        return segments(log)[segment].file().path();
    }

    static Segment[] segments(PartitionLog log) {
        return ((LocalPartitionLog) log).contents().segments();
    }

    void cut(Path path, int bytes) throws IOException {
        try (StorageFile file = files.open(path, FileSystem.Access.READ_WRITE)) {
            file.truncate(bytes);
        }
    }

    /** Reads on from an offset as a consumer does; ends with where it gets no further, and why. */
    static String consume(PartitionLog log, long from) {
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

    static ReadResult read(PartitionLog log, long offset) {
        ReadRequest request = new ReadRequest(offset, 1 << 20, true, ReadRequest.Limit.VISIBLE, Runnable::run);
        return ((LocalPartitionLog) log).reader().readNow(request);
    }

    byte[] content(Path path) throws IOException {
        try (StorageFile file = files.open(path, FileSystem.Access.READ)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
            file.read(bytes, 0);
            return bytes.array();
        }
    }

    void write(Path path, byte[] content) throws IOException {
        try (StorageFile file = files.create(path)) {
            file.write(ByteBuffer.wrap(content), 0);
        }
    }
}
