package io.sluice.broker.simulation;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.protocol.record.BatchBuilder;
import io.sluice.protocol.record.CompressionCodec;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** Record sets as producers send them. */
public final class Batches {
    private Batches() {}

    /** One uncompressed batch of keyed records with these values, all at one time. */
    public static MemoryRecords of(long timestamp, String... values) {
        return batch(CompressionCodec.NONE, builder -> addAll(builder, timestamp, values));
    }

    /** One batch of an idempotent producer. */
    public static MemoryRecords idempotent(long producerId, int epoch, int sequence, long timestamp, String... values) {
        return batch(
                CompressionCodec.NONE,
                builder -> addAll(builder.producer(producerId, (short) epoch, sequence), timestamp, values));
    }

    /** One batch. */
    public static MemoryRecords batch(CompressionCodec codec, Consumer<BatchBuilder> fill) {
        ByteBuf out = Unpooled.buffer();
        BatchBuilder builder = new BatchBuilder(out, codec);
        fill.accept(builder);
        builder.finish();
        return records(out);
    }

    /** Adds keyed records. */
    public static void addAll(BatchBuilder builder, long timestamp, String... values) {
        for (int i = 0; i < values.length; i++) {
            builder.append(
                    timestamp,
                    ("key-" + i).getBytes(StandardCharsets.UTF_8),
                    values[i].getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Any bytes as a record set. */
    public static MemoryRecords records(ByteBuf bytes) {
        return MemoryRecords.readableRecords(ByteBuffer.wrap(io.netty.buffer.ByteBufUtil.getBytes(bytes)));
    }
}
