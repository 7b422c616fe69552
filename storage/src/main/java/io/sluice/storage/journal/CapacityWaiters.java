package io.sluice.storage.journal;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

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

    private List<Runnable> tasks = new ArrayList<>();
    /** The smallest payloads refused, by kind. */
    private Map<ReservationKind, Integer> current = new EnumMap<>(ReservationKind.class);

    private Map<ReservationKind, Integer> before = new EnumMap<>(ReservationKind.class);

    void onRefused(int payloadBytes, ReservationKind kind) {
        current.merge(kind, payloadBytes, Math::min);
    }

    void add(Runnable task) {
        tasks.add(task);
    }

    boolean isEmpty() {
        return tasks.isEmpty();
    }

    /** Whether somebody waits and nobody is known to have been refused. */
    boolean hasUnknown() {
        return !tasks.isEmpty() && current.isEmpty() && before.isEmpty();
    }

    /** The smallest payload of a kind refused, or {@link #NONE}. */
    int smallestRefused(ReservationKind kind) {
        return Math.min(current.getOrDefault(kind, NONE), before.getOrDefault(kind, NONE));
    }

    /** Takes all tasks; what was refused before the last time is forgotten. */
    List<Runnable> takeAll() {
        List<Runnable> taken = tasks;
        tasks = new ArrayList<>();
        before = current;
        current = new EnumMap<>(ReservationKind.class);
        return taken;
    }
}
