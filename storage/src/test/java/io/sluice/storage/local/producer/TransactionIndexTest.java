package io.sluice.storage.local.producer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TransactionIndexTest {
    private final TransactionIndex index = new TransactionIndex(8);

    @Test
    void forgetsMarkersThatAreVisibleThoughNobodyReads() {
        for (long offset = 0; offset < 20_000; offset += 2) {
            index.onStart(offset, 7);
            index.onEnd(offset, 7, offset + 1, true);
            index.onVisible(offset + 1);
        }

        assertThat(index.endedNotVisible()).isEqualTo(1);
        assertThat(index.stableOffset(20_000)).isEqualTo(20_000);
    }

    @Test
    void aMarkerThatIsNotVisibleHoldsTheStableOffset() {
        index.onStart(5, 7);
        index.onEnd(5, 7, 9, true);
        index.onVisible(9);

        assertThat(index.stableOffset(9)).isEqualTo(5);
        assertThat(index.stableOffset(10)).isEqualTo(10);
    }
}
