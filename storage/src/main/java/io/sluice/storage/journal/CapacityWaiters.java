package io.sluice.storage.journal;

import java.util.ArrayList;
import java.util.List;

/**
 * Those who were refused and want to hear when it is worth trying again. They are called only after something changed
 * that lets the smallest of the refused entries in, so that trying again and again never becomes a loop. Guarded by the
 * journal's lock.
 */
final class CapacityWaiters {
    private List<Runnable> tasks = new ArrayList<>();
    private int smallestRefused = Integer.MAX_VALUE;
    private int smallestRefusedForCheckpoint = Integer.MAX_VALUE;

    void onRefused(int payloadBytes, boolean checkpoint) {
        if (checkpoint) {
            smallestRefusedForCheckpoint = Math.min(smallestRefusedForCheckpoint, payloadBytes);
        } else {
            smallestRefused = Math.min(smallestRefused, payloadBytes);
        }
    }

    void add(Runnable task) {
        tasks.add(task);
    }

    boolean isEmpty() {
        return tasks.isEmpty();
    }

    int smallestRefused() {
        return smallestRefused;
    }

    int smallestRefusedForCheckpoint() {
        return smallestRefusedForCheckpoint;
    }

    /** Takes all tasks; what was refused before them is forgotten. */
    List<Runnable> takeAll() {
        List<Runnable> taken = tasks;
        tasks = new ArrayList<>();
        smallestRefused = Integer.MAX_VALUE;
        smallestRefusedForCheckpoint = Integer.MAX_VALUE;
        return taken;
    }
}
