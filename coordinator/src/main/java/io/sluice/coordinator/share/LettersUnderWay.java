package io.sluice.coordinator.share;

import io.sluice.coordinator.share.Span.State;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The dead letters of one share partition: what is kept as being on its way to the dead letter queue is sent there, and may be
 * archived when it has arrived. Under its owner's lock; the queue is called without.
 */
final class LettersUnderWay {
    private static final Logger LOG = LoggerFactory.getLogger(LettersUnderWay.class);

    private final String name;
    private final DeadLetters queue;
    private final Consumer<List<Span>> onSent;
    private int underWay;

    /**
     * None yet.
     *
     * @param name for the log
     * @param onSent told without the lock, and calls {@link #arrive}
     */
    LettersUnderWay(String name, DeadLetters queue, Consumer<List<Span>> onSent) {
        this.name = name;
        this.queue = queue;
        this.onSent = onSent;
    }

    /** Sends what is to go there, and is kept as such. */
    void send(List<Span> spans, int deliveryLimit, Effects effects) {
        if (spans.isEmpty()) {
            return;
        }
        List<DeadLetter> letters =
                spans.stream().map(span -> span.letter(deliveryLimit)).toList();
        underWay++;
        effects.add(() -> {
            CompletionStage<?> unused = queue.send(letters).handle((sent, failure) -> {
                if (failure != null) {
                    LOG.error("{}: the dead letter queue failed; the records are given up without it", name, failure);
                }
                onSent.accept(spans);
                return null;
            });
        });
    }

    /** Those are in the queue now, or never will be. */
    void arrive(List<Span> spans) {
        underWay--;
        spans.forEach(span -> span.lettered = true);
    }

    boolean areNone() {
        return underWay == 0;
    }

    /** Puts on its way to be archived what has arrived, be it that this was to be kept before, and was not. */
    void archiveArrived(InFlight inFlight, StateKeeping toKeep) {
        Settlement settlement = new Settlement();
        inFlight.all().stream()
                .filter(span -> span.lettered && span.target == null && span.state == State.ARCHIVING)
                .forEach(span -> settlement.add(span, State.ARCHIVED));
        if (!settlement.spans.isEmpty()) {
            toKeep.add(settlement);
        }
    }
}
