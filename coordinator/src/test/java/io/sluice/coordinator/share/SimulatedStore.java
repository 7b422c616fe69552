package io.sluice.coordinator.share;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.protocol.Errors;

/** What is kept of one share partition, offset by offset; a write is kept and answered when the test says so. For one thread. */
final class SimulatedStore implements SharePartitionStore {
    /** State and count of one offset. */
    record Kept(byte state, short deliveryCount) {}

    final TreeMap<Long, Kept> kept = new TreeMap<>();
    long startOffset = UNINITIALIZED;
    Errors readError = Errors.NONE;
    private final List<Pending> pending = new ArrayList<>();

    private record Pending(Change change, CompletableFuture<Errors> answer) {}

    @Override
    public CompletionStage<Loaded> read() {
        List<SavedRange> ranges = new ArrayList<>();
        kept.forEach((offset, one) -> ranges.add(new SavedRange(offset, offset, one.state(), one.deliveryCount())));
        return CompletableFuture.completedFuture(new Loaded(readError, 0, startOffset, ranges));
    }

    @Override
    public CompletionStage<Errors> write(Change change) {
        Pending write = new Pending(change, new CompletableFuture<>());
        pending.add(write);
        return write.answer();
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

    private void keep(Change change) {
        startOffset = change.startOffset();
        for (SavedRange range : change.ranges()) {
            for (long offset = range.firstOffset(); offset <= range.lastOffset(); offset++) {
                kept.put(offset, new Kept(range.state(), range.deliveryCount()));
            }
        }
        kept.headMap(startOffset).clear();
    }
}
