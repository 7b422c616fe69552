package io.sluice.broker.net;

import io.netty.buffer.ByteBuf;
import io.sluice.base.memory.CountedAllocator;
import io.sluice.protocol.frame.FrameMemory;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One connection's part of the request memory: hands out buffers that are counted in the budget and taken from the counted
 * allocator. On the event loop only, but for {@link #giveBack}.
 */
final class RequestLease implements FrameMemory {
    private final RequestMemory budget;
    private final CountedAllocator allocator;
    private final Executor loop;
    private long grantedBytes;
    private boolean allocatorRefused;
    private boolean closed;

    RequestLease(RequestMemory budget, CountedAllocator allocator, Executor loop) {
        this.budget = budget;
        this.allocator = allocator;
        this.loop = loop;
    }

    @Override
    public ByteBuf take(int capacity) {
        ByteBuf buffer = allocator.reservedBuffer(capacity);
        budget.add(capacity);
        return buffer;
    }

    @Override
    public @Nullable ByteBuf tryTake(int capacity) {
        return claim(capacity) ? allocate(capacity, capacity) : null;
    }

    @Override
    public @Nullable ByteBuf tryGrow(ByteBuf buffer, int capacity) {
        int more = capacity - buffer.capacity();
        ByteBuf larger = claim(more) ? allocate(capacity, more) : null;
        if (larger != null) {
            larger.writeBytes(buffer, 0, buffer.writerIndex());
            buffer.release();
        }
        return larger;
    }

    private @Nullable ByteBuf allocate(int capacity, int claimed) {
        ByteBuf buffer = allocator.tryDirectBuffer(capacity);
        allocatorRefused = buffer == null;
        if (allocatorRefused) {
            budget.release(claimed);
        }
        return buffer;
    }

    /** Whether the last refusal was the allocator's, not the budget's: nobody tells when it will have room. */
    boolean wasAllocatorEmpty() {
        return allocatorRefused;
    }

    /** Uses up a grant first. */
    private boolean claim(long bytes) {
        allocatorRefused = false;
        long granted = grantedBytes;
        grantedBytes = 0;
        if (granted >= bytes) {
            budget.release(granted - bytes);
            return true;
        }
        budget.release(granted);
        return budget.tryAdd(this, bytes);
    }

    /** Calls the task on the event loop when so many bytes have been set aside for the next {@link #tryTake}. */
    void await(int bytes, Runnable task) {
        budget.await(this, bytes, loop, () -> onGranted(bytes, task));
    }

    private void onGranted(int bytes, Runnable task) {
        if (closed) {
            budget.release(bytes);
            return;
        }
        grantedBytes += bytes;
        task.run();
    }

    @Override
    public void giveBack(ByteBuf buffer) {
        int capacity = buffer.capacity();
        buffer.release();
        budget.release(capacity);
    }

    /** A call begins to use a frame taken from here. */
    void beginCall(ByteBuf frame) {
        budget.beginCall(this, frame.capacity());
    }

    /** The call ended: its frame is given back. */
    void endCall(ByteBuf frame) {
        budget.endCall(frame.capacity());
        giveBack(frame);
    }

    /** A call begins whose request was read onto the heap. */
    void beginHeapCall(int bytes) {
        budget.beginParked(bytes);
    }

    /** That call ended. */
    void endHeapCall(int bytes) {
        budget.endParked(bytes);
    }

    /** The frame under assembly became whole. */
    void onFrameWhole() {
        budget.endPrivilege(this);
    }

    /** Ends waiting and what was granted. Buffers handed out are given back by whoever holds them. */
    void close() {
        closed = true;
        budget.cancel(this);
        budget.release(grantedBytes);
        grantedBytes = 0;
    }
}
