package io.sluice.storage.local.producer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TransactionIndexTest {
    private final TransactionIndex index = new TransactionIndex();

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

    @Test
    void findsOutWhetherDataWasAbortedAmongTransactionsOfOthers() {
        index.onStart(0, 1);
        index.onStart(1, 2);
        index.onStart(2, 3);
        index.onEnd(1, 2, 3, false);
        index.onEnd(0, 1, 4, false);
        index.onEnd(2, 3, 5, true);
        index.onStart(6, 3);
        index.onEnd(6, 3, 7, false);

        assertThat(index.isAborted(1, 0)).isTrue();
        assertThat(index.isAborted(2, 1)).isTrue();
        assertThat(index.isAborted(3, 2)).isFalse();
        assertThat(index.isAborted(3, 6)).isTrue();
        assertThat(index.isAborted(4, 0)).isFalse();
    }
}
