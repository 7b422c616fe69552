package io.sluice.broker.simulation;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.sluice.base.id.PartitionId;
import io.sluice.protocol.record.BatchView;
import io.sluice.storage.log.LogSlice;
import io.sluice.storage.log.LogState;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.PartitionLogStore;
import io.sluice.storage.log.ReadHandle;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The logs of a simulated node. Counts slices, so that a test can see that each was released exactly once. */
public final class InMemoryPartitionLogStore implements PartitionLogStore {
    private final Map<PartitionId, InMemoryPartitionLog> logs = new LinkedHashMap<>();
    private final Deque<Runnable> waitingForRoom = new ArrayDeque<>();
    private final Deque<DelayedRead> delayedReads = new ArrayDeque<>();
    private final @Nullable Path fileDirectory;
    private boolean full;
    private boolean flushesAtOnce = true;
    private boolean delaysReads;
    private int openSlices;
    private int files;

    private static final class DelayedRead {
        final Runnable task;
        boolean cancelled;

        DelayedRead(Runnable task) {
            this.task = task;
        }
    }

    /** Reads come as memory. */
    public InMemoryPartitionLogStore() {
        this(null);
    }

    /** Reads come as regions of files in this directory; null for memory. */
    public InMemoryPartitionLogStore(@Nullable Path fileDirectory) {
        this.fileDirectory = fileDirectory;
    }

    /** Whether what is appended is durable at once; true at the start. */
    public void setFlushesAtOnce(boolean atOnce) {
        flushesAtOnce = atOnce;
    }

    /** Whether appends are refused as FULL. */
    public void setFull(boolean isFull) {
        full = isFull;
        if (!isFull) {
            List<Runnable> tasks = List.copyOf(waitingForRoom);
            waitingForRoom.clear();
            tasks.forEach(Runnable::run);
        }
    }

    /** Whether reads wait for {@link #completeReads}. */
    public void setDelaysReads(boolean delays) {
        delaysReads = delays;
    }

    /** Completes the reads that wait, and those that they lead to. */
    public void completeReads() {
        for (DelayedRead read = delayedReads.poll(); read != null; read = delayedReads.poll()) {
            if (!read.cancelled) {
                read.task.run();
            }
        }
    }

    /** Slices read and not released yet. */
    public int openSlices() {
        return openSlices;
    }

    boolean isFull() {
        return full;
    }

    boolean flushesAtOnce() {
        return flushesAtOnce;
    }

    boolean delaysReads() {
        return delaysReads;
    }

    ReadHandle delay(Runnable task) {
        DelayedRead read = new DelayedRead(task);
        delayedReads.add(read);
        return () -> {
            boolean first = !read.cancelled && delayedReads.contains(read);
            read.cancelled = true;
            return first;
        };
    }

    LogSlice slice(List<byte[]> batches) {
        openSlices++;
        long records = 0;
        List<LogSlice.Piece> pieces = new ArrayList<>();
        for (byte[] batch : batches) {
            records += new BatchView().wrap(Unpooled.wrappedBuffer(batch)).recordCount();
            pieces.add(fileDirectory == null ? memory(batch) : region(fileDirectory, batch));
        }
        return new Slice(pieces, records);
    }

    private static LogSlice.Piece memory(byte[] batch) {
        ByteBuf bytes =
                PooledByteBufAllocator.DEFAULT.directBuffer(batch.length).writeBytes(batch);
        return new LogSlice.Piece.Memory(bytes);
    }

    private LogSlice.Piece region(Path directory, byte[] batch) {
        try {
            Files.createDirectories(directory);
            FileChannel channel = FileChannel.open(
                    directory.resolve("slice-" + files++),
                    StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.READ);
            channel.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
            channel.write(ByteBuffer.wrap(batch));
            return new LogSlice.Piece.FileRegion(channel, 3, batch.length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private final class Slice implements LogSlice {
        private final List<Piece> pieces;
        private final long recordCount;
        private boolean released;

        Slice(List<Piece> pieces, long recordCount) {
            this.recordCount = recordCount;
            this.pieces = List.copyOf(pieces);
        }

        @Override
        public int sizeInBytes() {
            int bytes = 0;
            for (Piece piece : pieces) {
                bytes += piece instanceof Piece.Memory memory
                        ? memory.bytes().readableBytes()
                        : ((Piece.FileRegion) piece).length();
            }
            return bytes;
        }

        @Override
        public long recordCount() {
            return recordCount;
        }

        @Override
        public List<Piece> pieces() {
            return pieces;
        }

        @Override
        public void release() {
            if (released) {
                throw new IllegalStateException("released twice");
            }
            released = true;
            openSlices--;
            for (Piece piece : pieces) {
                if (piece instanceof Piece.Memory memory) {
                    memory.bytes().release();
                } else {
                    close(((Piece.FileRegion) piece).channel());
                }
            }
        }

        private static void close(FileChannel channel) {
            try {
                channel.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** The log of a partition, which must exist. */
    public InMemoryPartitionLog log(PartitionId partition) {
        InMemoryPartitionLog log = logs.get(partition);
        if (log == null) {
            throw new IllegalArgumentException("no log of " + partition);
        }
        return log;
    }

    /** Flushes all logs. */
    public void flush() {
        logs.values().forEach(InMemoryPartitionLog::flush);
    }

    @Override
    public @Nullable PartitionLog find(PartitionId partition) {
        return logs.get(partition);
    }

    @Override
    public CompletionStage<PartitionLog> open(
            PartitionId partition, String topicName, long logId, int leaderEpoch, Map<String, String> configs) {
        InMemoryPartitionLog log = new InMemoryPartitionLog(this, partition, leaderEpoch);
        logs.put(partition, log);
        return CompletableFuture.completedStage(log);
    }

    @Override
    public void configure(PartitionId partition, Map<String, String> configs) {}

    @Override
    public void delete(PartitionId partition) {
        InMemoryPartitionLog log = logs.remove(partition);
        if (log != null) {
            log.become(LogState.DELETED);
        }
    }

    @Override
    public void awaitCapacity(Executor executor, Runnable task) {
        Runnable handed = () -> executor.execute(task);
        if (full) {
            waitingForRoom.add(handed);
        } else {
            handed.run();
        }
    }

    @Override
    public void close() {
        flush();
    }
}
