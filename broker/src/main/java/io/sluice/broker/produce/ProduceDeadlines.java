package io.sluice.broker.produce;

import io.sluice.base.time.Clock;
import io.sluice.base.time.Scheduler;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Watches the time-outs of requests that wait. One timer for all of them, set only while any waits, because nearly all are
 * answered long before; so an expiry is noticed up to {@link #SWEEP_NANOS} late. Safe on every thread; expiries run on the
 * requests' own executors.
 */
final class ProduceDeadlines {
    static final long SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Clock clock;
    private final Scheduler scheduler;
    private @Nullable PendingProduce head;
    private boolean sweepSet;

    ProduceDeadlines(Clock clock, Scheduler scheduler) {
        this.clock = clock;
        this.scheduler = scheduler;
    }

    synchronized void add(PendingProduce pending) {
        pending.next = head;
        pending.previous = null;
        if (head != null) {
            head.previous = pending;
        }
        head = pending;
        if (!sweepSet) {
            sweepSet = true;
            scheduler.schedule(this::sweep, SWEEP_NANOS, pending.executor());
        }
    }

    synchronized void remove(PendingProduce pending) {
        PendingProduce before = pending.previous;
        PendingProduce after = pending.next;
        if (before != null) {
            before.next = after;
        } else if (head == pending) {
            head = after;
        }
        if (after != null) {
            after.previous = before;
        }
        pending.previous = null;
        pending.next = null;
    }

    private synchronized void sweep() {
        sweepSet = false;
        long now = clock.nanoTime();
        for (PendingProduce pending = head; pending != null; pending = pending.next) {
            if (now - pending.deadlineNanos() >= 0) {
                pending.executor().execute(pending::expire);
            }
        }
        if (head != null) {
            sweepSet = true;
            scheduler.schedule(this::sweep, SWEEP_NANOS, head.executor());
        }
    }
}
