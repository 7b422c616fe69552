package io.sluice.coordinator.share;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.protocol.Errors;

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
    private boolean underWay;

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

    /** Whether it is as it was. A start that is kept never goes back, unless the group was deleted: one that is made anew may have the same epoch. */
    boolean isOwn(SharePartitionStore.Loaded loaded) {
        return loaded.stateEpoch() == stateEpoch && loaded.startOffset() >= startOffset;
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
        return underWay;
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
            underWay = true;
            queue.onWrite(settlements);
        }
        return write;
    }

    /** It is certain what came of a write. */
    void onOutcome(Write write, Errors error) {
        underWay = false;
        queue.onWritten();
        if (error == Errors.NONE) {
            startOffset = write.change().startOffset();
        }
    }

    /** A write was in vain, and is made again after a pause: until {@link #resume} there is no other. */
    void pause() {
        underWay = true;
    }

    /** The pause is over. */
    void resume() {
        underWay = false;
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
