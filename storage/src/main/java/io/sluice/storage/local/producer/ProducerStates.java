package io.sluice.storage.local.producer;

import io.netty.buffer.ByteBuf;
import io.sluice.protocol.record.BatchView;
import io.sluice.storage.local.aborted.AbortedChunks;
import io.sluice.storage.local.aborted.ChunkCache;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.AppendResult.Refusal;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.ProducerSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The producers of one log, by Kafka's rules: {@link #check} decides about a batch and changes nothing, {@link #apply}
 * takes note of one that has its place. For the thread that holds the log's append lock.
 *
 * <p>They are bounded ({@link ProducerLimit}): a new producer takes the place of the one that was heard of longest ago and has no transaction open.
 * To a producer that was forgotten happens what Kafka does with one that has expired: its next batch is taken as it comes,
 * and only a resend of an earlier one is no longer recognised. Producers with an open transaction are never forgotten and
 * may pass the bound. Kafka itself has no such bound, only the expiration.
 */
public final class ProducerStates {
    /** Slots below which the map is not worth shrinking. */
    private static final int SMALL_MAP = 64;

    private static final int SPARSE = 8;

    private final TransactionIndex transactions;
    private final Verifications verifications;
    private final ProducerLimit limit;
    private @Nullable Long2ObjectHashMap<ProducerEntry> entries;
    private @Nullable ProducerEntry oldest;
    private @Nullable ProducerEntry newest;
    private long dropped;

    /** None yet, and at most the default. */
    public ProducerStates() {
        this(new ProducerLimit(ProducerLimit.DEFAULT_OF_LOG, ProducerLimit.DEFAULT_OF_NODE));
    }

    /**
     * None yet.
     *
     * @param limit how many are remembered; they count towards it
     */
    public ProducerStates(ProducerLimit limit) {
        this(limit, ChunkCache.BLOCK_ENTRIES);
    }

    /**
     * None yet.
     *
     * @param limit how many are remembered; they count towards it
     * @param blockEntries aborted transactions in each block of the heap
     */
    public ProducerStates(ProducerLimit limit, int blockEntries) {
        this.limit = limit;
        this.transactions = new TransactionIndex(blockEntries);
        this.verifications = new Verifications(limit);
    }

    /** Open and aborted transactions; may be asked on every thread. */
    public TransactionIndex transactions() {
        return transactions;
    }

    /** How many producers are known. */
    public int size() {
        return entries == null ? 0 : entries.size();
    }

    /** How many were forgotten to make room for others because this log had too many. */
    public long dropped() {
        return dropped;
    }

    /**
     * Whether a producer's transaction has to be verified before a batch of it is taken.
     *
     * @return as {@link PartitionLog#beginVerification} does
     */
    public long beginVerification(
            long producerId, short epoch, int firstSequence, boolean raisesEpoch, long nowMillis) {
        ProducerEntry entry = find(producerId);
        if (entry != null && epoch < entry.epoch()) {
            return PartitionLog.STALE_EPOCH;
        }
        return hasOpenTransaction(entry, epoch)
                ? PartitionLog.NO_GUARD
                : verifications.begin(producerId, epoch, firstSequence, raisesEpoch, nowMillis);
    }

    /** A verification was refused for good. */
    public void endVerification(long producerId, long guard) {
        verifications.end(producerId, guard);
    }

    /** Forgets verifications begun before that have come to nothing. */
    public void expireVerifications(long beforeMillis) {
        verifications.expire(beforeMillis);
    }

    private static boolean hasOpenTransaction(@Nullable ProducerEntry entry, short epoch) {
        return entry != null && entry.transactionStart() >= 0 && entry.epoch() == epoch;
    }

    /**
     * Decides about a batch before it gets its place.
     *
     * @param guard of its verification
     * @return null when it may be appended, else a {@link AppendResult.Duplicate} or {@link AppendResult.Refused}
     */
    public @Nullable AppendResult check(BatchView batch, AppendOrigin origin, long guard) {
        if (!batch.hasProducerId()) {
            return batch.isTransactional()
                    ? refuse(Refusal.INVALID_TRANSACTION_STATE, batch, "a transaction has a producer")
                    : null;
        }
        ProducerEntry entry = find(batch.producerId());
        if (batch.isControl()) {
            return entry == null ? null : checkMarker(batch, entry, origin);
        }
        boolean client = origin == AppendOrigin.CLIENT;
        AppendResult duplicate = entry == null || !client ? null : duplicateOf(batch, entry);
        if (duplicate != null) {
            return duplicate;
        }
        if (entry != null && batch.producerEpoch() < entry.epoch()) {
            return refuse(Refusal.INVALID_PRODUCER_EPOCH, batch, "its epoch is older than " + entry.epoch());
        }
        if (batch.isTransactional()
                && !hasOpenTransaction(entry, batch.producerEpoch())
                && !verifications.isCurrent(batch.producerId(), guard)) {
            return refuse(
                    Refusal.INVALID_TRANSACTION_STATE,
                    batch,
                    "the transaction was not verified, or has ended since it was");
        }
        return client ? checkClient(batch, entry) : null;
    }

    private static @Nullable AppendResult duplicateOf(BatchView batch, ProducerEntry entry) {
        int duplicate = entry.find(batch.producerEpoch(), batch.baseSequence(), batch.lastSequence());
        return duplicate < 0
                ? null
                : new AppendResult.Duplicate(
                        entry.baseOffset(duplicate), entry.lastOffset(duplicate), entry.timestamp(duplicate));
    }

    private @Nullable AppendResult checkClient(BatchView batch, @Nullable ProducerEntry entry) {
        AppendResult refused = checkVerifiedSequence(batch, entry);
        if (refused != null || entry == null) {
            return refused;
        }
        refused = checkSequence(batch, entry);
        if (refused != null) {
            return refused;
        }
        if (entry.transactionStart() >= 0 && !batch.isTransactional()) {
            return refuse(
                    Refusal.INVALID_TRANSACTION_STATE,
                    batch,
                    "it has a transaction open from offset " + entry.transactionStart() + ", the batch has none");
        }
        return null;
    }

    /** What was sent before, and has to be sent again, comes before what was sent behind it. */
    private @Nullable AppendResult checkVerifiedSequence(BatchView batch, @Nullable ProducerEntry entry) {
        int first = batch.baseSequence();
        int lowest = verifications.lowestSequence(batch.producerId());
        boolean unknown = entry == null || !entry.hasBatches();
        if (first > lowest || (first != 0 && unknown && verifications.raisesEpoch(batch.producerId()))) {
            return refuse(
                    Refusal.OUT_OF_ORDER_SEQUENCE,
                    batch,
                    "the transaction's first batch is still to come, this one begins with sequence " + first);
        }
        return null;
    }

    private static @Nullable AppendResult checkSequence(BatchView batch, ProducerEntry entry) {
        int first = batch.baseSequence();
        if (batch.producerEpoch() != entry.epoch()) {
            return first == 0 || entry.epoch() == ProducerEntry.NO_EPOCH
                    ? null
                    : refuse(
                            Refusal.OUT_OF_ORDER_SEQUENCE,
                            batch,
                            "a new epoch begins with sequence 0, the batch begins with " + first);
        }
        int last = entry.lastSequence();
        int expected = last == Integer.MAX_VALUE ? 0 : last + 1;
        return first == expected
                ? null
                : refuse(
                        Refusal.OUT_OF_ORDER_SEQUENCE,
                        batch,
                        "sequence " + expected + " was expected, the batch begins with " + first);
    }

    private static @Nullable AppendResult checkMarker(BatchView batch, ProducerEntry entry, AppendOrigin origin) {
        TransactionMarker marker = TransactionMarker.read(batch);
        if (marker.kind() == TransactionMarker.Kind.OTHER) {
            return null;
        }
        if (batch.producerEpoch() < entry.epoch()) {
            return refuse(Refusal.INVALID_PRODUCER_EPOCH, batch, "its epoch is older than " + entry.epoch());
        }
        if (marker.coordinatorEpoch() < entry.coordinatorEpoch()) {
            return refuse(
                    Refusal.COORDINATOR_FENCED,
                    batch,
                    "coordinator epoch " + marker.coordinatorEpoch() + " is older than " + entry.coordinatorEpoch());
        }
        // Told apart from a later epoch: there nothing can be open that this one ends, here something is.
        if (origin == AppendOrigin.RAISED_MARKER
                && batch.producerEpoch() == entry.epoch()
                && entry.transactionStart() >= 0) {
            return refuse(
                    Refusal.INVALID_TRANSACTION_STATE,
                    batch,
                    "it ends a transaction before the one that is open under this epoch from offset "
                            + entry.transactionStart());
        }
        return null;
    }

    private static AppendResult refuse(Refusal reason, BatchView batch, String why) {
        return new AppendResult.Refused(
                reason, "producer " + batch.producerId() + " epoch " + batch.producerEpoch() + ": " + why);
    }

    /**
     * Takes note of a batch that has its place: on append and on replay.
     *
     * @param batch with its final offsets
     * @param nowMillis from when on the producer may be forgotten
     */
    public void apply(BatchView batch, long nowMillis) {
        if (!batch.hasProducerId()) {
            return;
        }
        ProducerEntry entry = obtain(batch.producerId());
        entry.onSeen(nowMillis);
        verifications.end(batch.producerId());
        if (batch.isControl()) {
            applyMarker(batch, entry);
        } else {
            applyData(batch, entry);
        }
    }

    private void applyData(BatchView batch, ProducerEntry entry) {
        entry.onBatch(
                batch.producerEpoch(),
                batch.lastSequence(),
                batch.lastOffsetDelta(),
                batch.lastOffset(),
                batch.maxTimestamp());
        if (batch.isTransactional() && entry.transactionStart() < 0) {
            entry.onTransactionStart(batch.baseOffset());
            transactions.onStart(batch.baseOffset(), batch.producerId());
        }
    }

    private void applyMarker(BatchView batch, ProducerEntry entry) {
        TransactionMarker marker = TransactionMarker.read(batch);
        if (marker.kind() == TransactionMarker.Kind.OTHER) {
            return;
        }
        long start = entry.transactionStart();
        entry.onMarker(batch.producerEpoch(), marker.coordinatorEpoch(), batch.maxTimestamp());
        if (start >= 0) {
            boolean commit = marker.kind() == TransactionMarker.Kind.COMMIT;
            transactions.onEnd(start, batch.producerId(), batch.lastOffset(), commit);
        }
    }

    /** Forgets producers not heard of since {@code before} that have no transaction open. */
    public void expire(long beforeMillis) {
        ProducerEntry entry = oldest;
        while (entry != null) {
            ProducerEntry next = entry.newer;
            if (entry.lastSeenMillis() < beforeMillis && entry.transactionStart() < 0) {
                forget(entry);
            }
            entry = next;
        }
        shrink();
    }

    /** Tells when each that may be forgotten was heard of last. */
    public void forEachIdle(LongConsumer lastSeenMillis) {
        for (ProducerEntry entry = oldest; entry != null; entry = entry.newer) {
            if (entry.transactionStart() < 0) {
                lastSeenMillis.accept(entry.lastSeenMillis());
            }
        }
    }

    /**
     * Forgets producers not heard of after a time that have no transaction open.
     *
     * @param most how many at most
     * @return how many
     */
    public int forgetIdle(long untilMillis, int most) {
        int forgotten = 0;
        ProducerEntry entry = oldest;
        while (entry != null && forgotten < most) {
            ProducerEntry next = entry.newer;
            if (entry.lastSeenMillis() <= untilMillis && entry.transactionStart() < 0) {
                forget(entry);
                forgotten++;
            }
            entry = next;
        }
        shrink();
        return forgotten;
    }

    /** Forgets all of them: the log is gone. */
    public void clear() {
        limit.onForgotten(size());
        verifications.clear();
        entries = null;
        oldest = null;
        newest = null;
    }

    /** Once many are gone, the memory of their map goes, too. */
    private void shrink() {
        if (entries != null && entries.isEmpty()) {
            entries = null;
        } else if (entries != null && entries.capacity() > SMALL_MAP && size() < entries.capacity() / SPARSE) {
            entries.compact();
        }
    }

    /** All of them, the one heard of longest ago first. */
    public List<ProducerSnapshot> snapshots() {
        List<ProducerSnapshot> snapshots = new ArrayList<>(size());
        for (ProducerEntry entry = oldest; entry != null; entry = entry.newer) {
            snapshots.add(entry.snapshot());
        }
        return snapshots;
    }

    /** How many bytes {@link #writeTo} writes. */
    public int sizeInBytes() {
        int bytes = Integer.BYTES + transactions.aborted().sizeInBytes();
        for (ProducerEntry entry = oldest; entry != null; entry = entry.newer) {
            bytes += entry.sizeInBytes();
        }
        return bytes;
    }

    /** Writes everything, in the order of use; docs/formats/catalogue.md has the layout. */
    public void writeTo(ByteBuf out) {
        out.writeInt(size());
        for (ProducerEntry entry = oldest; entry != null; entry = entry.newer) {
            entry.writeTo(out);
        }
        transactions.aborted().writeTo(out);
    }

    /**
     * Reads into an empty state what {@link #writeTo} wrote.
     *
     * @param files of aborted transactions
     * @param withChunks whether such files are named, as in all but records of catalogues of format 2
     */
    public void readFrom(ByteBuf in, AbortedChunks files, boolean withChunks) {
        int count = in.readInt();
        for (int i = 0; i < count; i++) {
            ProducerEntry entry = ProducerEntry.readFrom(in);
            map().put(entry.producerId(), entry);
            linkNewest(entry);
            limit.onAdded();
            if (entry.transactionStart() >= 0) {
                transactions.onStart(entry.transactionStart(), entry.producerId());
            }
        }
        transactions.aborted().readFrom(in, files, withChunks);
    }

    private @Nullable ProducerEntry find(long producerId) {
        return entries == null ? null : entries.get(producerId);
    }

    private ProducerEntry obtain(long producerId) {
        ProducerEntry entry = find(producerId);
        if (entry == null) {
            makeRoom();
            entry = new ProducerEntry(producerId);
            map().put(producerId, entry);
            limit.onAdded();
        } else {
            unlink(entry);
        }
        linkNewest(entry);
        return entry;
    }

    private void makeRoom() {
        while (size() >= limit.ofLog() && forgetOldest()) {
            dropped++;
        }
        if (limit.isFarPassed() && forgetOldest()) {
            limit.onDropped();
        }
    }

    private boolean forgetOldest() {
        ProducerEntry entry = oldest;
        while (entry != null && entry.transactionStart() >= 0) {
            entry = entry.newer;
        }
        if (entry == null) {
            return false;
        }
        forget(entry);
        return true;
    }

    private void forget(ProducerEntry entry) {
        map().remove(entry.producerId());
        unlink(entry);
        limit.onForgotten(1);
    }

    private void linkNewest(ProducerEntry entry) {
        entry.older = newest;
        entry.newer = null;
        if (newest == null) {
            oldest = entry;
        } else {
            newest.newer = entry;
        }
        newest = entry;
    }

    private void unlink(ProducerEntry entry) {
        ProducerEntry before = entry.older;
        ProducerEntry after = entry.newer;
        if (before == null) {
            oldest = after;
        } else {
            before.newer = after;
        }
        if (after == null) {
            newest = before;
        } else {
            after.older = before;
        }
    }

    private Long2ObjectHashMap<ProducerEntry> map() {
        if (entries == null) {
            entries = new Long2ObjectHashMap<>(2, 0.65f);
        }
        return entries;
    }
}
