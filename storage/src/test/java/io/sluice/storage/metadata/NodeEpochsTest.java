package io.sluice.storage.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NodeEpochsTest {
    private final NodeEpochs epochs = new NodeEpochs(new InMemoryMetadataStore(Runnable::run), 1);

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

    private int begin(boolean logsWereClean) {
        return epochs.begin(logsWereClean).toCompletableFuture().join();
    }
}
