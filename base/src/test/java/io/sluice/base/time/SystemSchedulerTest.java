package io.sluice.base.time;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class SystemSchedulerTest {
    private static final Executor DIRECT = Runnable::run;

    private final SystemScheduler scheduler =
            new SystemScheduler(SystemClock.INSTANCE, task -> new Thread(task, "timer-under-test"));

    @AfterEach
    void close() {
        scheduler.close();
    }

    @Test
    void runsTasksInTheOrderOfTheirTimesAndNeverEarly() throws Exception {
        BlockingQueue<Long> ran = new ArrayBlockingQueue<>(3);
        long start = System.nanoTime();
        for (long millis : new long[] {30, 1, 15}) {
            scheduler.schedule(() -> ran.add(millis), MILLISECONDS.toNanos(millis), DIRECT);
        }
        for (long millis : new long[] {1, 15, 30}) {
            assertThat(ran.poll(10, SECONDS)).isEqualTo(millis);
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(MILLISECONDS.toNanos(millis));
        }
    }

    @Test
    void aTimerSetLaterButDueEarlierIsNotKeptWaiting() throws Exception {
        scheduler.schedule(() -> {}, HOURS.toNanos(1), DIRECT);
        CountDownLatch ran = new CountDownLatch(1);
        scheduler.schedule(ran::countDown, 0, DIRECT);
        assertThat(ran.await(10, SECONDS)).isTrue();
    }

    @Test
    void aCancelledTaskNeverRunsAndSecondCancelSaysSo() throws Exception {
        List<String> ran = new ArrayList<>();
        Scheduler.Timer timer = scheduler.schedule(() -> ran.add("cancelled"), MILLISECONDS.toNanos(500), DIRECT);
        assertThat(timer.cancel()).isTrue();
        assertThat(timer.cancel()).isFalse();
        CountDownLatch later = new CountDownLatch(1);
        scheduler.schedule(later::countDown, MILLISECONDS.toNanos(550), DIRECT);
        assertThat(later.await(10, SECONDS)).isTrue();
        assertThat(ran).isEmpty();
    }

    @Test
    void cancelAfterTheRunIsTooLate() throws Exception {
        CountDownLatch ran = new CountDownLatch(1);
        Scheduler.Timer timer = scheduler.schedule(ran::countDown, 0, DIRECT);
        assertThat(ran.await(10, SECONDS)).isTrue();
        assertThat(timer.cancel()).isFalse();
    }

    @Test
    void cancelledTimersDoNotPileUp() {
        for (int i = 0; i < 100_000; i++) {
            scheduler.schedule(() -> {}, HOURS.toNanos(1), DIRECT).cancel();
        }
        assertThat(scheduler.heapSize()).isLessThan(5_000);
    }

    @Test
    void anExecutorThatHasBeenShutDownDisturbsNobodyElse() throws Exception {
        scheduler.schedule(() -> {}, 0, task -> {
            throw new RejectedExecutionException();
        });
        CountDownLatch ran = new CountDownLatch(1);
        scheduler.schedule(ran::countDown, MILLISECONDS.toNanos(2), DIRECT);
        assertThat(ran.await(10, SECONDS)).isTrue();
    }

    @Test
    void aTaskThatThrowsDoesNotEndTheTimer() throws Exception {
        BlockingQueue<Throwable> heard = new ArrayBlockingQueue<>(1);
        try (SystemScheduler robust = new SystemScheduler(SystemClock.INSTANCE, task -> {
            Thread thread = new Thread(task, "timer-under-test");
            thread.setUncaughtExceptionHandler((thrower, cause) -> heard.add(cause));
            return thread;
        })) {
            robust.schedule(
                    () -> {
                        throw new IllegalStateException("defect");
                    },
                    0,
                    DIRECT);
            assertThat(heard.poll(10, SECONDS)).hasMessage("defect");
            CountDownLatch ran = new CountDownLatch(1);
            robust.schedule(ran::countDown, 0, DIRECT);
            assertThat(ran.await(10, SECONDS)).isTrue();
        }
    }

    @Test
    void waitsOfThreeCenturiesAreAllowed() {
        assertThat(scheduler.schedule(() -> {}, Long.MAX_VALUE, DIRECT).cancel())
                .isTrue();
    }

    @Test
    void nothingRunsOnceClosed() {
        scheduler.close();
        assertThat(scheduler.schedule(() -> {}, 0, DIRECT).cancel()).isFalse();
    }
}
