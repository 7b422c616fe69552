package io.sluice.storage.local.flush;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.RecordingDurability;
import io.sluice.storage.log.SimulatedAsyncLogWorld;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DurableProgressTest {
    private final DurableProgress progress = new DurableProgress(someLog(), 0);
    private final CompletionSink sink = new CompletionSink();

    private static PartitionLog someLog() {
        SimulatedAsyncLogWorld world = new SimulatedAsyncLogWorld(1);
        var opened = world.store().open(new PartitionId(new TopicId(1, 1), 0), "t", 1, 0, Map.of());
        world.settle();
        return opened.toCompletableFuture().join();
    }

    private RecordingDurability await(long offset) {
        RecordingDurability waiter = new RecordingDurability();
        progress.await(offset, waiter, sink);
        return waiter;
    }

    @Test
    void remembersAnAppendThatBypassedTheJournalJustBeforeItWasHeld() {
        RecordingDurability waiter = await(1);
        progress.hold();
        progress.onUnjournaledAppend(1, sink);
        sink.dispatch();
        assertThat(waiter.heard()).isEmpty();

        progress.release();
        progress.advance(0, sink);
        sink.dispatch();

        assertThat(waiter.heard()).containsExactly("durable 1");
        assertThat(progress.isPending()).isFalse();
    }

    @Test
    void neverGoesBackWhereAnAppendIsNotedBehindALaterOne() {
        progress.hold();
        progress.onAppend(100, 2);
        progress.onUnjournaledAppend(1, sink);
        RecordingDurability waiter = await(2);
        progress.release();
        progress.advance(100, sink);
        sink.dispatch();

        assertThat(progress.durableOffset()).isEqualTo(2);
        assertThat(waiter.heard()).containsExactly("durable 2");
    }

    @Test
    void doesNotPassAnAppendThatWaitsForTheJournal() {
        progress.onAppend(100, 1);
        progress.onUnjournaledAppend(2, sink);

        progress.advance(99, sink);
        assertThat(progress.durableOffset()).isZero();
        progress.advance(100, sink);
        assertThat(progress.durableOffset()).isEqualTo(2);
    }
}
