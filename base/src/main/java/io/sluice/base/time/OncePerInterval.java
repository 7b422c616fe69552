package io.sluice.base.time;

/** Lets something through once in each interval, and counts what it keeps back: for lines of a log. Safe on every thread. */
public final class OncePerInterval {
    /** Answer of {@link #permit} to what is kept back. */
    public static final long KEPT_BACK = -1;

    private final long intervalNanos;
    private long quietUntilNanos;
    private long keptBack;

    /**
     * Lets the first one through.
     *
     * @param nowNanos of the clock that the calls tell
     */
    public OncePerInterval(long intervalNanos, long nowNanos) {
        this.intervalNanos = intervalNanos;
        this.quietUntilNanos = nowNanos;
    }

    /** How many were kept back since the last one that was let through, or {@link #KEPT_BACK} where this one is kept back too. */
    public synchronized long permit(long nowNanos) {
        if (nowNanos - quietUntilNanos < 0) {
            keptBack++;
            return KEPT_BACK;
        }
        quietUntilNanos = nowNanos + intervalNanos;
        long since = keptBack;
        keptBack = 0;
        return since;
    }
}
