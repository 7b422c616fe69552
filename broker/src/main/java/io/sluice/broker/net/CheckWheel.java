package io.sluice.broker.net;

import io.sluice.base.time.Clock;
import io.sluice.base.time.Scheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Looks at every connection of one event loop once a round, spread evenly, with one timer for all of them. On the event
 * loop only.
 */
final class CheckWheel {
    private static final int SLOTS = 16;

    private final Executor loop;
    private final Scheduler scheduler;
    private final Clock clock;
    private final long tickNanos;
    private final List<List<Entry>> slots = new ArrayList<>();
    private int current;
    private int entries;
    private boolean ticking;

    /** Something to look at. */
    interface Entry {
        /**
         * Looks for what is overdue.
         *
         * @return whether to look again after another round
         */
        boolean check(long nowNanos);
    }

    CheckWheel(Executor loop, Scheduler scheduler, Clock clock, long roundNanos) {
        this.loop = loop;
        this.scheduler = scheduler;
        this.clock = clock;
        this.tickNanos = Math.max(1, roundNanos / SLOTS);
        for (int i = 0; i < SLOTS; i++) {
            slots.add(new ArrayList<>());
        }
    }

    /** Looks at the entry within one round for the first time, and then once a round. */
    void add(Entry entry) {
        slots.get(current).add(entry);
        entries++;
        arm();
    }

    private void arm() {
        if (!ticking && entries > 0) {
            ticking = true;
            scheduler.schedule(this::tick, tickNanos, loop);
        }
    }

    private void tick() {
        ticking = false;
        current = (current + 1) % SLOTS;
        List<Entry> due = slots.get(current);
        slots.set(current, new ArrayList<>());
        entries -= due.size();
        long now = clock.nanoTime();
        for (Entry entry : due) {
            if (entry.check(now)) {
                slots.get(current).add(entry);
                entries++;
            }
        }
        arm();
    }
}
