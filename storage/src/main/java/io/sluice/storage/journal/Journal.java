package io.sluice.storage.journal;

import io.netty.buffer.ByteBuf;
import java.io.IOException;

/**
 * The write-ahead file shared by all logs of a data directory. An entry appended here is durable when the flush of its
 * group has returned; one flush serves every waiter of every partition.
 *
 * <p>Positions grow by the bytes of entries, over all files and restarts of one process run; they order entries and mean
 * nothing else. Threads: every method may be called from every thread and none blocks on the disk; listeners run on the
 * flush thread and must only hand work over.
 */
public interface Journal extends AutoCloseable {
    /**
     * Sets room aside for one entry, before anything is changed elsewhere.
     *
     * @param payloadBytes bytes of the entry's payload, without its header
     * @return false when the bounded buffer is full: nothing was set aside, wait with {@link #awaitCapacity}
     */
    boolean tryReserve(int payloadBytes);

    /** Gives back room that {@link #tryReserve} set aside and that will not be used. */
    void cancelReservation(int payloadBytes);

    /**
     * Appends an entry into room set aside before; copies the payload before it returns.
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

    /** Bytes between the released position and the end: what a restart would replay. */
    long unreleasedBytes();

    /** Whether a write failed: nothing can be appended until the process starts again. */
    boolean isFailed();

    /** Flushes what was appended, writes the clean-stop marker and closes. */
    @Override
    void close() throws IOException;

    /** Hears of flushes, on the flush thread. */
    interface FlushListener {
        /** Everything before the position is durable. Called in order of positions. */
        void onDurable(long durablePosition);

        /** A write failed; the outcome of everything from the durable position on is unknown. Called once. */
        void onFailure(IOException cause);
    }
}
