package io.sluice.storage.journal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CapacityWaitersTest {
    private final CapacityWaiters waiters = new CapacityWaiters();

    @Test
    void remembersARefusalWhileOthersAreCalled() {
        waiters.onRefused(20, false);
        waiters.add(this::somebody);
        waiters.onRefused(10, false);
        waiters.onRefused(30, true);
        waiters.takeAll();
        waiters.onRefused(1_000_000, false);
        waiters.add(this::somebody);

        assertThat(waiters.smallestRefused()).isEqualTo(10);
        assertThat(waiters.smallestRefusedForCheckpoint()).isEqualTo(30);
        assertThat(waiters.hasUnknown()).isFalse();

        waiters.takeAll();
        assertThat(waiters.smallestRefused()).isEqualTo(1_000_000);
    }

    private void somebody() {
        waiters.hasUnknown();
    }

    @Test
    void knowsThatItDoesNotKnowWhatSomebodyNeeds() {
        assertThat(waiters.hasUnknown()).isFalse();
        waiters.add(this::somebody);
        assertThat(waiters.hasUnknown()).isTrue();
        waiters.onRefused(5, true);
        assertThat(waiters.hasUnknown()).isFalse();
    }
}
