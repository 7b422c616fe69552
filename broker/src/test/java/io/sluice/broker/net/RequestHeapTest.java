package io.sluice.broker.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RequestHeapTest {
    private static final int LARGE = RequestHeap.SMALL_FRAME_BYTES + 1;

    private final RequestHeap heap = new RequestHeap(100);
    private final List<String> admitted = new ArrayList<>();

    private void await(String owner) {
        heap.await(owner, Runnable::run, () -> admitted.add(owner));
    }

    @Test
    void admitsUntilTheBudgetIsUsedUp() {
        heap.add(99);
        assertThat(heap.admits("a", LARGE)).isTrue();
        heap.add(50);
        assertThat(heap.admits("a", LARGE)).isFalse();
        heap.release(50);
        assertThat(heap.admits("a", LARGE)).isTrue();
    }

    @Test
    void alwaysAdmitsSmallFrames() {
        heap.add(1_000);
        await("waiting");
        assertThat(heap.admits("a", RequestHeap.SMALL_FRAME_BYTES)).isTrue();
    }

    @Test
    void admitsOneAfterTheOtherInTheOrderOfTheirComing() {
        heap.add(100);
        await("a");
        await("b");
        await("c");
        assertThat(heap.waiting()).isEqualTo(3);
        heap.release(100);
        assertThat(admitted).containsExactly("a");
        assertThat(heap.admits("a", LARGE)).isTrue();
        assertThat(heap.admits("b", LARGE)).isFalse();
        heap.add(10);
        heap.endAdmission("a");
        assertThat(admitted).containsExactly("a", "b");
        heap.add(90);
        heap.endAdmission("b");
        assertThat(admitted).containsExactly("a", "b");
        heap.release(90);
        assertThat(admitted).containsExactly("a", "b", "c");
        assertThat(heap.waiting()).isZero();
    }

    @Test
    void lastsNoLongerThanTheConnectionThatWasAdmitted() {
        heap.add(100);
        await("a");
        await("gone");
        await("c");
        heap.cancel("gone");
        heap.release(100);
        heap.cancel("a");
        assertThat(admitted).containsExactly("a", "c");
        assertThat(heap.heldBytes()).isZero();
    }

    @Test
    void countsNothingForCallsThatTakeNextToNothing() {
        assertThat(RequestHeap.counted(1_000)).isZero();
        assertThat(RequestHeap.counted(100_000)).isEqualTo(100_000);
    }
}
