package io.sluice.cli.record;

import java.time.Duration;

/**
 * How often a producer that is refused is to try again. It only tells what it was answered once it has no try left; while it
 * has, time runs out first, and all it says is that it did. The pauses before its tries double up to a longest one, each a
 * fifth shorter or longer by chance (KIP-580).
 */
final class RetryBudget {
    static final long FIRST_MILLIS = 100;
    static final long LONGEST_MILLIS = 1_000;
    /** What is left of the time-out is for the answers, and for chance. */
    private static final double SHARE = 0.85;

    private RetryBudget() {}

    /** The most whose pauses are over within most of a time-out. */
    static int retries(Duration timeout) {
        double leftMillis = SHARE * timeout.toMillis();
        long pauseMillis = FIRST_MILLIS;
        int retries = 0;
        while (leftMillis >= pauseMillis) {
            leftMillis -= pauseMillis;
            pauseMillis = Math.min(2 * pauseMillis, LONGEST_MILLIS);
            retries++;
        }
        return retries;
    }
}
