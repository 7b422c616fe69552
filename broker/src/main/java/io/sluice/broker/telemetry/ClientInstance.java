package io.sluice.broker.telemetry;

import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.protocol.Errors;

/**
 * What is remembered of one client instance under one edition of the subscriptions: when it asked and pushed last, and what
 * came of it. Guarded by its own lock; time is monotonic.
 *
 * <pre>
 *   known --get, or push with another id--> asked --push--> pushed --interval--> may push or ask again
 *   any --push with terminating--> terminating: the next push is refused
 * </pre>
 */
final class ClientInstance {
    private final long edition;
    private final Assignment assignment;
    private boolean asked;
    private boolean pushed;
    private boolean askedSincePush;
    private long askedNanos;
    private long pushedNanos;
    private boolean terminating;
    private Errors lastError = Errors.NONE;
    private long usedNanos;

    ClientInstance(long edition, Assignment assignment) {
        this.edition = edition;
        this.assignment = assignment;
    }

    long edition() {
        return edition;
    }

    Assignment assignment() {
        return assignment;
    }

    synchronized void use(long nowNanos) {
        usedNanos = nowNanos;
    }

    /** Whether nothing was heard of it for so long that it counts as gone. */
    synchronized boolean isSilent(long nowNanos) {
        return nowNanos - usedNanos > Silence.nanos(assignment.intervalMs());
    }

    /** Whether it may ask now: not within the interval after it asked or pushed, unless it has to know what changed. */
    synchronized boolean mayAsk(long nowNanos) {
        boolean early = (asked && isEarly(askedNanos, nowNanos)) || (pushed && isEarly(pushedNanos, nowNanos));
        if (!early) {
            asked = true;
            askedSincePush = true;
            askedNanos = nowNanos;
        }
        boolean excused =
                lastError == Errors.UNKNOWN_SUBSCRIPTION_ID || lastError == Errors.UNSUPPORTED_COMPRESSION_TYPE;
        if (early && !excused) {
            return false;
        }
        lastError = Errors.NONE;
        return true;
    }

    /** Whether it may push now: once after it asked, because its first push comes at a random time, then once an interval. */
    synchronized boolean mayPush(long nowNanos) {
        boolean may = askedSincePush || !pushed || !isEarly(pushedNanos, nowNanos);
        if (may) {
            pushed = true;
            askedSincePush = false;
            pushedNanos = nowNanos;
        }
        return may;
    }

    private boolean isEarly(long thenNanos, long nowNanos) {
        return nowNanos - thenNanos < TimeUnit.MILLISECONDS.toNanos(assignment.intervalMs());
    }

    synchronized boolean isTerminating() {
        return terminating;
    }

    /** Keeps what a push said and came to. */
    synchronized void onPush(boolean saysItTerminates, Errors outcome) {
        terminating = saysItTerminates;
        lastError = outcome;
    }

    synchronized void onError(Errors error) {
        lastError = error;
    }
}
