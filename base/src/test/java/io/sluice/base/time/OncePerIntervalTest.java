package io.sluice.base.time;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OncePerIntervalTest {
    /** The monotonic clock may begin anywhere, and overflow. */
    private static final long START = Long.MAX_VALUE - 50;

    private final OncePerInterval line = new OncePerInterval(100, START);

    private long permitAfter(long nanos) {
        return line.permit(START + nanos);
    }

    @Test
    void letsTheFirstThrough() {
        assertThat(permitAfter(0)).isZero();
    }

    @Test
    void tellsHowManyItKeptBackWithTheNextThatItLetsThrough() {
        long unused = permitAfter(0);
        assertThat(permitAfter(1)).isEqualTo(OncePerInterval.KEPT_BACK);
        assertThat(permitAfter(99)).isEqualTo(OncePerInterval.KEPT_BACK);

        assertThat(permitAfter(100)).isEqualTo(2);
        assertThat(permitAfter(199)).isEqualTo(OncePerInterval.KEPT_BACK);
        assertThat(permitAfter(200)).isEqualTo(1);
        assertThat(permitAfter(1_000)).isZero();
    }
}
