package io.sluice.storage.local.content;

import io.netty.buffer.ByteBuf;
import io.sluice.storage.log.EpochEndOffset;
import java.util.Arrays;

/**
 * Where each leader epoch of a log began (KIP-101). Immutable entries in arrays that are replaced, so that every thread
 * may ask; changes are for one thread at a time.
 */
public final class EpochCache {
    private volatile Entries entries = new Entries(new int[0], new long[0]);

    @SuppressWarnings("ArrayRecordComponent") // never leaves this class, nobody compares two
    private record Entries(int[] epochs, long[] starts) {
        int size() {
            return epochs.length;
        }
    }

    /** The newest epoch, or -1. */
    public int latest() {
        Entries current = entries;
        return current.size() == 0 ? -1 : current.epochs[current.size() - 1];
    }

    /**
     * An epoch began at an offset; one that is not newer than the newest is known already and changes nothing. Epochs that
     * began there or later hold no record: theirs are lost, or there never were any.
     */
    public void onEpoch(int epoch, long startOffset) {
        if (epoch <= latest()) {
            return;
        }
        Entries current = entries;
        int keep = current.size();
        while (keep > 0 && current.starts[keep - 1] >= startOffset) {
            keep--;
        }
        int[] epochs = Arrays.copyOf(current.epochs, keep + 1);
        long[] starts = Arrays.copyOf(current.starts, keep + 1);
        epochs[keep] = epoch;
        starts[keep] = startOffset;
        entries = new Entries(epochs, starts);
    }

    /** The log begins later now: epochs that end below are forgotten. */
    public void onLogStart(long logStartOffset) {
        Entries current = entries;
        int first = 0;
        while (first + 1 < current.size() && current.starts[first + 1] <= logStartOffset) {
            first++;
        }
        if (first == 0 && (current.size() == 0 || current.starts[0] >= logStartOffset)) {
            return;
        }
        long[] starts = Arrays.copyOfRange(current.starts, first, current.size());
        starts[0] = Math.max(starts[0], logStartOffset);
        entries = new Entries(Arrays.copyOfRange(current.epochs, first, current.size()), starts);
    }

    /** The largest known epoch that is not above {@code epoch}, and where it ends. */
    public EpochEndOffset endOffsetFor(int epoch, long endOffset) {
        Entries current = entries;
        if (current.size() == 0 || epoch < 0 || epoch > current.epochs[current.size() - 1]) {
            return EpochEndOffset.UNKNOWN;
        }
        int at = floor(current, epoch);
        if (at < 0) {
            return new EpochEndOffset(epoch, current.starts[0]);
        }
        long end = at + 1 < current.size() ? current.starts[at + 1] : endOffset;
        return new EpochEndOffset(current.epochs[at], end);
    }

    /** The epoch under which the record at an offset was appended, or -1. */
    public int epochAt(long offset) {
        Entries current = entries;
        int at = Arrays.binarySearch(current.starts, offset);
        int index = at >= 0 ? at : -at - 2;
        return index < 0 ? -1 : current.epochs[index];
    }

    private static int floor(Entries entries, int epoch) {
        int at = Arrays.binarySearch(entries.epochs, epoch);
        return at >= 0 ? at : -at - 2;
    }

    void takeFrom(EpochCache other) {
        entries = other.entries;
    }

    void writeTo(ByteBuf out) {
        Entries current = entries;
        out.writeInt(current.size());
        for (int i = 0; i < current.size(); i++) {
            out.writeInt(current.epochs[i]).writeLong(current.starts[i]);
        }
    }

    void readFrom(ByteBuf in) {
        int count = in.readInt();
        int[] epochs = new int[count];
        long[] starts = new long[count];
        for (int i = 0; i < count; i++) {
            epochs[i] = in.readInt();
            starts[i] = in.readLong();
        }
        entries = new Entries(epochs, starts);
    }
}
