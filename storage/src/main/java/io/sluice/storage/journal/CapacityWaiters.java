package io.sluice.storage.journal;

import java.util.ArrayList;
import java.util.List;

/**
 * Those who were refused and want to hear when it is worth trying again. They are called only after something changed
 * that lets the smallest of the refused entries in, so that trying again and again never becomes a loop. Others may be
 * called between the moment when somebody is refused and the moment when he begins to wait: so refusals are remembered
 * one round longer, and who waits although nothing is known of any refusal may try again at once. Guarded by the
 * journal's lock.
 */
final class CapacityWaiters {
    private static final int NONE = Integer.MAX_VALUE;

    private List<Runnable> tasks = new ArrayList<>();
    private Refusals current = new Refusals();
    private Refusals before = new Refusals();

    /** The smallest payloads refused. */
    private static final class Refusals {
        private int ordinary = NONE;
        private int forCheckpoint = NONE;
    }

    void onRefused(int payloadBytes, boolean checkpoint) {
        if (checkpoint) {
            current.forCheckpoint = Math.min(current.forCheckpoint, payloadBytes);
        } else {
            current.ordinary = Math.min(current.ordinary, payloadBytes);
        }
    }

    void add(Runnable task) {
        tasks.add(task);
    }

    boolean isEmpty() {
        return tasks.isEmpty();
    }

    /** Whether somebody waits and nobody is known to have been refused. */
    boolean hasUnknown() {
        return !tasks.isEmpty() && smallestRefused() == NONE && smallestRefusedForCheckpoint() == NONE;
    }

    /** The smallest payload refused; {@link Integer#MAX_VALUE} for none. */
    int smallestRefused() {
        return Math.min(current.ordinary, before.ordinary);
    }

    /** The same of entries for checkpoints. */
    int smallestRefusedForCheckpoint() {
        return Math.min(current.forCheckpoint, before.forCheckpoint);
    }

    /** Takes all tasks; what was refused before the last time is forgotten. */
    List<Runnable> takeAll() {
        List<Runnable> taken = tasks;
        tasks = new ArrayList<>();
        before = current;
        current = new Refusals();
        return taken;
    }
}
