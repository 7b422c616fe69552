package io.sluice.storage.local.cleaner;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * The newest offset of each key, in memory of a fixed size: keys are kept as 128-bit hashes (MD5), so that the map does not
 * grow with them; that two of a log's keys share one is less likely than a disk that errs. For one thread.
 */
public final class KeyMap {
    private static final int WORDS = 3;
    private static final double MAX_LOAD = 0.75;
    /** One for a key and a free one where every search ends. */
    private static final int MIN_SLOTS = 2;

    private static final long NOT_FOUND = -1;

    private final long[] slots;
    private final int slotCount;
    private final int limit;
    private final MessageDigest digest = md5();
    private final byte[] hash = new byte[16];
    private long[] undo = new long[64];
    private int undoLength;
    private int size;
    private long high;
    private long low;

    /**
     * An empty map.
     *
     * @param bytes memory it may take; 24 bytes for each slot, of which three quarters are used
     * @param maxKeys how many keys may come: where that is less than there is memory for, it takes less
     */
    public KeyMap(int bytes, long maxKeys) {
        long wanted = (long) Math.ceil(maxKeys / MAX_LOAD) + 1;
        slotCount = (int) Math.max(MIN_SLOTS, Math.min(wanted, bytes / (WORDS * Long.BYTES)));
        slots = new long[slotCount * WORDS];
        limit = (int) (slotCount * MAX_LOAD);
    }

    private static MessageDigest md5() {
        try {
            return MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has MD5", e);
        }
    }

    /** Keys in it. */
    public int size() {
        return size;
    }

    /** Whether no more keys fit. */
    public boolean isFull() {
        return size >= limit;
    }

    /** How many keys fit. */
    int limit() {
        return limit;
    }

    /**
     * Notes the offset of a key; offsets of one key come in rising order.
     *
     * @return false if the key is new and there is no room
     */
    public boolean put(ByteBuf bytes, int index, int length, long offset) {
        int slot = find(bytes, index, length);
        if (slots[slot + 2] == 0) {
            if (isFull()) {
                return false;
            }
            slots[slot] = high;
            slots[slot + 1] = low;
            size++;
        }
        noteForUndo(slot, slots[slot + 2]);
        slots[slot + 2] = offset + 1;
        return true;
    }

    /** From here on {@link #undo} takes back what {@link #put} does. */
    public void mark() {
        undoLength = 0;
    }

    private void noteForUndo(int slot, long before) {
        if (undoLength == undo.length) {
            undo = Arrays.copyOf(undo, 2 * undo.length);
        }
        undo[undoLength++] = slot;
        undo[undoLength++] = before;
    }

    /** Takes back everything since the last {@link #mark}. In reverse order, so that no key is left behind a free slot. */
    public void undo() {
        while (undoLength > 0) {
            long before = undo[--undoLength];
            slots[(int) undo[--undoLength] + 2] = before;
            size -= before == 0 ? 1 : 0;
        }
    }

    /** The newest offset of a key, or -1 where it is not in the map. */
    public long get(ByteBuf bytes, int index, int length) {
        int slot = find(bytes, index, length);
        return slots[slot + 2] == 0 ? NOT_FOUND : slots[slot + 2] - 1;
    }

    /** The slot that holds a key, or the free one where it belongs. Offsets are kept one larger, so that 0 is free. */
    private int find(ByteBuf bytes, int index, int length) {
        computeHash(bytes, index, length);
        int at = (int) Math.floorMod(low, (long) slotCount);
        while (true) {
            int slot = at * WORDS;
            if (slots[slot + 2] == 0 || (slots[slot] == high && slots[slot + 1] == low)) {
                return slot;
            }
            at = at + 1 == slotCount ? 0 : at + 1;
        }
    }

    private void computeHash(ByteBuf bytes, int index, int length) {
        digest.reset();
        if (length > 0) {
            digest.update(bytes.nioBuffer(index, length));
        }
        try {
            digest.digest(hash, 0, hash.length);
        } catch (java.security.DigestException e) {
            throw new IllegalStateException("16 bytes hold an MD5", e);
        }
        ByteBuffer words = ByteBuffer.wrap(hash);
        high = words.getLong();
        low = words.getLong();
    }
}
