package io.sluice.storage.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NodeEpochsTest {
    private final InMemoryMetadataStore store = new InMemoryMetadataStore(Runnable::run);
    private final NodeEpochs epochs = new NodeEpochs(store, 1);

    @Test
    void theFirstRunHasEpochZero() {
        assertThat(begin(true)).isZero();
    }

    @Test
    void aCleanStopKeepsTheEpoch() {
        begin(true);
        epochs.stopCleanly();
        assertThat(begin(true)).isZero();
    }

    @Test
    void aRunThatDiedRaisesIt() {
        begin(true);
        assertThat(begin(true)).isEqualTo(1);
        epochs.stopCleanly();
        assertThat(begin(true)).isEqualTo(1);
        assertThat(begin(true)).isEqualTo(2);
    }

    @Test
    void logsThatWereNotStoppedCleanlyRaiseItToo() {
        begin(true);
        epochs.stopCleanly();
        assertThat(begin(false)).isEqualTo(1);
    }

    @Test
    void whatItHasGivenGrowsBeforeALogHasIt() {
        assertThat(given()).isEqualTo(new GivenNumbers(1, -1));
        begin(true);
        assertThat(given()).isEqualTo(new GivenNumbers(1, 0));
        long first = new LogIdBlocks(store).take(3).toCompletableFuture().join();
        assertThat(given().firstFreeLogId()).isGreaterThan(first + 2);
        begin(true);
        assertThat(given().leaderEpoch()).isEqualTo(1);
    }

    private GivenNumbers given() {
        return epochs.given().toCompletableFuture().join();
    }

    private int begin(boolean logsWereClean) {
        return epochs.begin(logsWereClean).toCompletableFuture().join();
    }
}
