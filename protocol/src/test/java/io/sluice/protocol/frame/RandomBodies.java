package io.sluice.protocol.frame;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.function.Supplier;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.CompactArrayOf;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.protocol.types.Type;
import org.jspecify.annotations.Nullable;

/** Writes bodies of requests as Kafka's schemas have them, with whatever comes to hand in their fields. */
final class RandomBodies {
    private static final String[] TEXTS = {
        "", "a", "orders", "Zuerich", "Z\u00fcrich", "\u4f8b", "\ud83d\ude00", "AaBB", "BBAa"
    };

    private final Random random;
    private final ByteBuffer out = ByteBuffer.allocate(1 << 20);
    private int topElements = -1;
    private Supplier<String> texts;

    RandomBodies(Random random) {
        this.random = random;
        this.texts = () -> TEXTS[random.nextInt(TEXTS.length)];
    }

    /** From now on the lists of the body itself have so many elements, all the same, and lists in them one at most. */
    RandomBodies alike(int elements) {
        topElements = elements;
        texts = () -> "x";
        return this;
    }

    ByteBuffer write(ApiKeys api, int version) {
        out.clear();
        write(api.messageType.requestSchemas()[version], 0);
        ByteBuffer body = ByteBuffer.allocate(out.flip().remaining());
        return body.put(out).flip();
    }

    private void write(Type type, int depth) {
        if (type.isArray()) {
            writeList(type, depth);
        } else if (type instanceof Schema schema) {
            if (schema.isNullable()) {
                out.put((byte) 1);
            }
            for (BoundField field : schema.fields()) {
                write(field.def.type, depth + 1);
            }
        } else if (type instanceof TaggedFields) {
            boolean some = random.nextInt(4) == 0;
            out.put(some ? new byte[] {1, 100, 2, 7, 7} : new byte[] {0});
        } else {
            type.write(out, value(type));
        }
    }

    private void writeList(Type type, int depth) {
        boolean alike = topElements >= 0;
        int count = type.isNullable() && !alike && random.nextInt(4) == 0 ? -1 : random.nextInt(4);
        if (alike) {
            count = depth == 1 ? topElements : Math.min(count, 1);
        }
        if (type instanceof CompactArrayOf) {
            for (int left = count + 1; ; left >>>= 7) {
                out.put((byte) (left >= 0x80 ? left | 0x80 : left));
                if (left < 0x80) {
                    break;
                }
            }
        } else {
            out.putInt(count);
        }
        for (int i = 0; i < count; i++) {
            write(type.arrayElementType().orElseThrow(), depth);
        }
    }

    private @Nullable Object value(Type type) {
        boolean alike = topElements >= 0;
        if (type.isNullable() && random.nextInt(4) == 0 && !alike) {
            return null;
        }
        if (type == Type.BOOLEAN) {
            return random.nextBoolean();
        }
        if (type == Type.INT8) {
            return (byte) (alike ? 1 : random.nextInt());
        }
        if (type == Type.INT16) {
            return (short) random.nextInt();
        }
        if (type == Type.UINT16) {
            return random.nextInt(1 << 16);
        }
        if (type == Type.INT32) {
            return alike ? 7 : random.nextInt();
        }
        if (type == Type.INT64) {
            return random.nextLong();
        }
        if (type == Type.UUID) {
            return alike ? new Uuid(1, 2) : new Uuid(random.nextLong(), random.nextLong());
        }
        return other(type);
    }

    private @Nullable Object other(Type type) {
        String name = type.toString();
        if (name.contains("STRING")) {
            return texts.get();
        }
        if (name.contains("RECORDS")) {
            return null;
        }
        if (name.contains("BYTES")) {
            return ByteBuffer.wrap(new byte[random.nextInt(5)]);
        }
        throw new IllegalArgumentException("no value for a " + name);
    }
}
