package io.sluice.coordinator.share;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * What of a share partition is kept, and the one write at a time that brings it up to date: what changes meanwhile goes together
 * into the next one. Under its owner's lock but for {@link #answer} and {@link #answerLater}; the owner makes the writes, without
 * the lock.
 */
final class StateKeeping {
    /** How long a member waits for certainty after a write that may have been kept. */
    private static final long DOUBT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final SettlementQueue queue = new SettlementQueue();
    private final SharePartition.Time time;
    private int stateEpoch;
    private long startOffset = SharePartitionStore.UNINITIALIZED;
    private @Nullable Write underWay;
    private boolean paused;

    /** Nothing is kept yet. */
    StateKeeping(SharePartition.Time time) {
        this.time = time;
    }

    /**
     * One write.
     *
     * @param change what is to be kept
     * @param startOffsetBefore the start that is kept before it
     * @param settlements what it makes true
     */
    record Write(SharePartitionStore.Change change, long startOffsetBefore, List<Settlement> settlements) {
        /**
         * Whether what was read is the state that this writes to, be it without the change or with it. Nobody else writes to that,
         * so its start is known to the offset. A group that was deleted and made anew may have the same epoch, but begins at its
         * own offset, or has not begun: what is kept of it must neither pass for what this changes, nor be changed. (Where it begins
         * at the same offset by chance, it takes over what is settled in this write; nothing else is said of its records.)
         */
        boolean isBeforeOrAfter(SharePartitionStore.Loaded loaded) {
            boolean knownStart =
                    loaded.startOffset() == startOffsetBefore || loaded.startOffset() == change.startOffset();
            return loaded.stateEpoch() == change.stateEpoch() && knownStart;
        }

        /** Whether everything is kept as it is: nothing is to be written, and the settlements are true. */
        boolean isEmpty() {
            return change.ranges().isEmpty()
                    && change.startOffset() == startOffsetBefore
                    && settlements.stream().allMatch(settlement -> settlement.spans.isEmpty());
        }
    }

    /** That was kept before. */
    void begin(int epoch, long keptStartOffset) {
        stateEpoch = epoch;
        startOffset = keptStartOffset;
    }

    /** Whether what was read is the state that is kept here, and not that of a group of the same name that was made anew. */
    boolean isOwn(SharePartitionStore.Loaded loaded) {
        boolean asWritten = loaded.stateEpoch() == stateEpoch && loaded.startOffset() == startOffset;
        return asWritten || (underWay != null && underWay.isBeforeOrAfter(loaded));
    }

    // ---- Settlements

    /** It goes into the next write. */
    void add(Settlement settlement) {
        queue.add(settlement);
    }

    /** What waits for the next write, and is in vain. */
    List<Settlement> abandon() {
        return queue.take();
    }

    // ---- Writes

    /** Whether there is a write that has not come to its end. */
    boolean isUnderWay() {
        return underWay != null || paused;
    }

    /** The next write, of all that changed; is under way now, unless it is empty. */
    Write next(InFlight inFlight) {
        List<Settlement> settlements = queue.take();
        long start = inFlight.startOffsetToSave();
        List<SavedRange> ranges = inFlight.takeUnsaved(
                start, settlements.stream().flatMap(each -> each.spans.stream()).toList());
        Write write = new Write(
                new SharePartitionStore.Change(stateEpoch, start, inFlight.settledFrom(start), ranges),
                startOffset,
                settlements);
        if (!write.isEmpty()) {
            underWay = write;
            queue.onWrite(settlements);
        }
        return write;
    }

    /** It is certain what came of a write. */
    void onOutcome(Write write, Errors error) {
        underWay = null;
        queue.onWritten();
        if (error == Errors.NONE) {
            startOffset = write.change().startOffset();
        }
    }

    /** A write was in vain, and is made again after a pause: until {@link #resume} there is no other. */
    void pause() {
        paused = true;
    }

    /** The pause is over. */
    void resume() {
        paused = false;
    }

    // ---- Doubt

    /** Nobody knows what came of the write; returns all who are to be told. */
    List<Settlement> onDoubt(Errors told) {
        return queue.onDoubt(told);
    }

    /** What is told to those who wait while nobody knows what came of the write; NONE where that is known. */
    Errors doubt() {
        return queue.doubt();
    }

    /** Whether somebody was told, or is about to be, that nobody knows yet whether an acknowledgement is kept. */
    boolean hasDoubted() {
        return queue.hasDoubted();
    }

    // ---- Answers

    static void answer(List<Settlement> settlements, Errors error) {
        settlements.forEach(settlement -> settlement.answer.complete(error));
    }

    /** Unless it becomes certain before. */
    void answerLater(List<Settlement> settlements, Errors error) {
        time.scheduler().schedule(() -> answer(settlements, error), DOUBT_NANOS, time.executor());
    }
}
