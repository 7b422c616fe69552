package io.sluice.coordinator.share;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;

/**
 * Settlements of one share partition that wait for the next write, and those that are in the write under way; and whether nobody
 * knows what came of that. Under its owner's lock.
 */
final class SettlementQueue {
    private List<Settlement> waiting = new ArrayList<>();
    private List<Settlement> inWrite = List.of();
    /** What is told to those who wait while nobody knows what came of the write; NONE where that is known. */
    private Errors doubt = Errors.NONE;

    void add(Settlement settlement) {
        waiting.add(settlement);
    }

    /** What waits, which does so no more. */
    List<Settlement> take() {
        List<Settlement> taken = waiting;
        waiting = new ArrayList<>();
        return taken;
    }

    /** These are being written. */
    void onWrite(List<Settlement> settlements) {
        inWrite = settlements;
    }

    /** It is certain what came of the write. */
    void onWritten() {
        inWrite = List.of();
        doubt = Errors.NONE;
    }

    /** Nobody knows what came of the write; returns all who are to be told. */
    List<Settlement> onDoubt(Errors told) {
        doubt = told;
        List<Settlement> all = new ArrayList<>(inWrite);
        all.addAll(waiting);
        return all;
    }

    Errors doubt() {
        return doubt;
    }

    /** Whether somebody was told, or is about to be, that nobody knows yet whether an acknowledgement is kept. */
    boolean hasDoubted() {
        return doubt != Errors.NONE || hasAnswered(inWrite) || hasAnswered(waiting);
    }

    private static boolean hasAnswered(List<Settlement> settlements) {
        return settlements.stream().anyMatch(settlement -> settlement.answer.isDone());
    }
}
