package io.sluice.storage.journal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CapacityWaitersTest {
    private final CapacityWaiters waiters = new CapacityWaiters();

    @Test
    void remembersARefusalWhileOthersAreCalled() {
        waiters.onRefused(20, ReservationKind.ENTRY);
        waiters.add(this::somebody);
        waiters.onRefused(10, ReservationKind.ENTRY);
        waiters.onRefused(30, ReservationKind.FOR_CHECKPOINT);
        waiters.takeAll();
        waiters.onRefused(1_000_000, ReservationKind.ENTRY);
        waiters.add(this::somebody);

        assertThat(waiters.smallestRefused(ReservationKind.ENTRY)).isEqualTo(10);
        assertThat(waiters.smallestRefused(ReservationKind.FOR_CHECKPOINT)).isEqualTo(30);
        assertThat(waiters.hasUnknown()).isFalse();

        waiters.takeAll();
        assertThat(waiters.smallestRefused(ReservationKind.ENTRY)).isEqualTo(1_000_000);
    }

    private void somebody() {
        waiters.hasUnknown();
    }

    @Test
    void knowsThatItDoesNotKnowWhatSomebodyNeeds() {
        assertThat(waiters.hasUnknown()).isFalse();
        waiters.add(this::somebody);
        assertThat(waiters.hasUnknown()).isTrue();
        waiters.onRefused(5, ReservationKind.FOR_CHECKPOINT);
        assertThat(waiters.hasUnknown()).isFalse();
    }
}
