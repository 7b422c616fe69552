package io.sluice.coordinator.share;

import io.sluice.coordinator.share.Span.State;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;

/**
 * What an acknowledgement of one member means for the records in flight. For one acknowledgement, under the share partition's
 * lock.
 */
final class AcknowledgeRules {
    private final InFlight inFlight;
    private final String member;
    private final ShareGroupSettings settings;
    private final Settlement settlement;

    AcknowledgeRules(InFlight inFlight, String member, ShareGroupSettings settings, Settlement settlement) {
        this.inFlight = inFlight;
        this.member = member;
        this.settings = settings;
        this.settlement = settlement;
    }

    /** Puts the records on their way; where there is an error the caller undoes it. What is below the start is passed over. */
    Errors settle(List<Acknowledgement> acknowledgements) {
        for (Acknowledgement acknowledgement : acknowledgements) {
            long from = start(acknowledgement);
            if (from <= acknowledgement.lastOffset() && acknowledgement.lastOffset() >= inFlight.endOffset()) {
                return Errors.INVALID_REQUEST;
            }
            while (from <= acknowledgement.lastOffset()) {
                long end = acknowledgement.runEnd(from);
                if (!settle(from, end, acknowledgement.type(from))) {
                    return Errors.INVALID_RECORD_STATE;
                }
                from = end + 1;
            }
        }
        return Errors.NONE;
    }

    private long start(Acknowledgement acknowledgement) {
        return Math.max(acknowledgement.firstOffset(), inFlight.startOffset());
    }

    private boolean settle(long first, long last, byte type) {
        if (!inFlight.allWithin(first, last, span -> span.isHeldBy(member))) {
            return false;
        }
        if (type == Acknowledgement.RENEW) {
            return settings.renewEnabled();
        }
        for (Span span : inFlight.within(first, last, held -> true)) {
            switch (type) {
                case Acknowledgement.ACCEPT -> settlement.add(span, State.ACKNOWLEDGED);
                case Acknowledgement.GAP -> settlement.add(span, State.ARCHIVED);
                case Acknowledgement.REJECT ->
                    settlement.giveUp(span, DeadLetter.Cause.REJECTED, settings.deadLetters());
                default -> giveBack(span);
            }
        }
        return true;
    }

    private void giveBack(Span span) {
        if (span.deliveryCount >= settings.deliveryLimit()) {
            settlement.giveUp(span, DeadLetter.Cause.DELIVERED_TOO_OFTEN, settings.deadLetters());
        } else {
            settlement.add(span, State.AVAILABLE);
        }
    }

    /** Prolongs the locks of those records that are still being worked on. */
    void renew(List<Acknowledgement> acknowledgements, long deadlineNanos) {
        for (Acknowledgement acknowledgement : acknowledgements) {
            long from = start(acknowledgement);
            while (from <= acknowledgement.lastOffset()) {
                long end = acknowledgement.runEnd(from);
                if (acknowledgement.type(from) == Acknowledgement.RENEW) {
                    inFlight.within(from, end, span -> span.isHeldBy(member))
                            .forEach(span -> span.deadlineNanos = deadlineNanos);
                }
                from = end + 1;
            }
        }
    }
}
