package io.sluice.storage.local;

import io.sluice.storage.journal.Journal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Waits for a position of the journal: for the few things that are no batches. One of them hears of all flushes. Safe on
 * every thread.
 */
final class JournalWait implements Journal.FlushListener {
    private final List<Waiter> waiters = new ArrayList<>();
    private @Nullable IOException failure;

    private record Waiter(long position, Consumer<@Nullable IOException> task) {}

    /** Calls the task, on the flush thread or at once, when the position is durable (null) or lost. */
    void await(Journal journal, long position, Consumer<@Nullable IOException> task) {
        IOException cause;
        synchronized (waiters) {
            cause = failure;
            if (cause == null && journal.durablePosition() < position) {
                waiters.add(new Waiter(position, task));
                return;
            }
        }
        task.accept(cause);
    }

    @Override
    public void onDurable(long durablePosition) {
        List<Waiter> ready = new ArrayList<>();
        synchronized (waiters) {
            if (waiters.isEmpty()) {
                return;
            }
            waiters.removeIf(waiter -> waiter.position <= durablePosition && ready.add(waiter));
        }
        for (Waiter waiter : ready) {
            waiter.task.accept(null);
        }
    }

    @Override
    public void onFailure(IOException cause) {
        List<Waiter> lost;
        synchronized (waiters) {
            failure = cause;
            lost = new ArrayList<>(waiters);
            waiters.clear();
        }
        for (Waiter waiter : lost) {
            waiter.task.accept(cause);
        }
    }
}
