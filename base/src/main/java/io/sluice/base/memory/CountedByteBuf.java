package io.sluice.base.memory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.util.internal.CleanableDirectBuffer;
import java.nio.ByteBuffer;

/**
 * A direct buffer whose memory is a piece of the pool, counted from its allocation to its last release. The superclass
 * never frees the memory a buffer begins with, since that was handed in, but does free what {@link
 * #allocateDirectBuffer} returned for growth; hence the two ways back.
 */
final class CountedByteBuf extends UnpooledDirectByteBuf {
    private final CountedAllocator counter;
    private final boolean fromReserve;
    private final Lease first;
    private boolean grown;

    private CountedByteBuf(ByteBufAllocator alloc, Lease first, int maxCapacity) {
        super(alloc, first.buffer(), maxCapacity);
        this.counter = first.counter;
        this.fromReserve = first.fromReserve;
        this.first = first;
        clear();
    }

    /** Takes memory for a new buffer; it grows out of where it came from. */
    static CountedByteBuf allocate(
            CountedAllocator counter, boolean fromReserve, int initialCapacity, int maxCapacity) {
        Lease first = Lease.take(counter, fromReserve, initialCapacity);
        return new CountedByteBuf(counter, first, maxCapacity);
    }

    @Override
    protected CleanableDirectBuffer allocateDirectBuffer(int capacity) {
        return Lease.take(counter, fromReserve, capacity);
    }

    @Override
    public ByteBuf capacity(int newCapacity) {
        if (newCapacity == capacity()) {
            return this;
        }
        // Netty copies into what allocateDirectBuffer returns and cleans what that returned the time before.
        super.capacity(newCapacity);
        if (!grown) {
            first.clean();
            grown = true;
        }
        return this;
    }

    @Override
    protected void deallocate() {
        super.deallocate();
        if (!grown) {
            first.clean();
        }
    }

    @Override
    public boolean hasMemoryAddress() {
        return !grown && first.hasMemoryAddress();
    }

    @Override
    public long memoryAddress() {
        if (!hasMemoryAddress()) {
            throw new UnsupportedOperationException();
        }
        return first.memoryAddress();
    }

    /** One piece of pooled memory. */
    private static final class Lease implements CleanableDirectBuffer {
        private final CountedAllocator counter;
        private final boolean fromReserve;
        private final ByteBuf memory;
        private final ByteBuffer buffer;

        private Lease(CountedAllocator counter, boolean fromReserve, ByteBuf memory) {
            this.counter = counter;
            this.fromReserve = fromReserve;
            this.memory = memory;
            this.buffer = memory.nioBuffer(0, memory.capacity());
        }

        static Lease take(CountedAllocator counter, boolean fromReserve, int bytes) {
            return new Lease(counter, fromReserve, counter.take(bytes, fromReserve));
        }

        @Override
        public ByteBuffer buffer() {
            return buffer;
        }

        @Override
        public void clean() {
            int bytes = memory.capacity();
            memory.release();
            counter.giveBack(bytes);
        }

        @Override
        public boolean hasMemoryAddress() {
            return memory.hasMemoryAddress();
        }

        @Override
        public long memoryAddress() {
            return memory.memoryAddress();
        }
    }
}
