package io.sluice.coordinator.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SimulatedTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.server.util.timer.TimerTask;
import org.junit.jupiter.api.Test;

class SchedulerTimerTest {
    private final SimulatedTime time = new SimulatedTime(0);
    private final SchedulerTimer timer = new SchedulerTimer(time, time, Runnable::run);
    private final List<String> ran = new ArrayList<>();

    private TimerTask task(String name, long delayMillis) {
        return new TimerTask(delayMillis) {
            @Override
            public void run() {
                ran.add(name);
            }
        };
    }

    private void advanceMillis(long millis) {
        time.advanceNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    @Test
    void runsTasksWhenTheyAreDueAndInTheirOrder() {
        timer.add(task("late", 30));
        timer.add(task("early", 10));
        timer.add(task("early too", 10));

        advanceMillis(9);
        List<String> before = List.copyOf(ran);
        advanceMillis(1);
        List<String> atTen = List.copyOf(ran);
        advanceMillis(20);

        assertThat(before).isEmpty();
        assertThat(atTen).containsExactly("early", "early too");
        assertThat(ran).containsExactly("early", "early too", "late");
    }

    @Test
    void oneWakeUpStandsForAllTasks() {
        for (int i = 0; i < 100; i++) {
            timer.add(task("t" + i, 1_000 + i));
        }

        assertThat(time.pendingTimers()).isEqualTo(1);
    }

    @Test
    void aCancelledTaskDoesNotRun() {
        TimerTask task = task("cancelled", 10);
        timer.add(task);

        task.cancel();
        advanceMillis(10);

        assertThat(ran).isEmpty();
    }

    @Test
    void aTaskMayAddAnother() {
        timer.add(new TimerTask(10) {
            @Override
            public void run() {
                timer.add(task("second", 5));
            }
        });

        advanceMillis(15);

        assertThat(ran).containsExactly("second");
    }

    @Test
    void aTaskThatThrowsTakesNoOtherWithIt() {
        timer.add(task("before", 10));
        timer.add(throwing(new RejectedExecutionException("the library is closed")));
        timer.add(throwing(new IllegalStateException("a defect")));
        timer.add(task("after", 10));
        timer.add(task("later", 20));
        List<Throwable> reported = new ArrayList<>();
        Thread thread = Thread.currentThread();
        Thread.UncaughtExceptionHandler handler = thread.getUncaughtExceptionHandler();
        thread.setUncaughtExceptionHandler((where, cause) -> reported.add(cause));
        try {
            advanceMillis(20);
        } finally {
            thread.setUncaughtExceptionHandler(handler);
        }

        assertThat(ran).containsExactly("before", "after", "later");
        assertThat(reported)
                .singleElement()
                .satisfies(cause -> assertThat(cause).hasMessage("a defect"));
    }

    private static TimerTask throwing(RuntimeException cause) {
        return new TimerTask(10) {
            @Override
            public void run() {
                throw cause;
            }
        };
    }

    @Test
    void cancelledTasksDoNotPileUp() {
        timer.add(task("kept", 60_000));
        for (int i = 0; i < 100_000; i++) {
            TimerTask task = task("finished", 5_000);
            timer.add(task);
            task.cancel();
        }

        assertThat(timer.size()).isLessThanOrEqualTo(SchedulerTimer.SWEEP_MIN + 2);
        advanceMillis(60_000);
        assertThat(ran).containsExactly("kept");
    }

    @Test
    void nothingRunsAfterClose() {
        timer.add(task("never", 10));

        timer.close();
        timer.add(task("never either", 10));
        advanceMillis(20);

        assertThat(ran).isEmpty();
        assertThat(time.pendingTimers()).isZero();
    }
}
