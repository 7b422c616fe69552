package io.sluice.storage.journal;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The write-ahead file shared by all logs of a data directory. An entry appended here is durable when the flush of its
 * group has returned; one flush serves every waiter of every partition.
 *
 * <p>Positions grow by the bytes of entries, over all files and restarts since the directory was first used; they order entries and mean
 * nothing else. Threads: every method may be called from every thread and none blocks on the disk; listeners run on the
 * flush thread and must only hand work over.
 */
public interface Journal extends AutoCloseable {
    /**
     * Sets room aside for one entry, before anything is changed elsewhere.
     *
     * <p>False for one of four reasons, and nothing was set aside: the bytes waiting for their flush, or the bytes that a
     * restart would replay, are at their bound, or the next file is still being prepared: answer FULL and wait with {@link
     * #awaitCapacity}; there is no room or no descriptor for the next file ({@link #shortage}) or a write has failed ({@link
     * #isFailed}): answer STORAGE. What was reserved can be written without any more room on the device.
     *
     * @param payloadBytes bytes of the entry's payload, without its header
     */
    boolean tryReserve(int payloadBytes);

    /**
     * As {@link #tryReserve}, but allowed beyond the bound on bytes to replay: for entries by which a checkpoint makes
     * others releasable, and for those that end a log or its beginning: they free room.
     */
    boolean tryReserveForCheckpoint(int payloadBytes);

    /**
     * As {@link #tryReserve}, for a batch that begins a segment: sets room aside for it and for an entry without payload, or
     * for neither. Each is appended, or given back, as if it had been reserved by itself.
     */
    boolean tryReserveWithSegment(int payloadBytes);

    /**
     * As {@link #tryReserve}, for an entry of a coordinator's own state, which all groups or transactions wait for: it has
     * some room beyond the bounds that others fill, and need not wait behind them. False, with the same meanings, when that
     * is full too.
     *
     * @param withSegment whether it begins a segment: see {@link #tryReserveWithSegment}
     */
    boolean tryReserveForCoordinator(int payloadBytes, boolean withSegment);

    /** Gives back room that {@link #tryReserve} set aside and that will not be used. */
    void cancelReservation(int payloadBytes);

    /**
     * Appends an entry into room set aside before. Copies the payload, or, where it is large, retains it until it is
     * durable: the bytes must not change any more. After a failure the entry is dropped and its position never becomes
     * durable: whoever appends and then registers a waiter looks at {@link #isFailed} after that.
     *
     * @param kind what it is
     * @param logId the log it concerns
     * @param argument kind-specific number (a base offset, a new start offset, an epoch)
     * @param payload readable bytes are the payload; reader index stays
     * @return the position after the entry: durable once {@link #durablePosition()} has reached it
     */
    long append(JournalEntryKind kind, long logId, long argument, ByteBuf payload);

    /** Everything before this position is on stable storage. */
    long durablePosition();

    /** The position after the last entry appended. */
    long endPosition();

    /** Calls the task on the flush thread when room may be free again. */
    void awaitCapacity(Runnable task);

    /** Adds somebody who hears of every completed or failed flush. */
    void addFlushListener(FlushListener listener);

    /**
     * Says that nothing before this position is needed for recovery any more, because the segments hold it durably; the
     * files before it are recycled.
     */
    void releaseBefore(long position);

    /**
     * Bytes on disk, headers and padding included, from the released position to the end: what a restart would replay.
     * Look at it in {@link FlushListener#onDurable} to decide when to checkpoint.
     */
    long unreleasedBytes();

    /** Whether somebody waits for room that {@link #releaseBefore} alone can make. */
    boolean isReleaseAwaited();

    /** Above this many {@link #unreleasedBytes} appends are refused. */
    long maxUnreleasedBytes();

    /** What the entry lacked that was refused last, by whomever: for messages. */
    Lack lack();

    /**
     * After a refusal: what was lacking to make the next file, if that is what it was: {@link
     * io.sluice.storage.file.OutOfSpaceException} for room, {@link io.sluice.storage.file.CannotOpenException} for a
     * descriptor. Else null. Tried again at most twice a second, when somebody reserves; heals when there is some again.
     */
    @Nullable IOException shortage();

    /** Whether a write failed: nothing can be appended until the process starts again. */
    boolean isFailed();

    /** The file that is written now; null where there is none, as in memory. One before it may be gone once it is another. */
    @Nullable Path file();

    /** Flushes what was appended, writes the clean-stop marker and closes. */
    @Override
    void close() throws IOException;

    /** What keeps an entry out. */
    enum Lack {
        /** Too many bytes wait for their flush. */
        BUFFER,
        /** The next file is not ready. */
        FILE,
        /** A restart would have to replay too much. */
        REPLAY
    }

    /** Hears of flushes, on the flush thread. */
    interface FlushListener {
        /** Everything before the position is durable. Called in order of positions. */
        void onDurable(long durablePosition);

        /** A write failed; the outcome of everything from the durable position on is unknown. Called once. */
        void onFailure(IOException cause);
    }
}
