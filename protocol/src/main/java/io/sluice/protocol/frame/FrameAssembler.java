package io.sluice.protocol.frame;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Cuts the bytes of one connection into frames: four bytes of size, then so many bytes. A frame that lies whole in what was
 * received is a view of it. One that does not gets a buffer of its own, which begins small and grows as bytes arrive, so a
 * size field alone reserves next to nothing; further bytes are best received straight into {@link #space()}.
 *
 * <pre>
 *               size and all bytes there
 *   BETWEEN ------------------------------> FRAME in the input -- consume() --> BETWEEN
 *      | size there, bytes missing
 *      v                     last byte
 *   ASSEMBLING ---------------------------> FRAME of its own ---- take() -----> BETWEEN
 *      | buffer full      ^
 *      '-- NEED_MEMORY ---' tryTake succeeded
 * </pre>
 *
 * For one thread.
 */
public final class FrameAssembler implements AutoCloseable {
    private static final int SIZE_BYTES = 4;
    private static final int FIRST_BYTES = 256 << 10;
    private static final int GROWTH = 4;

    private final FrameMemory memory;
    private final SizeRule sizes;
    private @Nullable ByteBuf partial;
    private int partialSize;
    private @Nullable ByteBuf frame;

    /** How large a frame may be. */
    public interface SizeRule {
        /** The largest size of all. */
        int maxBytes();

        /** The largest size for one API. Not asked about frames of up to 256 KiB, nor about what lies whole in the input. */
        int maxBytes(short apiKey);
    }

    /** What {@link #advance} came to. */
    public enum Progress {
        /** More bytes are needed; up to three may be left in the input. */
        NEED_BYTES,
        /** The frame's buffer is full and the memory for the next part was refused: try again when there is room. */
        NEED_MEMORY,
        /** A frame is there: look at {@link #frame()}. */
        FRAME,
        /** The size field is negative or above what is allowed: close the connection. Nothing was reserved for it. */
        BAD_SIZE
    }

    /**
     * An assembler between two frames.
     *
     * @param sizes which frames are allowed
     */
    public FrameAssembler(FrameMemory memory, SizeRule sizes) {
        this.memory = memory;
        this.sizes = sizes;
    }

    /** Goes on with more input; its reader index moves over bytes that were copied, not over a frame that lies in it. */
    public Progress advance(ByteBuf input) {
        if (frame != null) {
            return Progress.FRAME;
        }
        if (partial != null) {
            return assemble(partial, input);
        }
        if (input.readableBytes() < SIZE_BYTES) {
            return Progress.NEED_BYTES;
        }
        int size = input.getInt(input.readerIndex());
        if (size < 0 || size > sizes.maxBytes()) {
            return Progress.BAD_SIZE;
        }
        if (input.readableBytes() - SIZE_BYTES >= size) {
            frame = input.slice(input.readerIndex() + SIZE_BYTES, size);
            return Progress.FRAME;
        }
        input.skipBytes(SIZE_BYTES);
        partialSize = size;
        partial = firstBuffer(size, input.readableBytes());
        return assemble(partial, input);
    }

    private ByteBuf firstBuffer(int size, int here) {
        ByteBuf roomy = memory.tryTake(Math.min(size, Math.max(FIRST_BYTES, here)));
        return roomy != null ? roomy : memory.take(here);
    }

    private Progress assemble(ByteBuf buffer, ByteBuf input) {
        ByteBuf target = buffer;
        while (true) {
            int count = Math.min(input.readableBytes(), target.writableBytes());
            target.writeBytes(input, count);
            if (target.writerIndex() == partialSize) {
                frame = target;
                return Progress.FRAME;
            }
            if (target.isWritable()) {
                return Progress.NEED_BYTES;
            }
            if (target.writerIndex() >= Short.BYTES && partialSize > sizes.maxBytes(target.getShort(0))) {
                return Progress.BAD_SIZE;
            }
            ByteBuf larger = memory.tryGrow(target, target.capacity() + missingBytes());
            if (larger == null) {
                return Progress.NEED_MEMORY;
            }
            partial = larger;
            target = larger;
        }
    }

    /** By how much the buffer of the frame under assembly wants to grow next; 0 between frames. */
    public int missingBytes() {
        if (partial == null) {
            return 0;
        }
        long wanted = Math.max(FIRST_BYTES, (long) partial.capacity() * GROWTH);
        return (int) Math.min(partialSize, wanted) - partial.capacity();
    }

    /**
     * The part of the frame under assembly that bytes may be received into, as a view with a reference of its own; null
     * when there is none. Report what was written with {@link #received}.
     */
    public @Nullable ByteBuf space() {
        if (partial == null || frame != null || !partial.isWritable()) {
            return null;
        }
        return partial.retainedSlice(partial.writerIndex(), partial.writableBytes())
                .writerIndex(0);
    }

    /** So many bytes were received into {@link #space()}. */
    public void received(int bytes) {
        if (partial == null) {
            throw new IllegalStateException("no frame is being assembled");
        }
        partial.writerIndex(partial.writerIndex() + bytes);
    }

    /** The frame that is there, without its size field; valid until it is consumed or taken. */
    public ByteBuf frame() {
        if (frame == null) {
            throw new IllegalStateException("no frame is there");
        }
        return frame;
    }

    /** Whether the frame that is there has a buffer of its own, which {@link #take} hands over. */
    public boolean ownsFrame() {
        return frame != null && partial != null;
    }

    /** Whether part of a frame has arrived and the rest has not. */
    public boolean isAssembling() {
        return partial != null && frame == null;
    }

    /** Steps over a frame that lies in the input. */
    public void consume(ByteBuf input) {
        input.skipBytes(SIZE_BYTES + frame().readableBytes());
        frame = null;
    }

    /** Hands over a frame that has a buffer of its own; the receiver gives it back to the {@link FrameMemory}. */
    public ByteBuf take() {
        ByteBuf taken = frame();
        if (!ownsFrame()) {
            throw new IllegalStateException("the frame lies in the input");
        }
        partial = null;
        frame = null;
        return taken;
    }

    /** Forgets that a frame lies in the input, which is about to go away; the next call finds it again. */
    public void forgetView() {
        if (!ownsFrame()) {
            frame = null;
        }
    }

    /** Gives back what is held. */
    @Override
    public void close() {
        if (partial != null) {
            memory.giveBack(partial);
        }
        partial = null;
        frame = null;
    }
}
