package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.Scheduler;
import io.sluice.base.time.SimulatedTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CleanerPaceTest {
    private static final long STEP_NANOS =
            TimeUnit.SECONDS.toNanos(1) * CleanerPace.STEP_BYTES / CleanerPace.BYTES_PER_SECOND;

    private final SimulatedTime time = new SimulatedTime(0);
    private final List<Long> rests = new ArrayList<>();
    private long appended;
    private final CleanerPace pace = new CleanerPace(() -> appended, time, new Scheduler() {
        @Override
        public Timer schedule(Runnable task, long delayNanos, Executor executor) {
            return time.schedule(task, delayNanos, executor);
        }

        @Override
        public void rest(long nanos) {
            rests.add(nanos);
            time.advanceNanos(nanos);
        }
    });

    private void steps(int count, long nanosEach, long appendedEach) {
        for (int i = 0; i < count; i++) {
            time.advanceNanos(nanosEach);
            appended += appendedEach;
            pace.onBytes(CleanerPace.STEP_BYTES);
        }
    }

    @Test
    void restsForWhatIsLeftOfTheTimeOfAStep() {
        pace.onBytes(CleanerPace.STEP_BYTES - 1);
        assertThat(rests).isEmpty();

        time.advanceNanos(1_000_000);
        pace.onBytes(1);

        assertThat(rests).containsExactly(STEP_NANOS - 1_000_000);
    }

    @Test
    void doesNotRestAfterAStepThatTookLong() {
        steps(3, STEP_NANOS, 1000);

        assertThat(rests).isEmpty();
    }

    @Test
    void doesNotRestWhereNobodyHasAppendedForASecond() {
        steps(1, TimeUnit.SECONDS.toNanos(1), 0);
        rests.clear();

        steps(100, 0, 0);

        assertThat(rests).isEmpty();
    }

    @Test
    void isSeveralTimesAsFastAsWhatIsAppended() {
        long perSecond = 2 * CleanerPace.BYTES_PER_SECOND;
        long perStep = perSecond * CleanerPace.STEP_BYTES / CleanerPace.BYTES_PER_SECOND;
        steps(500, 0, perStep);
        long before = rests.get(0);

        rests.clear();
        steps(1, 0, perStep);

        assertThat(before).isEqualTo(STEP_NANOS);
        assertThat(rests).singleElement().satisfies(rest -> assertThat(rest).isLessThan(STEP_NANOS / 8));
    }

    @Test
    void restsAgainFromTheBeginningOfACleaning() {
        steps(1, TimeUnit.SECONDS.toNanos(1), 0);
        rests.clear();

        pace.begin();
        steps(1, 0, 0);

        assertThat(rests).containsExactly(STEP_NANOS);
    }
}
