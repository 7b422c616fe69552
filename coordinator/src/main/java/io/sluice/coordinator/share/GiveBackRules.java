package io.sluice.coordinator.share;

import java.util.List;
import java.util.function.Predicate;

/**
 * What becomes of records that a member held and said nothing of: it is gone, or its locks have expired. For one occasion, under
 * the share partition's lock.
 */
final class GiveBackRules {
    private final InFlight inFlight;
    private final ShareGroupSettings settings;
    private final long nowNanos;
    private final Settlement settlement;

    /**
     * For one occasion.
     *
     * @param settlement takes up what is given up
     */
    GiveBackRules(InFlight inFlight, ShareGroupSettings settings, long nowNanos, Settlement settlement) {
        this.inFlight = inFlight;
        this.settings = settings;
        this.nowNanos = nowNanos;
        this.settlement = settlement;
    }

    /**
     * Makes them free, or puts them on their way to be given up where they were delivered too often.
     *
     * @param delivered whether the application may have seen them; else it is as though they had not been delivered
     * @return whether there are any
     */
    boolean giveBack(Predicate<Span> which, boolean delivered) {
        List<Span> held = inFlight.all().stream()
                .filter(span -> span.isHeld() && which.test(span))
                .toList();
        if (held.isEmpty()) {
            return false;
        }
        held.forEach(span -> giveBack(span, delivered));
        inFlight.advance();
        return true;
    }

    private void giveBack(Span span, boolean delivered) {
        if (!delivered) {
            inFlight.free(span, span.deliveryCount - 1);
        } else if (span.deliveryCount >= settings.deliveryLimit()) {
            // Should it come to nothing, its lock has expired: then it is tried again.
            span.holder = null;
            span.deadlineNanos = nowNanos;
            settlement.giveUp(span, DeadLetter.Cause.DELIVERED_TOO_OFTEN, settings.deadLetters());
        } else {
            inFlight.free(span, span.deliveryCount);
            span.unsaved = true;
        }
    }
}
