package io.sluice.coordinator.share;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.coordinator.share.PersisterStateBatchCombiner;
import org.apache.kafka.server.share.persister.PersisterStateBatch;

/**
 * What is kept of one share partition by the library's rules, with its own combiner: the start never goes back, and what is said
 * of an offset gives way only to something stronger. A write is kept and answered when the test says so. For one thread.
 */
final class SimulatedStore implements SharePartitionStore {
    /** State and count of one offset. */
    record Kept(byte state, short deliveryCount) {}

    long startOffset = UNINITIALIZED;
    Errors readError = Errors.NONE;
    int resets;
    int stateEpoch;
    private List<PersisterStateBatch> batches = List.of();
    private final List<Pending> pending = new ArrayList<>();

    private record Pending(Change change, CompletableFuture<Errors> answer) {}

    @Override
    public CompletionStage<Loaded> read() {
        List<SavedRange> ranges = batches.stream()
                .map(batch -> new SavedRange(
                        batch.firstOffset(), batch.lastOffset(), batch.deliveryState(), batch.deliveryCount()))
                .toList();
        return CompletableFuture.completedFuture(
                readError == Errors.NONE
                        ? new Loaded(readError, stateEpoch, startOffset, ranges)
                        : Loaded.failed(readError));
    }

    @Override
    public CompletionStage<Errors> write(Change change) {
        Pending write = new Pending(change, new CompletableFuture<>());
        pending.add(write);
        return write.answer();
    }

    @Override
    public CompletionStage<Errors> reset(int stateEpoch, long offset) {
        resets++;
        startOffset = offset;
        batches = List.of();
        return CompletableFuture.completedFuture(Errors.NONE);
    }

    int writes() {
        return pending.size();
    }

    /** Keeps the oldest write, or does not, and answers it. */
    void answer(boolean keep, Errors error) {
        Pending write = pending.remove(0);
        if (keep) {
            keep(write.change());
        }
        write.answer().complete(error);
    }

    void answerAll() {
        while (!pending.isEmpty()) {
            answer(true, Errors.NONE);
        }
    }

    /** The process dies: writes under way were kept, or were not, and nobody is told. */
    void crash(boolean keep) {
        if (keep) {
            pending.forEach(write -> keep(write.change()));
        }
        pending.clear();
    }

    /** Keeps something that no share partition has said. */
    void plant(long start, SavedRange... ranges) {
        keep(new Change(0, start, 0, List.of(ranges)));
    }

    /** An administrator sets the group's offset. */
    void alter(long offset) {
        stateEpoch++;
        startOffset = offset;
        batches = List.of();
    }

    /**
     * The group is deleted and made again, and has the epoch that it had.
     *
     * @param offset where it begins, UNINITIALIZED where nobody has read yet
     */
    void beginAnew(long offset) {
        startOffset = offset;
        batches = List.of();
    }

    /** Keeps the oldest write, and does not answer it yet. */
    void keepFirst() {
        keep(pending.get(0).change());
    }

    private void keep(Change change) {
        startOffset = Math.max(startOffset, change.startOffset());
        List<PersisterStateBatch> added = change.ranges().stream()
                .map(range -> new PersisterStateBatch(
                        range.firstOffset(), range.lastOffset(), range.state(), range.deliveryCount()))
                .toList();
        batches = new PersisterStateBatchCombiner(batches, added, startOffset).combineStateBatches();
    }

    /** What is kept of each offset. */
    SortedMap<Long, Kept> kept() {
        SortedMap<Long, Kept> kept = new TreeMap<>();
        for (PersisterStateBatch batch : batches) {
            for (long offset = batch.firstOffset(); offset <= batch.lastOffset(); offset++) {
                kept.put(offset, new Kept(batch.deliveryState(), batch.deliveryCount()));
            }
        }
        return kept;
    }
}
