package io.sluice.storage.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.protocol.record.BatchBuilder;
import io.sluice.protocol.record.BatchView;
import io.sluice.protocol.record.CompressionCodec;
import io.sluice.protocol.record.RecordCursor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Batches as clients and coordinators send them, and what is in batches that were read. */
public final class TestBatches {
    /** Time of records that have no other. */
    public static final long TIMESTAMP = 1_700_000_000_000L;

    private TestBatches() {}

    /** Records without keys, one for each value. */
    public static ByteBuf of(String... values) {
        return at(TIMESTAMP, values);
    }

    /** Records of this time. */
    public static ByteBuf at(long timestamp, String... values) {
        return compressed(CompressionCodec.NONE, timestamp, values);
    }

    /** Compressed records of this time, each a millisecond after the one before. */
    public static ByteBuf compressed(CompressionCodec codec, long timestamp, String... values) {
        ByteBuf out = Unpooled.directBuffer();
        BatchBuilder builder = new BatchBuilder(out, codec);
        for (int i = 0; i < values.length; i++) {
            builder.append(timestamp + i, null, bytes(values[i]));
        }
        builder.finish();
        return out;
    }

    /** One keyed record; a null value is a tombstone. */
    public static ByteBuf keyed(String key, @org.jspecify.annotations.Nullable String value) {
        ByteBuf out = Unpooled.directBuffer();
        BatchBuilder builder = new BatchBuilder(out, CompressionCodec.NONE);
        builder.append(TIMESTAMP, bytes(key), value == null ? null : bytes(value));
        builder.finish();
        return out;
    }

    /**
     * Keyed records; a null value is a tombstone.
     *
     * @param producerId -1 for none
     * @param compressed whether with LZ4
     */
    public static ByteBuf keyed(
            long producerId, int epoch, int firstSequence, boolean compressed, String[] keys, String[] values) {
        ByteBuf out = Unpooled.directBuffer();
        BatchBuilder builder = new BatchBuilder(out, compressed ? CompressionCodec.LZ4 : CompressionCodec.NONE);
        if (producerId >= 0) {
            builder.producer(producerId, (short) epoch, firstSequence);
        }
        for (int i = 0; i < keys.length; i++) {
            builder.append(TIMESTAMP, bytes(keys[i]), values[i] == null ? null : bytes(values[i]));
        }
        builder.finish();
        return out;
    }

    /** One record without a key and with a value of this size. */
    public static ByteBuf ofSize(int valueBytes) {
        ByteBuf out = Unpooled.directBuffer();
        BatchBuilder builder = new BatchBuilder(out, CompressionCodec.NONE);
        builder.append(TIMESTAMP, null, new byte[valueBytes]);
        builder.finish();
        return out;
    }

    /** Records of an idempotent producer. */
    public static ByteBuf idempotent(long producerId, int epoch, int firstSequence, String... values) {
        return produced(producerId, epoch, firstSequence, false, values);
    }

    /** Records of a transactional producer. */
    public static ByteBuf transactional(long producerId, int epoch, int firstSequence, String... values) {
        return produced(producerId, epoch, firstSequence, true, values);
    }

    /** One keyed record of a transactional producer. */
    public static ByteBuf transactionalKeyed(long producerId, int epoch, int firstSequence, String key, String value) {
        ByteBuf out = Unpooled.directBuffer();
        new BatchBuilder(out, CompressionCodec.NONE)
                .producer(producerId, (short) epoch, firstSequence)
                .transactional(true)
                .append(TIMESTAMP, bytes(key), bytes(value))
                .finish();
        return out;
    }

    private static ByteBuf produced(
            long producerId, int epoch, int firstSequence, boolean transactional, String... values) {
        ByteBuf out = Unpooled.directBuffer();
        BatchBuilder builder = new BatchBuilder(out, CompressionCodec.NONE)
                .producer(producerId, (short) epoch, firstSequence)
                .transactional(transactional);
        for (String value : values) {
            builder.append(TIMESTAMP, null, bytes(value));
        }
        builder.finish();
        return out;
    }

    /** A transaction marker. */
    public static ByteBuf marker(long producerId, int epoch, int coordinatorEpoch, boolean commit) {
        ByteBuf out = Unpooled.directBuffer();
        byte[] key = ByteBuffer.allocate(4)
                .putShort((short) 0)
                .putShort((short) (commit ? 1 : 0))
                .array();
        byte[] value = ByteBuffer.allocate(6)
                .putShort((short) 0)
                .putInt(coordinatorEpoch)
                .array();
        new BatchBuilder(out, CompressionCodec.NONE)
                .producer(producerId, (short) epoch, -1)
                .transactional(true)
                .control(true)
                .append(TIMESTAMP, key, value)
                .finish();
        return out;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** The offset behind the last batch of a slice, which may have no record; does not release it. */
    public static long nextOffset(LogSlice slice) {
        ByteBuf all = copyOf(slice);
        BatchView view = new BatchView();
        long next = -1;
        for (int at = 0; BatchView.isWholeAt(all, at, all.writerIndex()); at = view.endIndex()) {
            next = view.wrap(all, at).nextOffset();
        }
        return next;
    }

    /** All bytes of a slice; releases it. Regions of files are read. */
    public static ByteBuf bytesOf(LogSlice slice) {
        try {
            return copyOf(slice);
        } finally {
            slice.release();
        }
    }

    private static ByteBuf copyOf(LogSlice slice) {
        ByteBuf all = Unpooled.buffer(Math.max(1, slice.sizeInBytes()));
        try {
            for (LogSlice.Piece piece : slice.pieces()) {
                if (piece instanceof LogSlice.Piece.Memory memory) {
                    all.writeBytes(memory.bytes().duplicate());
                } else if (piece instanceof LogSlice.Piece.FileRegion region) {
                    ByteBuffer target = ByteBuffer.allocate(region.length());
                    region.channel().read(target, region.position());
                    all.writeBytes(target.flip());
                }
            }
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        return all;
    }

    /** Values of the records in a slice, as "offset:value"; releases it. The slice must know how many they are. */
    public static List<String> values(LogSlice slice) {
        return texts(slice, false);
    }

    /** Keys and values of the records in a slice, as "offset:key=value"; releases it. */
    public static List<String> keysAndValues(LogSlice slice) {
        return texts(slice, true);
    }

    private static List<String> texts(LogSlice slice, boolean withKeys) {
        long count = slice.recordCount();
        ByteBuf all = bytesOf(slice);
        List<String> values = new ArrayList<>();
        BatchView view = new BatchView();
        for (int at = 0; BatchView.isWholeAt(all, at, all.writerIndex()); at = view.endIndex()) {
            view.wrap(all, at);
            try (RecordCursor cursor = new RecordCursor().open(view)) {
                while (cursor.next()) {
                    values.add(cursor.offset() + ":" + (withKeys ? key(cursor) + "=" : "") + text(cursor));
                }
            }
        }
        assertThat(values).as("records counted by the slice").hasSize((int) count);
        return values;
    }

    private static String key(RecordCursor cursor) {
        return cursor.bytes().toString(cursor.keyIndex(), cursor.keyLength(), StandardCharsets.UTF_8);
    }

    private static String text(RecordCursor cursor) {
        return cursor.valueLength() < 0
                ? "null"
                : cursor.bytes().toString(cursor.valueIndex(), cursor.valueLength(), StandardCharsets.UTF_8);
    }
}
