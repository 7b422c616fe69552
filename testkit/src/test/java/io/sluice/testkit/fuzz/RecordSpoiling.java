package io.sluice.testkit.fuzz;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32C;

/** Ways to spoil a record batch of magic 2 from inside. One thread. */
final class RecordSpoiling {
    private static final int LENGTH = 8;
    private static final int MAGIC = 16;
    private static final int CRC = 17;
    private static final int ATTRIBUTES = 21;
    private static final int LAST_OFFSET_DELTA = 23;
    private static final int FIRST_TIMESTAMP = 27;
    private static final int PRODUCER = 43;
    private static final int COUNT = 57;
    private static final int RECORDS = 61;
    private static final int BEFORE_LENGTH_ENDS = 12;
    private static final int[] ODD_INTS = {-1, 0, 1, 2, 1000, 1 << 20, Integer.MAX_VALUE, Integer.MIN_VALUE};

    private final Random random;

    RecordSpoiling(Random random) {
        this.random = random;
    }

    /** The first batch spoiled, what follows left out; its sum is right again in three of four cases. */
    byte[] spoil(byte[] records) {
        if (records.length <= RECORDS) {
            return records;
        }
        int end = Math.min(
                records.length, BEFORE_LENGTH_ENDS + ByteBuffer.wrap(records).getInt(LENGTH));
        byte[] batch = spoilOnce(Arrays.copyOf(records, Math.max(RECORDS + 1, end)));
        if (batch.length > ATTRIBUTES && random.nextInt(4) > 0) {
            CRC32C crc = new CRC32C();
            crc.update(batch, ATTRIBUTES, batch.length - ATTRIBUTES);
            ByteBuffer.wrap(batch).putInt(CRC, (int) crc.getValue());
        }
        return batch;
    }

    private byte[] spoilOnce(byte[] batch) {
        ByteBuffer view = ByteBuffer.wrap(batch);
        switch (random.nextInt(10)) {
            case 0 -> flip(batch, ATTRIBUTES, batch.length);
            case 1 -> flip(batch, ATTRIBUTES, RECORDS);
            // The records, or where they are compressed, what the codec reads.
            case 2, 3, 4 -> flip(batch, RECORDS, batch.length);
            case 5 -> view.putInt(COUNT, oddInt());
            case 6 -> view.putInt(LAST_OFFSET_DELTA, oddInt());
            case 7 -> view.putShort(ATTRIBUTES, (short) (view.getShort(ATTRIBUTES) ^ (1 << random.nextInt(7))));
            case 8 -> oddHeader(view);
            default -> {
                return withLength(Arrays.copyOf(batch, RECORDS + random.nextInt(batch.length - RECORDS)));
            }
        }
        return batch;
    }

    private void oddHeader(ByteBuffer view) {
        switch (random.nextInt(4)) {
            case 0 -> view.put(MAGIC, (byte) random.nextInt(4));
            case 1 -> view.putLong(FIRST_TIMESTAMP, random.nextBoolean() ? Long.MAX_VALUE : -1);
            case 2 -> view.putLong(PRODUCER, random.nextInt(5));
            default -> view.putInt(LENGTH, oddInt());
        }
    }

    private static byte[] withLength(byte[] batch) {
        ByteBuffer.wrap(batch).putInt(LENGTH, batch.length - BEFORE_LENGTH_ENDS);
        return batch;
    }

    private int oddInt() {
        return ODD_INTS[random.nextInt(ODD_INTS.length)];
    }

    private void flip(byte[] bytes, int from, int to) {
        for (int bits = 1 + random.nextInt(8); bits > 0; bits--) {
            bytes[from + random.nextInt(to - from)] ^= (byte) (1 << random.nextInt(8));
        }
    }
}
