package io.sluice.storage.local.content;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.protocol.record.BatchView;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.ForwardingFile;
import io.sluice.storage.file.ForwardingFileSystem;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.file.StorageFile;
import io.sluice.storage.local.aborted.ChunkCache;
import io.sluice.storage.local.producer.ProducerLimit;
import io.sluice.storage.local.segment.DurableStep;
import io.sluice.storage.local.segment.LogDirectory;
import io.sluice.storage.local.segment.OpenFiles;
import io.sluice.storage.local.segment.Segment;
import io.sluice.storage.local.segment.SegmentName;
import io.sluice.storage.log.TestBatches;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the files of a log hold behind its last checkpoint, batches larger than a chunk included. */
class TailScanTest {
    private static final Path DIRECTORY = Path.of("/logs/1-t-0");
    private static final int LARGE_BYTES = 3_500_000;

    private final SimulatedFileSystem disk = new SimulatedFileSystem(1);
    private final Path file = DIRECTORY.resolve(new SegmentName(0, 0).fileName());
    private long offset;
    private int size;

    @BeforeEach
    void makeDirectory() throws IOException {
        disk.createDirectories(DIRECTORY);
        disk.create(file).close();
    }

    private void write(ByteBuf batch) throws IOException {
        BatchView view = new BatchView().wrap(batch);
        view.setBaseOffset(offset);
        offset = view.nextOffset();
        try (StorageFile open = disk.open(file, FileSystem.Access.READ_WRITE)) {
            open.write(batch.nioBuffer(), size);
        }
        size += batch.readableBytes();
        batch.release();
    }

    private LogContents scanned(FileSystem files) throws IOException {
        LogIdentity identity = new LogIdentity(1, new PartitionId(new TopicId(1, 1), 0), "t");
        OpenFiles openFiles = new OpenFiles(8);
        LogContents contents = new LogContents(
                identity,
                new LogDirectory(new DurableStep(files), DIRECTORY),
                openFiles,
                ProducerLimit.none(),
                new ChunkCache(8));
        new TailScan(contents, openFiles, 4096, 0).run();
        return contents;
    }

    @Test
    void keepsABatchLargerThanAChunk() throws IOException {
        write(TestBatches.of("a"));
        write(TestBatches.ofSize(LARGE_BYTES));
        write(TestBatches.of("b"));

        assertThat(scanned(disk).endOffset()).isEqualTo(3);
    }

    @Test
    void endsTheLogBeforeALargeBatchThatIsNotSound() throws IOException {
        write(TestBatches.of("a"));
        write(TestBatches.ofSize(LARGE_BYTES));
        write(TestBatches.of("b"));
        disk.flipByte(file, 3_000_000);

        assertThat(scanned(disk).endOffset()).isEqualTo(1);
    }

    @Test
    void takesNoMemoryForWhatAHeaderClaims() throws IOException {
        write(TestBatches.of("a"));
        ByteBuf claiming = TestBatches.of("b");
        claiming.setInt(8, Integer.MAX_VALUE - size - 64);
        write(claiming);

        assertThat(scanned(new Endless(disk)).endOffset()).isEqualTo(1);
    }

    /** Batches may begin another segment between the cut and the force. */
    @Test
    void isMadeDurableWhereItWasCut() throws IOException {
        write(TestBatches.of("a"));
        LogContents contents = scanned(disk);
        Segment cut = contents.cutBehindEnd();
        contents.roll(4096);
        ByteBuf more = TestBatches.of("b");
        BatchView view = new BatchView().wrap(more);
        view.setBaseOffset(offset);
        contents.append(more, view, 0);
        more.release();
        disk.crashWhen((operation, path) -> operation == SimulatedFileSystem.Operation.FORCE && path.equals(file), 0);

        assertThatThrownBy(() -> contents.forceEnd(cut)).isInstanceOf(IOException.class);
    }

    /** Files go on with zeros as far as a segment can be long. */
    private static final class Endless extends ForwardingFileSystem {
        private static final byte[] ZEROS = new byte[1 << 20];

        Endless(SimulatedFileSystem files) {
            super(files);
        }

        @Override
        public StorageFile open(Path path, Access access) throws IOException {
            StorageFile opened = super.open(path, access);
            return new ForwardingFile(opened) {
                @Override
                public long size() {
                    return Integer.MAX_VALUE;
                }

                @Override
                public int read(ByteBuffer target, long position) throws IOException {
                    int wanted = target.remaining();
                    if (position < opened.size()) {
                        opened.read(target, position);
                    }
                    while (target.hasRemaining()) {
                        target.put(ZEROS, 0, Math.min(ZEROS.length, target.remaining()));
                    }
                    return wanted;
                }

                @Override
                public @Nullable FileChannel channel() {
                    return null;
                }
            };
        }
    }
}
