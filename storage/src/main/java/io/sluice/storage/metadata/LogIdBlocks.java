package io.sluice.storage.metadata;

import io.sluice.base.metadata.MetadataStore;
import io.sluice.base.metadata.MetadataStore.Entry;
import io.sluice.base.metadata.MetadataStore.MultiResult;
import io.sluice.base.metadata.MetadataStore.Operation;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Hands out numeric log ids that are never used twice: a block is reserved durably before the first of it is given away,
 * and a restart goes on behind it. Safe on every thread.
 */
final class LogIdBlocks {
    /** The first id ever. */
    static final long FIRST = 1;

    private static final long BLOCK = 10_000;

    private final MetadataStore store;
    private final Queue<Waiter> waiters = new ArrayDeque<>();
    private long next;
    private long limit;
    private boolean reserving;

    LogIdBlocks(MetadataStore store) {
        this.store = store;
    }

    private record Waiter(int count, CompletableFuture<Long> first) {}

    /** The first of {@code count} ids that follow each other. */
    CompletionStage<Long> take(int count) {
        Waiter waiter = new Waiter(count, new CompletableFuture<>());
        synchronized (this) {
            if (waiters.isEmpty() && next + count <= limit) {
                long first = next;
                next += count;
                return CompletableFuture.completedFuture(first);
            }
            waiters.add(waiter);
            if (reserving) {
                return waiter.first;
            }
            reserving = true;
        }
        reserve();
        return waiter.first;
    }

    private void reserve() {
        store.get(MetadataKeys.LOG_IDS).thenCompose(this::reserve).whenComplete((block, cause) -> serve(block, cause));
    }

    /** The start of a new block; another's reservation in between only means to try again. */
    private CompletionStage<long[]> reserve(Optional<Entry> found) {
        long first =
                found.map(entry -> MetadataValues.decodeLong(entry.value())).orElse(FIRST);
        long end = first + Math.max(BLOCK, waitedFor());
        byte[] value = MetadataValues.encodeLong(end);
        Operation operation = found.isPresent()
                ? new Operation.Set(MetadataKeys.LOG_IDS, value, found.get().version())
                : new Operation.Create(MetadataKeys.LOG_IDS, value);
        return store.multi(List.of(operation))
                .thenApply(result -> result instanceof MultiResult.Applied ? new long[] {first, end} : new long[0]);
    }

    private synchronized long waitedFor() {
        return waiters.stream().mapToLong(Waiter::count).sum();
    }

    private void serve(long @Nullable [] block, @Nullable Throwable cause) {
        List<Runnable> answers = new ArrayList<>();
        boolean again;
        synchronized (this) {
            if (block != null && block.length > 0) {
                next = block[0];
                limit = block[1];
            }
            while (!waiters.isEmpty()
                    && (cause != null || next + waiters.element().count() <= limit)) {
                answers.add(answer(waiters.remove(), cause));
            }
            again = !waiters.isEmpty();
            reserving = again;
        }
        answers.forEach(Runnable::run);
        if (again) {
            reserve();
        }
    }

    private Runnable answer(Waiter waiter, @Nullable Throwable cause) {
        if (cause != null) {
            return () -> waiter.first().completeExceptionally(new IOException("cannot reserve log ids", cause));
        }
        long first = next;
        next += waiter.count();
        return () -> waiter.first().complete(first);
    }
}
