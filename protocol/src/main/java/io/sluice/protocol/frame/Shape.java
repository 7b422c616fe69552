package io.sluice.protocol.frame;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** How one value lies in the bytes of a request. Immutable. */
sealed interface Shape {
    /**
     * Reads over a value.
     *
     * @param in from the value's first byte on; afterwards behind it
     * @param steps told of the lists in it that become hash tables
     * @return its hash as Kafka's generated classes count it; 0 for null and what is never part of a key
     * @throws RuntimeException if the bytes end before, or make no sense
     */
    int read(ByteBuffer in, HashSteps steps);

    /** Whether lists that become hash tables are in it. */
    default boolean hasTables() {
        return false;
    }

    /** Reads a number of seven bits a byte, the lowest first. */
    static int varint(ByteBuffer in) {
        int value = 0;
        for (int shift = 0; shift < Integer.SIZE; shift += 7) {
            int next = in.get();
            value |= (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new IllegalArgumentException("a number of more than five bytes");
    }

    private static void skip(ByteBuffer in, int bytes) {
        in.position(in.position() + Math.max(0, bytes));
    }

    /** A number or an id of so many bytes; none stands for a field that a version does not have. */
    record Fixed(int bytes) implements Shape {
        @Override
        public int read(ByteBuffer in, HashSteps steps) {
            return switch (bytes) {
                case 1 -> in.get();
                case 2 -> in.getShort();
                case 4 -> in.getInt();
                case 16 -> new Uuid(in.getLong(), in.getLong()).hashCode();
                default -> {
                    skip(in, bytes);
                    yield 0;
                }
            };
        }
    }

    /** A text; it is hashed only where that is needed. */
    record Text(boolean compact, boolean hashed) implements Shape {
        @Override
        public int read(ByteBuffer in, HashSteps steps) {
            int length = compact ? varint(in) - 1 : in.getShort();
            if (!hashed) {
                skip(in, length);
                return 0;
            }
            int start = in.position();
            int hash = 0;
            for (int i = 0; i < length; i++) {
                byte next = in.get();
                if (next < 0) {
                    return hashDecoded(in.position(start), length);
                }
                hash = 31 * hash + next;
            }
            return hash;
        }

        /** Different bytes can be the same text. */
        private static int hashDecoded(ByteBuffer in, int length) {
            if (length > Math.min(in.remaining(), Short.MAX_VALUE)) {
                throw new IllegalArgumentException("a text is longer than the request, or than any may be");
            }
            byte[] bytes = new byte[length];
            in.get(bytes);
            return new String(bytes, StandardCharsets.UTF_8).hashCode();
        }
    }

    /** Bytes, or records. */
    record Bytes(boolean compact) implements Shape {
        @Override
        public int read(ByteBuffer in, HashSteps steps) {
            skip(in, compact ? varint(in) - 1 : in.getInt());
            return 0;
        }
    }

    /** Fields that older readers do not know, each with its size. */
    record Tags() implements Shape {
        @Override
        public int read(ByteBuffer in, HashSteps steps) {
            for (int left = varint(in); left > 0; left--) {
                varint(in); // which
                skip(in, varint(in));
            }
            return 0;
        }
    }

    /** Fields one behind the other; the hash is made of those that are keys. */
    @SuppressWarnings("ArrayRecordComponent") // nobody compares them
    record Struct(boolean nullable, Shape[] fields, boolean[] keys) implements Shape {
        @Override
        public int read(ByteBuffer in, HashSteps steps) {
            if (nullable && in.get() < 0) {
                return 0;
            }
            int hash = 0;
            for (int i = 0; i < fields.length; i++) {
                int value = fields[i].read(in, steps);
                if (keys[i]) {
                    hash = 31 * hash + value;
                }
            }
            return hash;
        }

        @Override
        public boolean hasTables() {
            return Arrays.stream(fields).anyMatch(Shape::hasTables);
        }
    }

    /**
     * A list.
     *
     * @param hashed into which tables it goes, if it does
     */
    record Many(Shape element, boolean compact, HashedLists.@Nullable HashedList hashed) implements Shape {
        private static final int FEW = 32;

        @Override
        public int read(ByteBuffer in, HashSteps steps) {
            int count = count(in);
            if (hashed == null || count == 1) {
                for (int left = count; left > 0; left--) {
                    element.read(in, steps);
                }
            } else if (count > 1) {
                steps.onList(hashes(in, steps, count), count, hashed);
            }
            return 0;
        }

        /** Whether there is nothing to count in the list that begins here, which stays unread: it is too short for that. */
        boolean isHarmless(ByteBuffer in) {
            int start = in.position();
            boolean harmless = !element.hasTables() && count(in) <= FEW;
            in.position(start);
            return harmless;
        }

        /** Reads the elements, their number being read, and gives the hash of each. */
        int[] hashes(ByteBuffer in, HashSteps steps, int count) {
            int[] hashes = new int[Math.min(count, FEW)];
            for (int i = 0; i < count; i++) {
                steps.onElement();
                if (i == hashes.length) {
                    hashes = Arrays.copyOf(hashes, Math.min(count, 2 * i));
                }
                hashes[i] = element.read(in, steps);
            }
            return hashes;
        }

        /** Reads how many elements follow; none, or less, for null. */
        int count(ByteBuffer in) {
            int count = compact ? varint(in) - 1 : in.getInt();
            if (count > in.remaining()) {
                throw new IllegalArgumentException("a list is longer than the request");
            }
            return count;
        }

        @Override
        public boolean hasTables() {
            return hashed != null || element.hasTables();
        }
    }
}
