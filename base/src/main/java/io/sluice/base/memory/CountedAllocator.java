package io.sluice.base.memory;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.base.metric.Metric;
import io.sluice.base.metric.Metrics;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The one source of direct memory. Counts the capacity of every buffer that lives and refuses before its limit, with a
 * {@link MemoryExhaustedException}, so that exhaustion turns into back-pressure and never into an OutOfMemoryError. A
 * small reserve above the limit is kept for what must not be refused, such as a short answer to a request served already.
 *
 * <p>Beneath it lies Netty's pool, which rounds up and keeps chunks: give the virtual machine about a fifth more direct
 * memory than the limit and the reserve together. Where that is too little, the pool's own error becomes a refusal too.
 *
 * <p>Safe on every thread. Buffers may be released on another thread than the one that took them.
 */
public final class CountedAllocator extends AbstractByteBufAllocator {
    private static final int PAGE_BYTES = 8 << 10;
    private static final int CHUNK_ORDER = 9;
    private static final int SMALL_CACHE_BUFFERS = 64;
    private static final int NORMAL_CACHE_BUFFERS = 16;

    private final PooledByteBufAllocator pool;
    private final long limitBytes;
    private final long reserveBytes;
    private final AtomicLong usedBytes = new AtomicLong();
    private final AtomicLong refusals = new AtomicLong();

    /**
     * An allocator with nothing allocated.
     *
     * @param limitBytes sum of the capacities of all buffers at any time
     * @param reserveBytes how far {@link #reservedBuffer} may go above it
     * @param arenas independent pools inside, about one for every busy thread
     */
    public CountedAllocator(long limitBytes, long reserveBytes, int arenas) {
        super(true);
        if (limitBytes <= 0 || reserveBytes < 0) {
            throw new IllegalArgumentException("limit " + limitBytes + ", reserve " + reserveBytes);
        }
        this.limitBytes = limitBytes;
        this.reserveBytes = reserveBytes;
        this.pool = new PooledByteBufAllocator(
                true, 0, arenas, PAGE_BYTES, CHUNK_ORDER, SMALL_CACHE_BUFFERS, NORMAL_CACHE_BUFFERS, false);
    }

    /**
     * A direct buffer with exactly this capacity, or null when it would pass the limit.
     *
     * @param bytes its capacity, zero or more
     */
    public @Nullable ByteBuf tryDirectBuffer(int bytes) {
        try {
            return directBuffer(bytes, bytes);
        } catch (MemoryExhaustedException e) {
            return null;
        }
    }

    /**
     * A direct buffer that may be taken from the reserve above the limit.
     *
     * @throws MemoryExhaustedException when the reserve is used up as well
     */
    public ByteBuf reservedBuffer(int bytes) {
        return bytes == 0 ? directBuffer(0, 0) : CountedByteBuf.allocate(this, true, bytes, bytes);
    }

    /** Capacity of all buffers that live. */
    public long usedBytes() {
        return usedBytes.get();
    }

    /** What {@link #usedBytes} does not pass, the reserve aside. */
    public long limitBytes() {
        return limitBytes;
    }

    /** What the pool beneath has taken from the system. */
    public long pooledBytes() {
        return pool.metric().usedDirectMemory();
    }

    /** How often it refused. */
    public long refusals() {
        return refusals.get();
    }

    /** Shows its figures. */
    public void registerGauges(Metrics metrics) {
        metrics.gauge(Metric.MEMORY_DIRECT_USED_BYTES, usedBytes::get);
        metrics.gauge(Metric.MEMORY_DIRECT_LIMIT_BYTES, () -> limitBytes);
        metrics.gauge(Metric.MEMORY_DIRECT_POOLED_BYTES, this::pooledBytes);
        metrics.total(Metric.MEMORY_DIRECT_REFUSALS, refusals::get);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return true;
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        return UnpooledByteBufAllocator.DEFAULT.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        return CountedByteBuf.allocate(this, false, initialCapacity, maxCapacity);
    }

    /** Counts and takes memory for one buffer. */
    ByteBuf take(int bytes, boolean fromReserve) {
        long limit = fromReserve ? limitBytes + reserveBytes : limitBytes;
        long used = usedBytes.addAndGet(bytes);
        if (used > limit) {
            throw refuse(bytes);
        }
        try {
            return pool.directBuffer(bytes, bytes);
        } catch (OutOfMemoryError e) {
            // Netty's own count refused before anything was allocated: the machine was given less than the limit.
            throw refuse(bytes);
        }
    }

    private MemoryExhaustedException refuse(int bytes) {
        refusals.incrementAndGet();
        return new MemoryExhaustedException(bytes, usedBytes.addAndGet(-bytes), limitBytes);
    }

    /** Uncounts what {@link #take} handed out and its holder released. */
    void giveBack(int bytes) {
        usedBytes.addAndGet(-bytes);
    }
}
