package io.sluice.coordinator.share;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.protocol.Errors;

/**
 * Spans on their way to what they are to become, all at once or none of them: to the dead letter queue where they go there,
 * then to the state that is kept, and only then is it true and answered. Under the share partition's lock but for the answer.
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

    /** Puts a held span on its way to be given up. */
    void giveUp(Span span, DeadLetter.Cause cause) {
        add(span, Span.State.ARCHIVED);
        span.cause = cause;
    }

    /** What is to go to the dead letter queue first. */
    List<DeadLetter> letters() {
        return spans.stream()
                .filter(span -> span.cause != null && !span.lettered)
                .map(span -> new DeadLetter(span.first, span.last, span.deliveryCount, span.cause))
                .toList();
    }

    /** It comes to nothing: the member still holds everything. */
    void undo() {
        spans.forEach(span -> span.target = null);
    }
}
