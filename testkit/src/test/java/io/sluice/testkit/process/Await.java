package io.sluice.testkit.process;

import io.sluice.base.time.SystemClock;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Asks another process again and again until it says what a test waits for: for states that nothing announces. Always ends.
 */
public final class Await {
    private static final long PAUSE_MILLIS = 20;

    private Await() {}

    /**
     * Repeats a question until the answer satisfies.
     *
     * @throws AssertionError with the last answer, when the time is up
     */
    public static <T> T until(String what, Duration timeout, Callable<T> question, Predicate<T> satisfied)
            throws Exception {
        long deadlineNanos = SystemClock.INSTANCE.nanoTime() + timeout.toNanos();
        while (true) {
            T answer = question.call();
            if (satisfied.test(answer)) {
                return answer;
            }
            if (SystemClock.INSTANCE.nanoTime() - deadlineNanos > 0) {
                throw new AssertionError(
                        "Waited " + timeout.toSeconds() + " s in vain for " + what + ". The last answer was " + answer);
            }
            pause(PAUSE_MILLIS);
        }
    }

    /** Lets another process run for a while: for moments chosen at random and for silence that must last. */
    public static void pause(long millis) throws InterruptedException {
        boolean released = new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
        if (released) {
            throw new IllegalStateException("Nobody can have released this latch.");
        }
    }
}
