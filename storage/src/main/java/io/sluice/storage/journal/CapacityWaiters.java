package io.sluice.storage.journal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Those who were refused and want to hear when it is worth trying again. They are called only after something changed
 * that lets the smallest of the refused entries in, so that trying again and again never becomes a loop. Others may be
 * called between the moment when somebody is refused and the moment when he begins to wait: so refusals are remembered
 * one round longer, and who waits although nothing is known of any refusal may try again at once. Guarded by the
 * journal's lock.
 */
final class CapacityWaiters {
    /** No payload of a kind has been refused. */
    static final int NONE = Integer.MAX_VALUE;

    private static final int[] NOTHING = nothing();

    private List<Runnable> tasks = new ArrayList<>();
    /** The smallest payloads refused, by kind. */
    private int[] current = nothing();

    private int[] before = nothing();

    private static int[] nothing() {
        int[] smallest = new int[ReservationKind.values().length];
        Arrays.fill(smallest, NONE);
        return smallest;
    }

    void onRefused(int payloadBytes, ReservationKind kind) {
        current[kind.ordinal()] = Math.min(current[kind.ordinal()], payloadBytes);
    }

    void add(Runnable task) {
        tasks.add(task);
    }

    boolean isEmpty() {
        return tasks.isEmpty();
    }

    /** Whether somebody waits and nobody is known to have been refused. */
    boolean hasUnknown() {
        return !tasks.isEmpty() && Arrays.equals(current, NOTHING) && Arrays.equals(before, NOTHING);
    }

    /** The smallest payload of a kind refused, or {@link #NONE}. */
    int smallestRefused(ReservationKind kind) {
        return Math.min(current[kind.ordinal()], before[kind.ordinal()]);
    }

    /** Takes all tasks; what was refused before the last time is forgotten. */
    List<Runnable> takeAll() {
        List<Runnable> taken = tasks;
        tasks = new ArrayList<>();
        before = current;
        current = nothing();
        return taken;
    }
}
