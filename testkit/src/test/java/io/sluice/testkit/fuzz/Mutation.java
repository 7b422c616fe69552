package io.sluice.testkit.fuzz;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Ways to spoil a frame. One thread. */
final class Mutation {
    private static final int[] BAD_INTS = {
        -1, 0, 1, Integer.MAX_VALUE, Integer.MIN_VALUE, 1 << 20, 1 << 27, 0x00ffffff, 0x7f7f7f7f
    };
    private static final int MAX_GARBAGE_BYTES = 300;

    private final Random random;
    private final List<byte[]> corpus;

    Mutation(Random random, List<byte[]> corpus) {
        this.random = random;
        this.corpus = corpus;
    }

    /** A frame with its size in front: mostly a spoiled request, sometimes garbage, sometimes with a size that lies. */
    byte[] next() {
        byte[] content = random.nextInt(20) == 0 ? garbage() : spoiled(pick().clone());
        int size = random.nextInt(50) == 0 ? lie(content.length) : content.length;
        return ByteBuffer.allocate(Integer.BYTES + content.length)
                .putInt(size)
                .put(content)
                .array();
    }

    private byte[] spoiled(byte[] frame) {
        byte[] result = frame;
        for (int times = 1 + random.nextInt(3); times > 0; times--) {
            result = spoiledOnce(result);
        }
        return result;
    }

    private byte[] spoiledOnce(byte[] frame) {
        if (frame.length < Long.BYTES) {
            return garbage();
        }
        return switch (random.nextInt(8)) {
            case 0 -> flipped(frame);
            case 1 -> Arrays.copyOf(frame, random.nextInt(frame.length));
            case 2 -> Arrays.copyOf(frame, frame.length + random.nextInt(MAX_GARBAGE_BYTES));
            case 3, 4 -> withBadInt(frame);
            case 5 -> withBadByte(frame);
            case 6 -> spliced(frame, pick());
            default -> withVersion(frame);
        };
    }

    private byte[] flipped(byte[] frame) {
        for (int bits = 1 + random.nextInt(8); bits > 0; bits--) {
            frame[random.nextInt(frame.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return frame;
    }

    private byte[] withBadInt(byte[] frame) {
        int at = random.nextInt(frame.length - Integer.BYTES + 1);
        ByteBuffer.wrap(frame).putInt(at, BAD_INTS[random.nextInt(BAD_INTS.length)]);
        return frame;
    }

    private byte[] withBadByte(byte[] frame) {
        frame[random.nextInt(frame.length)] = (byte) (random.nextBoolean() ? 0xff : random.nextInt(256));
        return frame;
    }

    /** Another version of the same API: the body is read by another schema. */
    private byte[] withVersion(byte[] frame) {
        ByteBuffer.wrap(frame).putShort(Short.BYTES, (short) random.nextInt(20));
        return frame;
    }

    private byte[] spliced(byte[] head, byte[] tail) {
        int cut = random.nextInt(head.length);
        int from = random.nextInt(Math.max(1, tail.length));
        byte[] result = Arrays.copyOf(head, cut + tail.length - from);
        System.arraycopy(tail, from, result, cut, tail.length - from);
        return result;
    }

    private byte[] garbage() {
        byte[] bytes = new byte[random.nextInt(MAX_GARBAGE_BYTES)];
        random.nextBytes(bytes);
        return bytes;
    }

    private int lie(int size) {
        return random.nextBoolean()
                ? BAD_INTS[random.nextInt(BAD_INTS.length)]
                : Math.max(0, size + random.nextInt(20) - 10);
    }

    private byte[] pick() {
        return corpus.get(random.nextInt(corpus.size()));
    }
}
