package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.DurabilityListener;
import io.sluice.storage.log.LogSlice;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.ReadListener;
import io.sluice.storage.log.ReadRequest;
import io.sluice.storage.log.ReadResult;
import io.sluice.storage.log.TestBatches;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the engine allocates on an event loop's thread for one append, with the wait for its flush, and for one read, once
 * it is warm, on a real disk with the real journal. Measured when they were set: 173, 424 and 838 bytes; whoever breaks a
 * budget has put something new on the hot path.
 */
class EngineAllocationTest {
    private static final int WARM_UP = 20_000;
    private static final int MEASURED = 10_000;
    private static final int VALUE_BYTES = 1024;
    private static final int RECORDS = 100;

    private static final long APPEND_BUDGET_BYTES = 300;
    private static final long MEMORY_APPEND_BUDGET_BYTES = 600;
    private static final long READ_BUDGET_BYTES = 1_000;

    private final ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();

    @TempDir
    private Path directory = Path.of("");

    /** Tests run with it and a node does not: it records every touch of a buffer. */
    @BeforeEach
    void stopTheLeakDetector() {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    }

    @AfterEach
    void startItAgain() {
        ResourceLeakDetector.setLevel(level);
    }

    @Test
    void appendOfOneBatch() throws IOException {
        try (RealStore real = start()) {
            PartitionLog log = open(real, Map.of());
            Appends appends = new Appends(real, log);

            assertThat(allocatedBytes(appends::appendWhenThereIsRoom)).isLessThan(APPEND_BUDGET_BYTES);

            appends.batch.release();
            assertThat(log.endOffset()).isEqualTo(WARM_UP + MEASURED);
        }
    }

    @Test
    void appendOfOneBatchThatBypassesTheJournal() throws IOException {
        try (RealStore real = start()) {
            PartitionLog log = open(real, Map.of("sluice.durability", "memory"));
            Appends appends = new Appends(real, log);

            assertThat(allocatedBytes(appends::appendWhenThereIsRoom)).isLessThan(MEMORY_APPEND_BUDGET_BYTES);

            appends.batch.release();
            assertThat(log.durableOffset()).isEqualTo(WARM_UP + MEASURED);
        }
    }

    @Test
    void readAtTheTail() throws IOException {
        try (RealStore real = start()) {
            PartitionLog log = open(real, Map.of("sluice.durability", "memory"));
            Appends appends = new Appends(real, log);
            for (int i = 0; i < RECORDS; i++) {
                appends.appendWhenThereIsRoom();
            }
            appends.batch.release();
            Reads reads = new Reads(log);

            assertThat(allocatedBytes(reads::read)).isLessThan(READ_BUDGET_BYTES);

            assertThat(reads.answered).isEqualTo(WARM_UP + MEASURED);
        }
    }

    @Test
    void readAtTheTailFromWhereNobodyHasReadBefore() throws IOException {
        try (RealStore real = start()) {
            PartitionLog log = open(real, Map.of("sluice.durability", "memory"));
            Appends appends = new Appends(real, log);
            for (int i = 0; i < RECORDS; i++) {
                appends.appendWhenThereIsRoom();
            }
            appends.batch.release();
            Reads reads = new Reads(log);
            reads.stride = 37; // no hint of the last reads is of use

            assertThat(allocatedBytes(reads::read)).isLessThan(READ_BUDGET_BYTES);
        }
    }

    private RealStore start() throws IOException {
        return new RealStore(directory, LocalStorageConfig.defaults());
    }

    private static PartitionLog open(RealStore real, Map<String, String> configs) {
        return real.store
                .open(new PartitionId(new TopicId(1, 1), 0), "t", 10, 0, configs)
                .toCompletableFuture()
                .orTimeout(20, TimeUnit.SECONDS)
                .join();
    }

    /** One batch again and again, each waited for as a produce request waits. */
    private static final class Appends implements DurabilityListener {
        private final LocalPartitionLogStore store;
        private final PartitionLog log;
        private final ByteBuf batch = TestBatches.ofSize(VALUE_BYTES);
        private final Object durable = new Object();
        private long durableOffset;

        Appends(RealStore real, PartitionLog log) {
            this.store = real.store;
            this.log = log;
        }

        /** At most a hundred are under way at a time: what the flush thread allocates is not counted. */
        void appendWhenThereIsRoom() {
            AppendResult result = log.append(batch, 0, AppendOrigin.CLIENT);
            while (result instanceof AppendResult.Refused refused && refused.reason() == AppendResult.Refusal.FULL) {
                awaitCapacity(); // while a journal file is prepared
                result = log.append(batch, 0, AppendOrigin.CLIENT);
            }
            long last = ((AppendResult.Appended) result).lastOffset();
            log.awaitDurable(last + 1, this);
            awaitDurable(last - 100);
        }

        private void awaitCapacity() {
            CompletableFuture<Void> room = new CompletableFuture<>();
            store.awaitCapacity(Runnable::run, () -> room.complete(null));
            room.orTimeout(20, TimeUnit.SECONDS).join();
        }

        private void awaitDurable(long offset) {
            synchronized (durable) {
                while (durableOffset < offset) {
                    try {
                        durable.wait(TimeUnit.SECONDS.toMillis(20));
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                }
            }
        }

        @Override
        public Executor executor() {
            return Runnable::run;
        }

        @Override
        public void onDurable(PartitionLog of, long offset) {
            synchronized (durable) {
                durableOffset = Math.max(durableOffset, offset);
                durable.notifyAll();
            }
        }

        @Override
        public void onUnknown(PartitionLog of, long offset, IOException cause) {
            throw new AssertionError(cause);
        }
    }

    /** Fetches of a batch, one behind the other and again from the beginning, answered at once. */
    private static final class Reads {
        private final PartitionLog log;
        private final ReadListener listener = this::onRead;
        private long next;
        private long answered;
        private int stride = 1;

        Reads(PartitionLog log) {
            this.log = log;
        }

        void read() {
            long before = answered;
            log.read(new ReadRequest(next, 2 << 10, true, ReadRequest.Limit.VISIBLE, Runnable::run), listener);
            if (answered == before) {
                throw new AssertionError("not answered at once");
            }
        }

        private void onRead(ReadResult result) {
            LogSlice slice = ((ReadResult.Records) result).slice();
            answered++;
            next = stride == 1 ? next + slice.recordCount() : next + stride;
            next = next < RECORDS ? next : stride == 1 ? 0 : next - RECORDS;
            slice.release();
        }
    }

    /** On a thread as event loops are: Netty's own recycling needs such a one. */
    private static long allocatedBytes(Runnable task) {
        return CompletableFuture.supplyAsync(() -> measure(task), work -> new FastThreadLocalThread(work).start())
                .orTimeout(120, TimeUnit.SECONDS)
                .join();
    }

    private static long measure(Runnable task) {
        for (int i = 0; i < WARM_UP; i++) {
            task.run();
        }
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < MEASURED; i++) {
            task.run();
        }
        return (threads.getCurrentThreadAllocatedBytes() - before) / MEASURED;
    }
}
