package io.sluice.broker.share;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.coordinator.share.AcquiredRange;
import io.sluice.coordinator.share.FetchedBatch;
import io.sluice.protocol.record.BatchBuilder;
import io.sluice.protocol.record.CompressionCodec;
import io.sluice.storage.log.LogSlice;
import io.sluice.storage.log.ReadResult;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.junit.jupiter.api.Test;

class ReadBatchesTest {
    private static final long PRODUCER = 7;
    private static final short ABORT = 0;
    private static final short COMMIT = 1;

    private final ByteBuf bytes = Unpooled.buffer();
    private boolean released;

    private void records(long offset, int count, boolean transactional) {
        BatchBuilder builder = new BatchBuilder(bytes, CompressionCodec.NONE).baseOffset(offset);
        if (transactional) {
            builder.producer(PRODUCER, (short) 0, 0).transactional(true);
        }
        for (int i = 0; i < count; i++) {
            builder.append(1, null, ("v" + (offset + i)).getBytes(StandardCharsets.UTF_8));
        }
        builder.finish();
    }

    private void marker(long offset, short type) {
        new BatchBuilder(bytes, CompressionCodec.NONE)
                .baseOffset(offset)
                .producer(PRODUCER, (short) 0, -1)
                .transactional(true)
                .control(true)
                .append(
                        1,
                        ByteBuffer.allocate(4)
                                .putShort((short) 0)
                                .putShort(type)
                                .array(),
                        new byte[6])
                .finish();
    }

    private ReadBatches read(boolean readCommitted, ReadResult.AbortedTransaction... aborted) throws IOException {
        LogSlice slice = new LogSlice() {
            @Override
            public int sizeInBytes() {
                return bytes.readableBytes();
            }

            @Override
            public long recordCount() {
                return 0;
            }

            @Override
            public List<Piece> pieces() {
                return bytes.isReadable() ? List.of(new Piece.Memory(bytes)) : List.of();
            }

            @Override
            public void release() {
                released = true;
            }
        };
        return ReadBatches.of(new ReadResult.Records(slice, 0, 100, 100, List.of(aborted)), readCommitted, 0, 100);
    }

    private static FetchedBatch batch(long first, long last, boolean deliverable) {
        return new FetchedBatch(first, last, deliverable);
    }

    @Test
    void deliversNoMarkers() throws IOException {
        records(0, 3, true);
        marker(3, COMMIT);
        records(4, 2, false);

        ReadBatches read = read(false);

        assertThat(read.batches()).containsExactly(batch(0, 2, true), batch(3, 3, false), batch(4, 5, true));
        assertThat(released).isTrue();
    }

    @Test
    void hidesAbortedTransactionsFromThoseWhoReadCommittedData() throws IOException {
        records(0, 3, true);
        records(3, 1, false);
        marker(4, ABORT);
        records(5, 2, true);
        marker(7, COMMIT);
        ReadResult.AbortedTransaction aborted = new ReadResult.AbortedTransaction(PRODUCER, 0);

        assertThat(read(true, aborted).batches())
                .containsExactly(
                        batch(0, 2, false),
                        batch(3, 3, true),
                        batch(4, 4, false),
                        batch(5, 6, true),
                        batch(7, 7, false));
        assertThat(read(false, aborted).batches().get(0).deliverable()).isTrue();
    }

    @Test
    void keepsOnlyTheBatchesThatHoldSomethingAcquired() throws IOException {
        records(0, 3, false);
        records(3, 3, false);
        records(6, 3, false);

        ReadBatches read = read(false);

        assertThat(read.holding(List.of(new AcquiredRange(1, 1, (short) 1), new AcquiredRange(8, 8, (short) 1)))
                        .batches())
                .extracting(RecordBatch::baseOffset)
                .containsExactly(0L, 6L);
    }

    @Test
    void passesOverWhatTheCleanerLeftEmpty() throws IOException {
        assertThat(read(false).batches()).containsExactly(batch(0, 99, false));
    }

    @Test
    void findsRecordsUpToAboutAsManyBytesAsAskedFor() throws IOException {
        records(0, 5, false);

        ReadBatches.Found some = read(false).records(1, 4, 1);

        assertThat(some.records()).containsOnlyKeys(1L);
        assertThat(some.to()).isEqualTo(1);
        assertThat(read(false).records(1, 3, 1000).records()).containsOnlyKeys(1L, 2L, 3L);
    }

    @Test
    void passesOverAMarkerThatTheCleanerLeftWithoutItsRecord() throws IOException {
        records(0, 3, true);
        ByteBuffer empty = ByteBuffer.allocate(DefaultRecordBatch.RECORD_BATCH_OVERHEAD);
        DefaultRecordBatch.writeEmptyHeader(
                empty,
                RecordBatch.CURRENT_MAGIC_VALUE,
                PRODUCER,
                (short) 0,
                -1,
                3,
                3,
                0,
                TimestampType.CREATE_TIME,
                1,
                true,
                true);
        bytes.writeBytes(empty.flip());

        assertThat(read(true).batches()).containsExactly(batch(0, 2, true), batch(3, 3, false));
    }
}
