package io.sluice.storage.local;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.base.time.OncePerInterval;
import io.sluice.storage.journal.Journal;
import io.sluice.storage.local.flush.FlushDispatcher;
import io.sluice.storage.local.reader.CatchUpReaders;
import io.sluice.storage.local.segment.OpenFiles;
import java.io.IOException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What all logs of a store share. Safe on every thread. */
interface LogContext {
    /** The journal of the data directory. */
    Journal journal();

    /** Waits for positions of the journal. */
    JournalWait journalWait();

    /** Who is told of flushes. */
    FlushDispatcher dispatcher();

    /** Reads that may wait for the disk. */
    CatchUpReaders catchUpReaders();

    /** Gives the buffers of reads. */
    ByteBufAllocator allocator();

    /** Monotonic nanoseconds. */
    long nanoTime();

    /** Wall-clock milliseconds, for append times. */
    long epochMillis();

    /** Milliseconds on a clock that never jumps ahead, for ages. */
    long steadyMillis();

    /** Whether producers are refused because the device is almost full. */
    boolean isLowOnSpace();

    /** When the log of the node tells of an append that was refused: a full disk refuses those of all partitions. */
    OncePerInterval refusals();

    /** Counters that logs add to. */
    LogMetrics metrics();

    /** A batch was appended, and the append lock is still held: its segment may have to be forced soon. */
    void onAppending(LocalPartitionLog log);

    /** A batch was appended: counts towards the next checkpoint. */
    void onAppended(int bytes);

    /** The outcome of a write is unknown: nothing is appended anywhere any more. */
    void fence(IOException cause);

    /** Why nothing is appended anywhere any more, or null. */
    @Nullable IOException fenceCause();

    /** Whether there is no use in waiting for room in the journal: it has failed, the store is fenced or is closing. */
    boolean isEnding();

    /** Makes a checkpoint that begins after this call; completes when it is done. */
    CompletionStage<Void> checkpointAfresh();

    /** Runs something that may block on the disk, soon. */
    void runInBackground(Runnable task);

    /** Runs something that may block on the disk, later. */
    void runInBackgroundAfter(long millis, Runnable task);

    /** Which segment files are open. */
    OpenFiles openFiles();
}
