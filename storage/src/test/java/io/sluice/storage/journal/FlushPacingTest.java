package io.sluice.storage.journal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FlushPacingTest {
    private static final double CPU_SHARE = 0.1;
    private static final long CONFIGURED_NANOS = 150_000;
    private static final int ENOUGH_TO_SETTLE = 64;

    private final FlushPacing pacing = new FlushPacing(CPU_SHARE);
    private long cpuNanos;

    private void flushes(int count, long nanos, long costNanos) {
        for (int i = 0; i < count; i++) {
            cpuNanos += costNanos;
            pacing.onFlush(nanos, pacing.wantsCpuTime() ? cpuNanos : -1);
        }
    }

    @Test
    void holdsNothingBackBeforeItKnowsWhatAFlushCosts() {
        assertThat(pacing.periodNanos()).isZero();
        assertThat(pacing.hasCompany()).isFalse();
        assertThat(pacing.longestDelayNanos(CONFIGURED_NANOS)).isEqualTo(CONFIGURED_NANOS);
    }

    @Test
    void beginsFlushesSoFarApartThatTheyTakeTheirShareOfAProcessor() {
        flushes(ENOUGH_TO_SETTLE * 16, 100_000, 40_000);

        assertThat(pacing.periodNanos()).isBetween(390_000L, 410_000L);
    }

    @Test
    void waitsAsLongAsAFlushTakesWhereThatIsLongerThanConfigured() {
        flushes(ENOUGH_TO_SETTLE, 100_000, 40_000);
        assertThat(pacing.longestDelayNanos(CONFIGURED_NANOS)).isEqualTo(CONFIGURED_NANOS);

        flushes(ENOUGH_TO_SETTLE, 420_000, 40_000);
        assertThat(pacing.longestDelayNanos(CONFIGURED_NANOS)).isBetween(419_000L, 420_000L);
    }

    @Test
    void waitsNoLongerThanFourTimesTheConfiguredTime() {
        flushes(ENOUGH_TO_SETTLE, 50_000_000, 40_000);

        assertThat(pacing.longestDelayNanos(CONFIGURED_NANOS)).isEqualTo(4 * CONFIGURED_NANOS);
        assertThat(pacing.longestDelayNanos(0)).isZero();
    }

    @Test
    void hasCompanyWhereEntriesComeWhileOthersWait() {
        for (int i = 0; i < ENOUGH_TO_SETTLE; i++) {
            pacing.onGroup(4, 2);
            flushes(1, 100_000, 40_000);
        }

        assertThat(pacing.hasCompany()).isTrue();
    }
}
