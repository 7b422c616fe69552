package io.sluice.testkit.crash;

import java.nio.ByteBuffer;
import java.util.Random;

/**
 * A record of the load: who sent it, where, and which one of its sender's to that partition it is.
 *
 * @param sequence from 0, without gaps
 */
record LoadRecord(int producer, int partition, long sequence) {
    private static final int HEADER_BYTES = 2 * Integer.BYTES + Long.BYTES;

    /** The value to send, filled up with random bytes. */
    byte[] toValue(Random random, int fillBytes) {
        byte[] value = new byte[HEADER_BYTES + fillBytes];
        random.nextBytes(value);
        ByteBuffer.wrap(value).putInt(producer).putInt(partition).putLong(sequence);
        return value;
    }

    static LoadRecord ofValue(byte[] value) {
        ByteBuffer buffer = ByteBuffer.wrap(value);
        return new LoadRecord(buffer.getInt(), buffer.getInt(), buffer.getLong());
    }
}
