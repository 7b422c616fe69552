package io.sluice.base.id;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Base64;

/**
 * A topic's identity (KIP-516): 128 random bits, never used again after the topic is deleted. Written as Kafka writes
 * it, 22 characters of URL-safe Base64 without padding.
 */
public record TopicId(long mostSignificantBits, long leastSignificantBits) implements Comparable<TopicId> {
    /** Kafka's "no id". */
    public static final TopicId ZERO = new TopicId(0, 0);

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final TopicId METADATA_TOPIC = new TopicId(0, 1);

    /** A new random id that is none of Kafka's reserved ones and does not start with a dash. */
    public static TopicId random() {
        while (true) {
            TopicId id = new TopicId(RANDOM.nextLong(), RANDOM.nextLong());
            if (!id.equals(ZERO) && !id.equals(METADATA_TOPIC) && !id.toString().startsWith("-")) {
                return id;
            }
        }
    }

    /**
     * Reads what {@link #toString()} wrote.
     *
     * @throws IllegalArgumentException if the text is not 16 bytes of URL-safe Base64
     */
    public static TopicId parse(String text) {
        byte[] bytes = Base64.getUrlDecoder().decode(text);
        if (bytes.length != 2 * Long.BYTES) {
            throw new IllegalArgumentException("a topic id has 16 bytes, but '" + text + "' holds " + bytes.length);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new TopicId(buffer.getLong(), buffer.getLong());
    }

    @Override
    public int compareTo(TopicId other) {
        int byHigh = Long.compare(mostSignificantBits, other.mostSignificantBits);
        return byHigh != 0 ? byHigh : Long.compare(leastSignificantBits, other.leastSignificantBits);
    }

    @Override
    public String toString() {
        ByteBuffer buffer = ByteBuffer.allocate(2 * Long.BYTES);
        buffer.putLong(mostSignificantBits).putLong(leastSignificantBits);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(buffer.array());
    }
}
