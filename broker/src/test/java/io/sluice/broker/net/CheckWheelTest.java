package io.sluice.broker.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SimulatedTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CheckWheelTest {
    private static final long ROUND_NANOS = 1_600;

    private final SimulatedTime time = new SimulatedTime(0);
    private final CheckWheel wheel = new CheckWheel(Runnable::run, time, time, ROUND_NANOS);
    private final List<Long> looks = new ArrayList<>();

    private CheckWheel.Entry untilNanos(long lastNanos) {
        return now -> {
            looks.add(now);
            return now < lastNanos;
        };
    }

    @Test
    void looksAtAnEntryOnceARoundAsLongAsItStays() {
        wheel.add(untilNanos(5 * ROUND_NANOS));
        time.advanceNanos(20 * ROUND_NANOS);
        assertThat(looks).containsExactly(1_600L, 3_200L, 4_800L, 6_400L, 8_000L);
    }

    @Test
    void looksAtEntriesAtDifferentTimesOfTheRound() {
        wheel.add(untilNanos(0));
        time.advanceNanos(ROUND_NANOS / 2);
        wheel.add(untilNanos(0));
        time.advanceNanos(2 * ROUND_NANOS);
        assertThat(looks).containsExactly(1_600L, 2_400L);
    }

    @Test
    void setsNoTimerWhileThereIsNothingToLookAt() {
        assertThat(time.pendingTimers()).isZero();
        wheel.add(untilNanos(0));
        assertThat(time.pendingTimers()).isEqualTo(1);
        time.advanceNanos(2 * ROUND_NANOS);
        assertThat(time.pendingTimers()).isZero();
    }
}
