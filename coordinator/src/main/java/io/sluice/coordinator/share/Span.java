package io.sluice.coordinator.share;

import org.jspecify.annotations.Nullable;

/**
 * A run of offsets that share one fate. Cut and joined by {@link InFlight} alone.
 *
 * <pre>
 *              acquire               accept, and it is durable
 * AVAILABLE ------------> ACQUIRED ----------------------------> ACKNOWLEDGED
 *     ^                    | |  |
 *     '--------------------' |  '------------------------------> ARCHIVED
 *       release, lock expires|    reject, delivered too often,      ^
 *                            |    no record                         | its dead letter is durable
 *                            '-------------------------------> ARCHIVING
 *                                 the same, where there is a dead letter queue
 * </pre>
 */
final class Span {
    /** What has become of the records. */
    enum State {
        AVAILABLE(SavedRange.AVAILABLE),
        ACQUIRED(SavedRange.AVAILABLE),
        ACKNOWLEDGED(SavedRange.ACKNOWLEDGED),
        ARCHIVING(SavedRange.ARCHIVING),
        ARCHIVED(SavedRange.ARCHIVED);

        private final byte saved;

        State(byte saved) {
            this.saved = saved;
        }

        boolean isSettled() {
            return this == ACKNOWLEDGED || this == ARCHIVED;
        }
    }

    final long first;
    long last;
    State state;
    short deliveryCount;

    /** Who holds it and until when, on the monotonic clock; only where ACQUIRED. */
    @Nullable String holder;

    long deadlineNanos;

    /** What it becomes once that is durable; null where nothing is under way. Such a span is not cut, joined or moved, nor is one that is ARCHIVING. */
    @Nullable State target;

    /** Why it is given up, where it goes to the dead letter queue. */
    DeadLetter.@Nullable Cause cause;

    /** It is in the dead letter queue already, or never will be; only where ARCHIVING. */
    boolean lettered;

    /** What is kept of it does not say what it is now. */
    boolean unsaved;

    Span(long first, long last, State state, short deliveryCount) {
        this.first = first;
        this.last = last;
        this.state = state;
        this.deliveryCount = deliveryCount;
    }

    long size() {
        return last - first + 1;
    }

    boolean isFree() {
        return state == State.AVAILABLE;
    }

    /** Out at somebody who has not said what becomes of it. */
    boolean isHeld() {
        return state == State.ACQUIRED && target == null;
    }

    boolean isHeldBy(String member) {
        return isHeld() && member.equals(holder);
    }

    /** Settled, or about to be with the next write. */
    boolean willBeSettled() {
        return target == null ? state.isSettled() : target.isSettled();
    }

    /** Cuts off what begins at an offset inside. */
    Span cut(long from) {
        Span rest = new Span(from, last, state, deliveryCount);
        rest.holder = holder;
        rest.deadlineNanos = deadlineNanos;
        rest.cause = cause;
        rest.unsaved = unsaved;
        last = from - 1;
        return rest;
    }

    /** Whether one entry could stand for both. */
    boolean isLike(Span next) {
        boolean quiet = target == null && next.target == null && state != State.ACQUIRED && state != State.ARCHIVING;
        return quiet
                && state == next.state
                && unsaved == next.unsaved
                && (state.isSettled()
                        ? !unsaved || deliveryCount == next.deliveryCount
                        : deliveryCount == next.deliveryCount);
    }

    void acquire(String member, long untilNanos) {
        state = State.ACQUIRED;
        deliveryCount++;
        holder = member;
        deadlineNanos = untilNanos;
        cause = null;
    }

    /** Becomes what it was to become. */
    void reach(State next) {
        state = next;
        target = null;
        holder = null;
        unsaved = false;
    }

    /** To be sent to the dead letter queue. Only where ARCHIVING. */
    DeadLetter letter(int deliveryLimit) {
        // After a restart nobody knows why.
        DeadLetter.Cause likely =
                deliveryCount < deliveryLimit ? DeadLetter.Cause.REJECTED : DeadLetter.Cause.DELIVERED_TOO_OFTEN;
        return new DeadLetter(first, last, deliveryCount, cause == null ? likely : cause);
    }

    /** What is to be kept: a record that is out at a member counts as not delivered that time. */
    SavedRange toSave() {
        State kept = target == null ? state : target;
        int count = kept == State.ACQUIRED ? deliveryCount - 1 : deliveryCount;
        return new SavedRange(first, last, kept.saved, (short) Math.max(0, count));
    }
}
