package io.sluice.storage.local.cleaner;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * The newest offset of each key, in memory of a fixed size: keys are kept as 128-bit hashes (MD5), so that the map does not
 * grow with them; that two of a log's keys share one is less likely than a disk that errs. The memory is direct: in the heap it
 * would fill so much of it that the collector marks all the time while a log is cleaned. For one thread.
 */
public final class KeyMap implements AutoCloseable {
    private static final int WORD_BYTES = Long.BYTES;
    private static final int SLOT_BYTES = 3 * WORD_BYTES;
    /** In a slot, after the two words of the hash: the offset and one, 0 where the slot is free. */
    private static final int OFFSET_AT = 2 * WORD_BYTES;

    private static final double MAX_LOAD = 0.75;
    /** One for a key and a free one where every search ends. */
    private static final int MIN_SLOTS = 2;

    private static final long NOT_FOUND = -1;

    private final ByteBuf slots;
    private final int slotCount;
    private final int limit;
    private final MessageDigest digest = md5();
    private final byte[] hash = new byte[16];
    private final ByteBuffer hashWords = ByteBuffer.wrap(hash);
    private final byte[] key = new byte[128];
    private long[] undo = new long[64];
    private int undoLength;
    private int size;
    private long high;
    private long low;

    /**
     * An empty map.
     *
     * @param allocator gives the memory
     * @param bytes memory it may take; 24 bytes for each slot, of which three quarters are used
     * @param maxKeys how many keys may come: where that is less than there is memory for, it takes less
     * @throws io.sluice.base.memory.MemoryExhaustedException where there is no memory
     */
    public KeyMap(ByteBufAllocator allocator, int bytes, long maxKeys) {
        long wanted = (long) Math.ceil(maxKeys / MAX_LOAD) + 1;
        slotCount = (int) Math.max(MIN_SLOTS, Math.min(wanted, bytes / SLOT_BYTES));
        slots = allocator.directBuffer(slotCount * SLOT_BYTES, slotCount * SLOT_BYTES);
        slots.setZero(0, slots.capacity());
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
        long before = slots.getLong(slot + OFFSET_AT);
        if (before == 0) {
            if (isFull()) {
                return false;
            }
            slots.setLong(slot, high);
            slots.setLong(slot + WORD_BYTES, low);
            size++;
        }
        noteForUndo(slot, before);
        slots.setLong(slot + OFFSET_AT, offset + 1);
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
            slots.setLong((int) undo[--undoLength] + OFFSET_AT, before);
            size -= before == 0 ? 1 : 0;
        }
    }

    /** The newest offset of a key, or -1 where it is not in the map. */
    public long get(ByteBuf bytes, int index, int length) {
        int slot = find(bytes, index, length);
        long offset = slots.getLong(slot + OFFSET_AT);
        return offset == 0 ? NOT_FOUND : offset - 1;
    }

    /** Where the slot begins that holds a key, or the free one where it belongs. */
    private int find(ByteBuf bytes, int index, int length) {
        computeHash(bytes, index, length);
        int at = (int) Math.floorMod(low, (long) slotCount);
        while (true) {
            int slot = at * SLOT_BYTES;
            boolean found = slots.getLong(slot + OFFSET_AT) == 0
                    || (slots.getLong(slot) == high && slots.getLong(slot + WORD_BYTES) == low);
            if (found) {
                return slot;
            }
            at = at + 1 == slotCount ? 0 : at + 1;
        }
    }

    private void computeHash(ByteBuf bytes, int index, int length) {
        digest.reset();
        for (int done = 0; done < length; done += key.length) {
            int part = Math.min(key.length, length - done);
            bytes.getBytes(index + done, key, 0, part);
            digest.update(key, 0, part);
        }
        try {
            digest.digest(hash, 0, hash.length);
        } catch (DigestException e) {
            throw new IllegalStateException("16 bytes hold an MD5", e);
        }
        high = hashWords.getLong(0);
        low = hashWords.getLong(WORD_BYTES);
    }

    /** Gives the memory back. */
    @Override
    public void close() {
        slots.release();
    }
}
