package io.sluice.storage.journal;

/**
 * Decides how far apart flushes begin under load: just so far that flushing takes no more than its share of a processor.
 * One flush costs much the same processor time whatever its size, so fewer flushes cost less. Where appends come less
 * often than that by themselves, nothing is held back; nor where each waits for the one before it, as those of a lone
 * client do, since nobody would come to share the flush. For the flush thread.
 */
final class FlushPacing {
    /** A sleep of the flush thread ends this much late; a shorter one is not worth it. */
    static final long TIMER_SLACK_NANOS = 50_000;

    private static final int FLUSHES_PER_SAMPLE = 16;
    private static final double WEIGHT = 0.25;
    private static final double COST_WHERE_UNKNOWN_NANOS = 20_000;

    private static final double COMPANY_FROM = 0.125;
    private static final long DELAY_STRETCH = 4;

    private final double cpuShare;
    private double costNanos;
    private double timeNanos;
    private long sampleStartCpuNanos = -1;
    private int flushes;
    private long entries;
    private long joined;
    private double company;

    FlushPacing(double cpuShare) {
        this.cpuShare = cpuShare;
    }

    /** Whether entries come while others wait, so that holding a group back gathers more of them. */
    boolean hasCompany() {
        return company >= COMPANY_FROM;
    }

    /**
     * Takes a group into account.
     *
     * @param groupEntries entries appended since the group before
     * @param groupJoined those of them that came while others were not durable yet
     */
    void onGroup(long groupEntries, long groupJoined) {
        entries += groupEntries;
        joined += groupJoined;
    }

    /** The least time from the beginning of one flush to that of the next; 0 until the cost of a flush is known. */
    long periodNanos() {
        return (long) (costNanos / cpuShare);
    }

    /**
     * How long the oldest waiter of a group waits at the longest: where flushes take longer than the configured time, as
     * they do when groups are large, it may be as long as one of them takes, but no more than four times what is configured.
     */
    long longestDelayNanos(long configuredNanos) {
        return Math.max(configuredNanos, Math.min((long) timeNanos, DELAY_STRETCH * configuredNanos));
    }

    /** Whether the processor time is wanted with the next flush. */
    boolean wantsCpuTime() {
        return flushes + 1 == FLUSHES_PER_SAMPLE || sampleStartCpuNanos < 0;
    }

    /**
     * Takes one flush into account.
     *
     * @param nanos how long it took
     * @param cpuNanos processor time of the flush thread so far where {@link #wantsCpuTime}; negative where not known
     */
    void onFlush(long nanos, long cpuNanos) {
        timeNanos += WEIGHT * (nanos - timeNanos);
        if (sampleStartCpuNanos < 0) {
            sampleStartCpuNanos = Math.max(0, cpuNanos);
        }
        if (++flushes < FLUSHES_PER_SAMPLE) {
            return;
        }
        double cost = cpuNanos < 0 ? COST_WHERE_UNKNOWN_NANOS : (cpuNanos - sampleStartCpuNanos) / (double) flushes;
        costNanos = costNanos == 0 ? cost : costNanos + WEIGHT * (cost - costNanos);
        double share = entries == 0 ? 0 : joined / (double) entries;
        company += WEIGHT * (share - company);
        entries = 0;
        joined = 0;
        sampleStartCpuNanos = cpuNanos;
        flushes = 0;
    }
}
