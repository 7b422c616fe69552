package io.sluice.coordinator.share;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SimulatedTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.protocol.Errors;

/** A share partition over a simulated store, and what it does. For one thread. */
final class SharePartitionWorld {
    static final AcquireLimits WHOLE_BATCHES = new AcquireLimits(500, false);
    static final String ANN = "ann";
    static final String BOB = "bob";

    final SimulatedTime time = new SimulatedTime(0);
    final SimulatedStore store = new SimulatedStore();
    final List<DeadLetter> letters = new ArrayList<>();
    final List<Errors> lost = new ArrayList<>();
    CompletableFuture<Void> lettersDurable = CompletableFuture.completedFuture(null);
    int available;
    ShareGroupSettings settings = new ShareGroupSettings(3, 30_000, 100, true, false, true, "earliest");
    SharePartition partition = create();

    SharePartition create() {
        return new SharePartition(
                "g:t-0",
                store,
                () -> settings,
                sent -> {
                    letters.addAll(sent);
                    return lettersDurable;
                },
                new SharePartitionListener() {
                    @Override
                    public void onAvailable() {
                        available++;
                    }

                    @Override
                    public void onLost(Errors error) {
                        lost.add(error);
                    }
                },
                new SharePartition.Time(time, time, Runnable::run));
    }

    void load(long firstOffset) {
        load(firstOffset, 1000);
    }

    void load(long firstOffset, long logEndOffset) {
        CompletableFuture<Errors> loaded = loadLater(firstOffset, logEndOffset);
        store.answerAll();
        assertThat(loaded).isCompletedWithValue(Errors.NONE);
    }

    CompletableFuture<Errors> loadLater(long firstOffset, long logEndOffset) {
        return partition
                .load(() -> CompletableFuture.completedFuture(firstOffset), logEndOffset)
                .toCompletableFuture();
    }

    void limitDeliveries(int limit) {
        settings = new ShareGroupSettings(limit, 30_000, 100, true, false, true, "earliest");
    }

    void restart() {
        store.crash(false);
        partition = create();
        load(0);
    }

    static FetchedBatch batch(long first, long last) {
        return new FetchedBatch(first, last, true);
    }

    List<AcquiredRange> acquire(String member, FetchedBatch... batches) {
        return acquire(member, WHOLE_BATCHES, batches);
    }

    List<AcquiredRange> acquire(String member, AcquireLimits limits, FetchedBatch... batches) {
        return partition.acquire(member, partition.nextOffset(), List.of(batches), limits);
    }

    static AcquiredRange range(long first, long last, int count) {
        return new AcquiredRange(first, last, (short) count);
    }

    CompletableFuture<Errors> acknowledgeLater(String member, long first, long last, int... types) {
        byte[] bytes = new byte[types.length];
        for (int i = 0; i < types.length; i++) {
            bytes[i] = (byte) types[i];
        }
        return partition
                .acknowledge(member, List.of(new Acknowledgement(first, last, bytes)))
                .toCompletableFuture();
    }

    Errors acknowledge(String member, long first, long last, int... types) {
        CompletableFuture<Errors> answer = acknowledgeLater(member, first, last, types);
        store.answerAll();
        return answer.join();
    }
}
