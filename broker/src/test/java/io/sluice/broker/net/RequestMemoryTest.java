package io.sluice.broker.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RequestMemoryTest {
    private final RequestMemory memory = new RequestMemory(100);
    private final List<String> granted = new ArrayList<>();

    private void await(String owner, long bytes) {
        memory.await(owner, bytes, Runnable::run, () -> granted.add(owner));
    }

    @Test
    void grantsWhileThereIsRoom() {
        assertThat(memory.tryAdd("a", 60)).isTrue();
        assertThat(memory.tryAdd("b", 41)).isFalse();
        assertThat(memory.tryAdd("b", 40)).isTrue();
        assertThat(memory.heldBytes()).isEqualTo(100);
        assertThat(memory.isExhausted()).isTrue();
    }

    @Test
    void servesThoseWhoWaitInTheirOrderAndLetsNobodyOvertake() {
        memory.add(90);
        memory.beginCall("busy", 90);
        await("a", 50);
        await("b", 10);
        assertThat(granted).isEmpty();
        assertThat(memory.tryAdd("c", 1)).isFalse();
        memory.endCall(90);
        memory.release(90);
        assertThat(granted).containsExactly("a", "b");
        assertThat(memory.heldBytes()).isEqualTo(60);
        assertThat(memory.tryAdd("c", 1)).isTrue();
    }

    @Test
    void letsTheFirstThroughWhenOnlyUnfinishedFramesHoldMemory() {
        memory.add(100);
        await("a", 400);
        await("b", 10);
        assertThat(granted).containsExactly("a");
        assertThat(memory.tryAdd("a", 1000)).as("until its frame is whole").isTrue();
        memory.endPrivilege("a");
        assertThat(granted).containsExactly("a", "b");
    }

    @Test
    void letsNobodyThroughWhileACallWillGiveMemoryBack() {
        memory.add(100);
        memory.beginCall("busy", 30);
        await("a", 400);
        assertThat(granted).isEmpty();
        memory.endCall(30);
        memory.release(30);
        assertThat(granted).containsExactly("a");
    }

    @Test
    void forgetsWhoNoLongerWaitsAndPassesItsPrivilegeOn() {
        memory.add(100);
        await("a", 400);
        await("b", 400);
        await("c", 400);
        assertThat(granted).containsExactly("a");
        memory.cancel("b");
        memory.cancel("a");
        assertThat(granted).containsExactly("a", "c");
        assertThat(memory.waiting()).isZero();
    }

    @Test
    void countsCallsThatStayAndStopsLettingOthersThroughOnceTheyHoldHalf() {
        memory.beginParked(40);
        memory.add(60);
        await("a", 30);
        assertThat(granted).containsExactly("a");
        memory.beginParked(30);
        memory.endPrivilege("a");
        await("b", 30);
        assertThat(granted).containsExactly("a");
        memory.endParked(30);
        assertThat(granted).containsExactly("a", "b");
        memory.endParked(40);
        assertThat(memory.heldBytes()).isEqualTo(120);
    }
}
