package io.sluice.protocol.record;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;

/** Batches as kafka-clients writes and reads them: the reference for ours. */
final class KafkaBatches {
    private KafkaBatches() {}

    /** The records as one batch, in direct memory behind a few bytes of something else. */
    static ByteBuf write(CompressionCodec codec, long baseOffset, List<SimpleRecord> records) {
        Compression compression =
                Compression.of(CompressionType.forId(codec.code())).build();
        return direct(MemoryRecords.withRecords(
                        RecordBatch.MAGIC_VALUE_V2, baseOffset, compression, records.toArray(SimpleRecord[]::new))
                .buffer());
    }

    static ByteBuf direct(ByteBuffer bytes) {
        ByteBuffer memory = ByteBuffer.allocateDirect(bytes.remaining() + 7);
        memory.put(7, bytes, bytes.position(), bytes.remaining());
        return Unpooled.wrappedBuffer(memory).readerIndex(7);
    }

    /** The only batch in the readable bytes, after Kafka's own checks. */
    static RecordBatch read(ByteBuf buffer) {
        ByteBuffer bytes = buffer.nioBuffer();
        List<RecordBatch> batches = new ArrayList<>();
        MemoryRecords.readableRecords(bytes).batches().forEach(batches::add);
        if (batches.size() != 1) {
            throw new AssertionError("expected one batch, got " + batches);
        }
        batches.get(0).ensureValid();
        return batches.get(0);
    }

    static List<SimpleRecord> someRecords(int count, int valueBytes) {
        List<SimpleRecord> records = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] key = i % 3 == 0 ? null : ("key-" + i).getBytes(java.nio.charset.StandardCharsets.UTF_8);
            byte[] value = i % 5 == 4 ? null : value(i, valueBytes);
            Header[] headers = i % 2 == 0
                    ? new Header[0]
                    : new Header[] {new RecordHeader("h" + i, new byte[] {1, 2}), new RecordHeader("n", null)};
            records.add(new SimpleRecord(1_000_000L + (i * 37L) % 11, key, value, headers));
        }
        return records;
    }

    private static byte[] value(int seed, int length) {
        Random random = new Random(seed);
        byte[] value = new byte[length];
        for (int i = 0; i < length; i++) {
            value[i] = (byte) random.nextInt(16);
        }
        return value;
    }
}
