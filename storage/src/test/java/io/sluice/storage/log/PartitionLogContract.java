package io.sluice.storage.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.sluice.base.id.PartitionId;
import io.sluice.protocol.record.BatchView;
import io.sluice.protocol.record.CompressionCodec;
import io.sluice.storage.log.AppendResult.Appended;
import io.sluice.storage.log.AppendResult.Refusal;
import io.sluice.storage.log.ReadRequest.Limit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** What every engine behind {@link PartitionLog} promises. Extend it and say what the world is. */
public abstract class PartitionLogContract extends LogSteps {
    // ---- offsets and durability ----

    @Test
    void givesOffsetsInTheOrderOfAppends() {
        PartitionLog log = open(0, Map.of());

        assertThat(append(log, TestBatches.of("a", "b"))).isEqualTo(new Appended(0, 1, -1));
        assertThat(append(log, TestBatches.of("c"))).isEqualTo(new Appended(2, 2, -1));
        assertThat(log.endOffset()).isEqualTo(3);
    }

    @Test
    void showsNothingBeforeItIsDurable() {
        PartitionLog log = open(0, Map.of());
        append(log, TestBatches.of("a"));

        assertThat(log.durableOffset()).isZero();
        assertThat(log.visibleOffset()).isZero();
        assertThat(values(log, 0, Limit.VISIBLE)).isEmpty();
        assertThat(values(log, 0, Limit.END)).containsExactly("0:a");

        world.settle();

        assertThat(log.durableOffset()).isEqualTo(1);
        assertThat(values(log, 0, Limit.VISIBLE)).containsExactly("0:a");
    }

    @Test
    void callsWaitersInTheOrderOfTheirOffsetsOnceDurable() {
        PartitionLog log = open(0, Map.of());
        append(log, TestBatches.of("a"));
        append(log, TestBatches.of("b"));
        List<String> order = new ArrayList<>();
        log.awaitDurable(2, noting(order, "second"));
        log.awaitDurable(1, noting(order, "first"));

        assertThat(order).isEmpty();
        world.settle();

        assertThat(order).containsExactly("first", "second");
    }

    private static DurabilityListener noting(List<String> order, String name) {
        return new DurabilityListener() {
            @Override
            public Executor executor() {
                return Runnable::run;
            }

            @Override
            public void onDurable(PartitionLog log, long offset) {
                order.add(name);
            }

            @Override
            public void onUnknown(PartitionLog log, long offset, java.io.IOException cause) {
                order.add(name + " unknown");
            }
        };
    }

    @Test
    void callsAWaiterWhoseOffsetIsDurableAlready() {
        PartitionLog log = open(0, Map.of());
        append(log, TestBatches.of("a"));
        world.settle();
        RecordingDurability waiter = new RecordingDurability();

        log.awaitDurable(1, waiter);

        assertThat(waiter.heard()).containsExactly("durable 1");
    }

    @Test
    void wakesAnExecutorOnceForAllItsWaiters() {
        PartitionLog log = open(0, Map.of());
        ArrayDeque<Runnable> tasks = new ArrayDeque<>();
        Executor executor = tasks::add;
        for (String value : List.of("a", "b", "c")) {
            append(log, TestBatches.of(value));
            log.awaitDurable(log.endOffset(), new RecordingDurability(executor));
        }

        world.settle();

        assertThat(tasks).hasSize(1);
    }

    @Test
    void tellsVisibilityListenersThatSomethingIsVisible() {
        PartitionLog log = open(0, Map.of());
        List<Long> visible = new ArrayList<>();
        VisibilityListener listener = new VisibilityListener() {
            @Override
            public void onVisible(PartitionLog moved) {
                visible.add(moved.visibleOffset());
            }

            @Override
            public void onStateChange(PartitionLog moved) {}
        };
        log.addVisibilityListener(listener);
        append(log, TestBatches.of("a"));
        world.settle();
        log.removeVisibilityListener(listener);
        append(log, TestBatches.of("b"));
        world.settle();

        assertThat(visible).containsExactly(1L);
    }

    // ---- refusals ----

    @Test
    void refusesAppendFromAFencedEpoch() {
        PartitionLog log = open(0, Map.of());
        ByteBuf batch = TestBatches.of("a");

        AppendResult result = log.append(batch, EPOCH - 1, AppendOrigin.CLIENT);

        assertThat(refusalOf(result)).isEqualTo(Refusal.FENCED);
        assertThat(log.endOffset()).isZero();
        batch.release();
    }

    @Test
    void refusesWhenFullAndChangesNothing() {
        PartitionLog log = open(0, Map.of());
        append(log, TestBatches.idempotent(5, 0, 0, "a"));
        world.limitPendingBytes(0);

        assertThat(refusalOf(append(log, TestBatches.idempotent(5, 0, 1, "b")))).isEqualTo(Refusal.FULL);
        assertThat(log.endOffset()).isEqualTo(1);

        world.limitPendingBytes(1 << 20);
        world.settle();
        assertThat(append(log, TestBatches.idempotent(5, 0, 1, "b"))).isEqualTo(new Appended(1, 1, -1));
        assertThat(values(log, 0, Limit.END)).containsExactly("0:a", "1:b");
    }

    @Test
    void callsBackWhenThereIsRoomAgain() {
        PartitionLog log = open(0, Map.of());
        append(log, TestBatches.of("a"));
        world.limitPendingBytes(0);
        append(log, TestBatches.of("b"));
        List<String> called = new ArrayList<>();
        world.store().awaitCapacity(Runnable::run, () -> called.add("room"));

        world.limitPendingBytes(1 << 20);
        world.settle();

        assertThat(called).containsExactly("room");
    }

    @Test
    void refusesAppendsOnceSealedAndGivesTheFinalEnd() {
        PartitionLog log = open(0, Map.of());
        append(log, TestBatches.of("a"));

        var sealed = log.seal(EPOCH).toCompletableFuture();
        assertThat(refusalOf(append(log, TestBatches.of("b")))).isEqualTo(Refusal.NOT_SERVING);
        assertThat(sealed).isNotDone();
        world.settle();

        assertThat(sealed.join()).isEqualTo(1);
        assertThat(values(log, 0, Limit.VISIBLE)).containsExactly("0:a");
    }

    @Test
    void answersUnknownAfterAFailedWriteAndServesWhatWasVisible() {
        PartitionLog log = open(0, Map.of());
        append(log, TestBatches.of("a"));
        world.settle();
        append(log, TestBatches.of("b"));
        RecordingDurability before = new RecordingDurability();
        log.awaitDurable(2, before);

        world.failWrites();
        world.runTasks();
        RecordingDurability after = new RecordingDurability();
        log.awaitDurable(2, after);

        assertThat(before.heard()).containsExactly("unknown 1");
        assertThat(after.heard()).containsExactly("unknown 1");
        assertThat(log.state()).isEqualTo(LogState.FAILED);
        assertThat(refusalOf(append(log, TestBatches.of("c")))).isEqualTo(Refusal.STORAGE);
        assertThat(values(log, 0, Limit.VISIBLE)).containsExactly("0:a");
    }

    // ---- reading ----

    @Test
    void readsTheWholeBatchThatHoldsAnOffset() {
        PartitionLog log = open(0, Map.of());
        append(log, TestBatches.of("a", "b", "c"));
        append(log, TestBatches.of("d"));
        world.settle();

        assertThat(values(log, 1, Limit.VISIBLE)).containsExactly("0:a", "1:b", "2:c", "3:d");
        assertThat(values(log, 3, Limit.VISIBLE)).containsExactly("3:d");
        assertThat(values(log, 4, Limit.VISIBLE)).isEmpty();
    }

    @Test
    void keepsToTheBytesAskedForButForAFirstBatch() {
        PartitionLog log = open(0, Map.of());
        append(log, TestBatches.of("a"));
        append(log, TestBatches.of("b"));
        world.settle();

        assertThat(valuesOf(read(log, 0, 1, true, Limit.VISIBLE))).containsExactly("0:a");
        assertThat(valuesOf(read(log, 0, 1, false, Limit.VISIBLE))).isEmpty();
        assertThat(valuesOf(read(log, 0, 100, true, Limit.VISIBLE))).containsExactly("0:a");
    }

    @Test
    void answersOutOfRangeOutsideTheLog() {
        PartitionLog log = open(0, Map.of());
        append(log, TestBatches.of("a"));
        world.settle();

        assertThat(read(log, 2, 100, true, Limit.VISIBLE)).isEqualTo(new ReadResult.OutOfRange(0, 1, 1));
        assertThat(read(log, -1, 100, true, Limit.VISIBLE)).isEqualTo(new ReadResult.OutOfRange(0, 1, 1));
    }

    @Test
    void readsOverSegments() {
        PartitionLog log = open(0, Map.of("segment.bytes", "1048576"));
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            append(log, TestBatches.ofSize(100_000));
            expected.add(i + ":");
        }
        world.settle();

        List<String> got = new ArrayList<>();
        long offset = 0;
        while (offset < 30) {
            List<String> some = valuesOf(read(log, offset, 1 << 20, true, Limit.VISIBLE));
            assertThat(some).isNotEmpty();
            some.forEach(value -> got.add(value.substring(0, value.indexOf(':') + 1)));
            offset += some.size();
        }
        assertThat(got).isEqualTo(expected);
    }

    @Test
    void stampsLeaderEpochAndBaseOffsetWithoutBreakingTheCrc() {
        PartitionLog log = open(0, Map.of());
        append(log, TestBatches.of("a"));
        append(log, TestBatches.of("b"));
        world.settle();

        ByteBuf bytes = TestBatches.bytesOf(((ReadResult.Records) read(log, 1, 1000, true, Limit.VISIBLE)).slice());
        BatchView batch = new BatchView().wrap(bytes);

        assertThat(batch.leaderEpoch()).isEqualTo(EPOCH);
        assertThat(batch.baseOffset()).isEqualTo(1);
        assertThat(batch.isCrcValid()).isTrue();
    }

    @Test
    void givesTheTimeOfAppendWhereTheTopicSaysSo() {
        PartitionLog log = open(0, Map.of("message.timestamp.type", "LogAppendTime"));
        long now = world.time().epochMillis();

        assertThat(append(log, TestBatches.at(5, "a"))).isEqualTo(new Appended(0, 0, now));
        world.settle();

        ByteBuf bytes = TestBatches.bytesOf(((ReadResult.Records) read(log, 0, 1000, true, Limit.VISIBLE)).slice());
        BatchView batch = new BatchView().wrap(bytes);
        assertThat(batch.isLogAppendTime()).isTrue();
        assertThat(batch.maxTimestamp()).isEqualTo(now);
        assertThat(batch.isCrcValid()).isTrue();
    }

    // ---- finding offsets ----

    @Test
    void findsTheEndsOfTheLog() {
        PartitionLog log = open(0, Map.of());
        append(log, TestBatches.of("a", "b"));
        world.settle();

        assertThat(find(log, OffsetQuery.EARLIEST)).isEqualTo(new OffsetQuery.Result.Found(0, -1, EPOCH));
        assertThat(find(log, OffsetQuery.LATEST)).isEqualTo(new OffsetQuery.Result.Found(2, -1, EPOCH));
        assertThat(find(log, OffsetQuery.EARLIEST_LOCAL)).isEqualTo(new OffsetQuery.Result.Found(0, -1, EPOCH));
    }

    @Test
    void findsARecordByTimeInsideACompressedBatch() {
        PartitionLog log = open(0, Map.of());
        append(log, TestBatches.at(1_000, "a"));
        append(log, TestBatches.compressed(CompressionCodec.GZIP, 2_000, "b", "c", "d"));
        append(log, TestBatches.at(1_500, "late"));
        world.settle();

        assertThat(find(log, 1_000)).isEqualTo(new OffsetQuery.Result.Found(0, 1_000, EPOCH));
        assertThat(find(log, 1_001)).isEqualTo(new OffsetQuery.Result.Found(1, 2_000, EPOCH));
        assertThat(find(log, 2_001)).isEqualTo(new OffsetQuery.Result.Found(2, 2_001, EPOCH));
        assertThat(find(log, 2_003)).isEqualTo(new OffsetQuery.Result.Nothing());
        assertThat(find(log, OffsetQuery.MAX_TIMESTAMP)).isEqualTo(new OffsetQuery.Result.Found(3, 2_002, EPOCH));
    }

    @Test
    void findsNothingInAnEmptyLog() {
        PartitionLog log = open(0, Map.of());

        assertThat(find(log, 0)).isEqualTo(new OffsetQuery.Result.Nothing());
        assertThat(find(log, OffsetQuery.MAX_TIMESTAMP)).isEqualTo(new OffsetQuery.Result.Nothing());
    }

    // ---- epochs ----

    @Test
    void knowsWhereEpochsEnd() {
        PartitionLog log = open(0, Map.of());
        append(log, TestBatches.of("a", "b"));
        world.restart();
        PartitionLog again = open(0, EPOCH + 2, Map.of());
        append(again, TestBatches.of("c"));
        world.settle();

        assertThat(again.endOffsetForEpoch(EPOCH)).isEqualTo(new EpochEndOffset(EPOCH, 2));
        assertThat(again.endOffsetForEpoch(EPOCH + 1)).isEqualTo(new EpochEndOffset(EPOCH, 2));
        assertThat(again.endOffsetForEpoch(EPOCH + 2)).isEqualTo(new EpochEndOffset(EPOCH + 2, 3));
        assertThat(again.endOffsetForEpoch(EPOCH + 3)).isEqualTo(EpochEndOffset.UNKNOWN);
    }

    // ---- trim, delete, restart ----

    @Test
    void trimsTheLogForGood() {
        PartitionLog log = open(0, Map.of());
        append(log, TestBatches.of("a", "b", "c"));
        world.settle();

        var trimmed = log.trim(2).toCompletableFuture();
        world.settle();
        assertThat(trimmed.join()).isEqualTo(2);
        assertThat(log.logStartOffset()).isEqualTo(2);
        assertThat(read(log, 1, 100, true, Limit.VISIBLE)).isEqualTo(new ReadResult.OutOfRange(2, 3, 3));

        world.restart();
        assertThat(open(0, Map.of()).logStartOffset()).isEqualTo(2);
    }

    @Test
    void trimsToTheVisibleOffsetAndNotBeyond() {
        PartitionLog log = open(0, Map.of());
        append(log, TestBatches.of("a", "b"));
        world.settle();

        var beyond = log.trim(3).toCompletableFuture();
        var all = log.trim(-1).toCompletableFuture();
        world.settle();

        assertThatThrownBy(beyond::join).hasCauseInstanceOf(OffsetOutOfRangeException.class);
        assertThat(all.join()).isEqualTo(2);
        assertThat(values(log, 2, Limit.VISIBLE)).isEmpty();
    }

    @Test
    void keepsEverythingDurableOverARestart() {
        PartitionLog log = open(0, Map.of());
        append(log, TestBatches.of("a", "b"));
        append(log, TestBatches.of("c"));
        world.restart();
        PartitionLog again = open(0, Map.of());

        assertThat(again.endOffset()).isEqualTo(3);
        assertThat(again.visibleOffset()).isEqualTo(3);
        assertThat(values(again, 0, Limit.VISIBLE)).containsExactly("0:a", "1:b", "2:c");
        assertThat(append(again, TestBatches.of("d"))).isEqualTo(new Appended(3, 3, -1));
    }

    @Test
    void deletesWhileAReaderHoldsASlice() {
        PartitionLog log = open(0, Map.of());
        append(log, TestBatches.of("a"));
        world.settle();
        ReadResult.Records held = (ReadResult.Records) read(log, 0, 1000, true, Limit.VISIBLE);
        append(log, TestBatches.of("b"));
        RecordingDurability waiter = new RecordingDurability();
        log.awaitDurable(2, waiter);

        world.store().delete(log.id());
        world.settle();

        assertThat(world.store().find(log.id())).isNull();
        assertThat(log.state()).isEqualTo(LogState.DELETED);
        assertThat(read(log, 0, 1000, true, Limit.VISIBLE)).isEqualTo(new ReadResult.NotServed(LogState.DELETED));
        assertThat(refusalOf(append(log, TestBatches.of("c")))).isEqualTo(Refusal.DELETED);
        assertThat(waiter.heard()).containsExactly("unknown 1");
        assertThat(TestBatches.values(held.slice())).containsExactly("0:a");
    }

    @Test
    void doesNotBringADeletedLogBack() {
        PartitionLog log = open(0, Map.of());
        append(log, TestBatches.of("a"));
        world.settle();
        world.store().delete(log.id());
        world.restart();

        var stage = world.store()
                .open(new PartitionId(TOPIC, 0), "orders", 900, EPOCH, Map.of())
                .toCompletableFuture();
        world.settle();
        assertThat(stage.join().endOffset()).isZero();
    }

    @Test
    void keepsLogsApart() {
        PartitionLog first = open(0, Map.of());
        PartitionLog second = open(1, Map.of());
        append(first, TestBatches.of("a"));
        append(second, TestBatches.of("b"));
        append(first, TestBatches.of("c"));
        world.restart();

        assertThat(values(open(0, Map.of()), 0, Limit.VISIBLE)).containsExactly("0:a", "1:c");
        assertThat(values(open(1, Map.of()), 0, Limit.VISIBLE)).containsExactly("0:b");
    }
}
