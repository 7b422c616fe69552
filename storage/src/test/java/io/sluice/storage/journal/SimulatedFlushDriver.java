package io.sluice.storage.journal;

import io.sluice.base.time.Clock;
import org.jspecify.annotations.Nullable;

/** Runs a journal's duty cycle when the test says so, on the test's thread. */
public final class SimulatedFlushDriver implements FlushDriver {
    private final Clock clock;
    private @Nullable DutyCycle cycle;
    private boolean woken = true;
    private boolean finished;
    private long dueNanos = Long.MAX_VALUE;

    /** Nothing to run yet. */
    public SimulatedFlushDriver(Clock clock) {
        this.clock = clock;
    }

    @Override
    public void start(DutyCycle started) {
        cycle = started;
    }

    @Override
    public void wake() {
        woken = true;
    }

    @Override
    public boolean awaitFinish(long timeoutNanos) {
        while (!finished) {
            woken = true;
            step();
        }
        return true;
    }

    /** Runs one turn if a flush thread would; returns whether it did. */
    public boolean step() {
        DutyCycle running = cycle;
        if (running == null || finished || !isDue()) {
            return false;
        }
        woken = false;
        dueNanos = Long.MAX_VALUE;
        long wait = running.run();
        if (wait == DutyCycle.FINISHED) {
            finished = true;
        } else if (wait == 0) {
            woken = true;
        } else if (wait != DutyCycle.UNTIL_WOKEN) {
            dueNanos = clock.nanoTime() + wait;
        }
        return true;
    }

    /** Whether a flush thread would run now. */
    public boolean isDue() {
        return woken || (dueNanos != Long.MAX_VALUE && clock.nanoTime() - dueNanos >= 0);
    }

    /** Whether a flush thread sleeps until it is woken. */
    public boolean isIdle() {
        return !woken && dueNanos == Long.MAX_VALUE;
    }

    /** Runs turns until none is due now. */
    public void drain() {
        while (step()) {
            // the work is in the condition
        }
    }
}
