package io.sluice.broker.producerid;

import io.sluice.base.metadata.MetadataStore;
import io.sluice.base.metadata.MetadataStore.Entry;
import io.sluice.base.metadata.MetadataStore.MultiResult;
import io.sluice.base.metadata.MetadataStore.Operation;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Hands out producer ids that no producer ever gets again: a block of {@value #BLOCK} is reserved durably before its first
 * id is given away, and a restart begins a new one. The next block is reserved when the current one runs low. Safe on every
 * thread.
 *
 * <p>In the metadata store under {@value #KEY}: the first id that is in no reserved block, 8 bytes, big-endian.
 */
public final class ProducerIds {
    /** Where the reservation is kept. */
    public static final String KEY = "/producer-ids";
    /** Ids reserved together. */
    public static final int BLOCK = 1000;
    /** Most requests that wait for a reservation at once; those beyond are turned away. */
    public static final int MAX_WAITING = 10_000;

    /** What a request for an id is answered where none could be reserved. */
    public static final long NONE = -1;

    private static final int RUNNING_LOW = BLOCK / 10;

    private final MetadataStore store;
    private final Queue<LongConsumer> waiting = new ArrayDeque<>();
    private long next;
    private long end;
    private long spareNext;
    private long spareEnd;
    private boolean reserving;

    /** Ids out of blocks reserved in this store. */
    public ProducerIds(MetadataStore store) {
        this.store = store;
    }

    /**
     * Gives out an id, mostly at once, else when a block has been reserved.
     *
     * @param receiver takes the id, or {@link #NONE} where the store failed or too many wait; called once, on the caller's
     *     or the metadata thread, and must not block
     */
    public void take(LongConsumer receiver) {
        long id;
        boolean waits = false;
        boolean reserve;
        synchronized (this) {
            id = poll();
            if (id == NONE && waiting.size() < MAX_WAITING) {
                waiting.add(receiver);
                waits = true;
            }
            reserve = !reserving && isRunningLow();
            reserving |= reserve;
        }
        if (!waits) {
            receiver.accept(id);
        }
        if (reserve) {
            reserve();
        }
    }

    private boolean isRunningLow() {
        return spareNext == spareEnd && end - next <= RUNNING_LOW;
    }

    /** The next reserved id, or NONE. */
    private long poll() {
        if (next == end) {
            next = spareNext;
            end = spareEnd;
            spareNext = 0;
            spareEnd = 0;
        }
        return next == end ? NONE : next++;
    }

    private void reserve() {
        store.get(KEY).thenCompose(this::reserveAfter).whenComplete(this::onReserved);
    }

    /** The start of a new block, or null where somebody else reserved one in between. */
    private CompletionStage<@Nullable Long> reserveAfter(Optional<Entry> found) {
        long start =
                found.map(entry -> ByteBuffer.wrap(entry.value()).getLong()).orElse(0L);
        byte[] value = ByteBuffer.allocate(Long.BYTES).putLong(start + BLOCK).array();
        Operation operation = found.isPresent()
                ? new Operation.Set(KEY, value, found.get().version())
                : new Operation.Create(KEY, value);
        return store.multi(List.of(operation))
                .thenApply(result -> result instanceof MultiResult.Applied ? start : null);
    }

    private void onReserved(@Nullable Long start, @Nullable Throwable cause) {
        List<Runnable> answers = new ArrayList<>();
        boolean again;
        synchronized (this) {
            if (start != null) {
                spareNext = start;
                spareEnd = start + BLOCK;
            }
            LongConsumer receiver = waiting.peek();
            while (receiver != null) {
                long id = poll();
                if (id == NONE && cause == null) {
                    break;
                }
                answers.add(answer(waiting.remove(), id));
                receiver = waiting.peek();
            }
            again = cause == null && !waiting.isEmpty();
            reserving = again;
        }
        answers.forEach(Runnable::run);
        if (again) {
            reserve();
        }
    }

    private static Runnable answer(LongConsumer receiver, long id) {
        return () -> receiver.accept(id);
    }
}
