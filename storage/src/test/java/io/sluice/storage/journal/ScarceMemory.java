package io.sluice.storage.journal;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.base.memory.MemoryExhaustedException;

/** Gives memory until it is told to have none left. The collector takes back what is not released. For one thread. */
final class ScarceMemory extends AbstractByteBufAllocator {
    private final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true, true, false);
    private boolean exhausted;
    private int refusals;

    ScarceMemory() {
        super(true);
    }

    void setExhausted(boolean nothingLeft) {
        exhausted = nothingLeft;
    }

    /** How many buffers were asked for in vain. */
    int refusals() {
        return refusals;
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        if (exhausted) {
            refusals++;
            throw new MemoryExhaustedException(initialCapacity, initialCapacity, initialCapacity);
        }
        return memory.directBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        return memory.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return false;
    }
}
