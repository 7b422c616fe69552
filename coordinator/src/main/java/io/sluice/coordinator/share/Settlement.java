package io.sluice.coordinator.share;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.protocol.Errors;

/**
 * Spans on their way to what they are to become, all at once or none of them: to the state that is kept, and only then is it
 * true and answered. Under the share partition's lock but for the answer.
 */
final class Settlement {
    final List<Span> spans = new ArrayList<>();
    final CompletableFuture<Errors> answer = new CompletableFuture<>();

    /** Puts a held span on its way. */
    void add(Span span, Span.State target) {
        span.target = target;
        span.cause = null;
        spans.add(span);
    }

    /**
     * Puts a held span on its way to be given up.
     *
     * @param deadLetters whether it goes to the dead letter queue after that
     */
    void giveUp(Span span, DeadLetter.Cause cause, boolean deadLetters) {
        add(span, deadLetters ? Span.State.ARCHIVING : Span.State.ARCHIVED);
        span.cause = cause;
    }

    /** All becomes what it was to become; returns what goes to the dead letter queue next. */
    List<Span> reach(InFlight inFlight) {
        for (Span span : spans) {
            Span.State target = span.target;
            if (target == Span.State.AVAILABLE) {
                inFlight.free(span, span.deliveryCount);
                span.unsaved = false;
            } else if (target != null) {
                span.reach(target);
            }
        }
        return spans.stream().filter(span -> span.state == Span.State.ARCHIVING).toList();
    }

    /** It comes to nothing: everything is what it was. */
    void undo() {
        spans.forEach(span -> span.target = null);
    }
}
