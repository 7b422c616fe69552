package io.sluice.storage.journal;

/**
 * Decides how long a group is held back under continuous load: just so long that flushing takes no more than its share
 * of a processor. One flush costs much the same processor time whatever its size, so fewer flushes cost less. Not held
 * back at all: a group that finds the journal idle, or that has reached the group size. For the flush thread.
 */
final class FlushPacing {
    /** A sleep of the flush thread ends this much late; a shorter one is not worth it. */
    static final long TIMER_SLACK_NANOS = 50_000;

    private static final int FLUSHES_PER_SAMPLE = 16;
    private static final double WEIGHT = 0.25;
    private static final double COST_WHERE_UNKNOWN_NANOS = 20_000;

    private final long maxDelayNanos;
    private final double cpuShare;
    private double writeNanos;
    private double costNanos;
    private long sampleWriteNanos;
    private long sampleStartCpuNanos = -1;
    private int flushes;
    private long delayNanos;

    FlushPacing(long maxDelayNanos, double cpuShare) {
        this.maxDelayNanos = maxDelayNanos;
        this.cpuShare = cpuShare;
    }

    /** How long a group is held back, counted from its first entry or the end of the flush before, whichever was earlier. */
    long delayNanos() {
        return delayNanos;
    }

    /** Whether the processor time is wanted with the next flush. */
    boolean wantsCpuTime() {
        return flushes + 1 == FLUSHES_PER_SAMPLE || sampleStartCpuNanos < 0;
    }

    /**
     * Takes one flush into account.
     *
     * @param nanos how long the write took
     * @param cpuNanos processor time of the flush thread so far where {@link #wantsCpuTime}; negative where not known
     */
    void onFlush(long nanos, long cpuNanos) {
        if (sampleStartCpuNanos < 0) {
            sampleStartCpuNanos = Math.max(0, cpuNanos);
        }
        sampleWriteNanos += nanos;
        if (++flushes < FLUSHES_PER_SAMPLE) {
            return;
        }
        double cost = cpuNanos < 0 ? COST_WHERE_UNKNOWN_NANOS : (cpuNanos - sampleStartCpuNanos) / (double) flushes;
        costNanos = average(costNanos, cost);
        writeNanos = average(writeNanos, sampleWriteNanos / (double) flushes);
        delayNanos = (long) Math.max(0, Math.min(maxDelayNanos, costNanos / cpuShare - writeNanos));
        sampleStartCpuNanos = cpuNanos;
        sampleWriteNanos = 0;
        flushes = 0;
    }

    private static double average(double before, double now) {
        return before == 0 ? now : before + WEIGHT * (now - before);
    }
}
