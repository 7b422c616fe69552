package io.sluice.storage.local.producer;

import io.netty.buffer.ByteBuf;
import io.sluice.storage.log.ProducerSnapshot;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One idempotent producer (KIP-98): its epoch, its last five batches, against which a resend is recognised, and the
 * transaction it has open. A producer keeps at most five requests in flight, so five are enough.
 */
final class ProducerEntry {
    static final int REMEMBERED_BATCHES = 5;
    static final short NO_EPOCH = -1;
    static final int NO_SEQUENCE = -1;
    static final long NO_OFFSET = -1;

    private static final int FIXED_BYTES = 4 * Long.BYTES + Short.BYTES + Integer.BYTES + 1;
    private static final int WORDS = 3;
    private static final int LAST_OFFSET = 0;
    private static final int TIMESTAMP = 1;
    private static final int SEQUENCE_AND_DELTA = 2;

    /** Neighbours in the order of use; kept by {@link ProducerStates}. */
    @Nullable ProducerEntry older;

    @Nullable ProducerEntry newer;

    private final long producerId;
    private short epoch = NO_EPOCH;
    private int coordinatorEpoch = -1;
    private long lastTimestamp = -1;
    private long lastSeenMillis = -1;
    private long transactionStart = NO_OFFSET;
    private int batchCount;
    /** Oldest first; three words each: last offset, timestamp, last sequence and offset delta. */
    private long[] batches = new long[0];

    ProducerEntry(long producerId) {
        this.producerId = producerId;
    }

    long producerId() {
        return producerId;
    }

    short epoch() {
        return epoch;
    }

    int coordinatorEpoch() {
        return coordinatorEpoch;
    }

    /** When it was heard of last, on the clock that retention uses. */
    long lastSeenMillis() {
        return lastSeenMillis;
    }

    /** First offset of the open transaction, or {@link #NO_OFFSET}. */
    long transactionStart() {
        return transactionStart;
    }

    int batchCount() {
        return batchCount;
    }

    boolean hasBatches() {
        return batchCount > 0;
    }

    int lastSequence() {
        return batchCount == 0 ? NO_SEQUENCE : sequence(batchCount - 1);
    }

    /** Index of the remembered batch with this epoch and these sequence numbers, or -1. */
    int find(short batchEpoch, int firstSequence, int lastSequence) {
        if (batchEpoch != epoch) {
            return -1;
        }
        for (int i = 0; i < batchCount; i++) {
            if (sequence(i) == lastSequence && firstSequence(i) == firstSequence) {
                return i;
            }
        }
        return -1;
    }

    long lastOffset(int index) {
        return batches[index * WORDS + LAST_OFFSET];
    }

    long baseOffset(int index) {
        return lastOffset(index) - delta(index);
    }

    long timestamp(int index) {
        return batches[index * WORDS + TIMESTAMP];
    }

    private int sequence(int index) {
        return (int) (batches[index * WORDS + SEQUENCE_AND_DELTA] >>> Integer.SIZE);
    }

    private int delta(int index) {
        return (int) batches[index * WORDS + SEQUENCE_AND_DELTA];
    }

    private int firstSequence(int index) {
        return (sequence(index) - delta(index)) & Integer.MAX_VALUE;
    }

    /** Takes note of a batch of data. A new epoch forgets the batches of the old one. */
    void onBatch(short batchEpoch, int lastSequence, int offsetDelta, long lastOffset, long timestamp) {
        toEpoch(batchEpoch);
        if (batches.length == 0) {
            batches = new long[REMEMBERED_BATCHES * WORDS];
        }
        if (batchCount == REMEMBERED_BATCHES) {
            System.arraycopy(batches, WORDS, batches, 0, (REMEMBERED_BATCHES - 1) * WORDS);
            batchCount--;
        }
        int at = batchCount * WORDS;
        batches[at + LAST_OFFSET] = lastOffset;
        batches[at + TIMESTAMP] = timestamp;
        batches[at + SEQUENCE_AND_DELTA] = ((long) lastSequence << Integer.SIZE) | (offsetDelta & 0xffff_ffffL);
        batchCount++;
        lastTimestamp = timestamp;
    }

    /** Takes note of a transaction marker. */
    void onMarker(short markerEpoch, int markerCoordinatorEpoch, long timestamp) {
        toEpoch(markerEpoch);
        transactionStart = NO_OFFSET;
        coordinatorEpoch = markerCoordinatorEpoch;
        lastTimestamp = timestamp;
    }

    void onTransactionStart(long firstOffset) {
        transactionStart = firstOffset;
    }

    void onSeen(long nowMillis) {
        lastSeenMillis = nowMillis;
    }

    private void toEpoch(short newEpoch) {
        if (epoch != newEpoch) {
            epoch = newEpoch;
            batchCount = 0;
        }
    }

    ProducerSnapshot snapshot() {
        return new ProducerSnapshot(
                producerId, epoch, lastSequence(), lastTimestamp, coordinatorEpoch, transactionStart);
    }

    /** How many bytes {@link #writeTo} writes. */
    int sizeInBytes() {
        return FIXED_BYTES + batchCount * WORDS * Long.BYTES;
    }

    void writeTo(ByteBuf out) {
        out.writeLong(producerId)
                .writeShort(epoch)
                .writeInt(coordinatorEpoch)
                .writeLong(lastTimestamp)
                .writeLong(lastSeenMillis)
                .writeLong(transactionStart)
                .writeByte(batchCount);
        for (int i = 0; i < batchCount * WORDS; i++) {
            out.writeLong(batches[i]);
        }
    }

    static ProducerEntry readFrom(ByteBuf in) {
        ProducerEntry entry = new ProducerEntry(in.readLong());
        entry.epoch = in.readShort();
        entry.coordinatorEpoch = in.readInt();
        entry.lastTimestamp = in.readLong();
        entry.lastSeenMillis = in.readLong();
        entry.transactionStart = in.readLong();
        entry.batchCount = in.readByte();
        if (entry.batchCount > 0) {
            entry.batches = new long[REMEMBERED_BATCHES * WORDS];
        }
        for (int i = 0; i < entry.batchCount * WORDS; i++) {
            entry.batches[i] = in.readLong();
        }
        return entry;
    }

    @Override
    public String toString() {
        return "ProducerEntry(" + producerId + "/" + epoch + ", sequence " + lastSequence() + ", transaction from "
                + transactionStart + ", batches " + Arrays.toString(Arrays.copyOf(batches, batchCount * WORDS)) + ")";
    }
}
