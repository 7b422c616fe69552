package io.sluice.storage.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.sluice.base.metric.Metrics;
import io.sluice.base.time.SystemClock;
import io.sluice.storage.file.LocalFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The journal with its thread, on the operating system's files. */
@Timeout(60)
class JournalOnDiskTest {
    private static final JournalConfig CONFIG =
            new JournalConfig(4 << 20, 2 << 20, 1 << 20, 16 << 20, 64 << 10, 500_000, 0.1);

    @TempDir
    Path directory;

    private final ExecutorService background = Executors.newSingleThreadExecutor();
    private final ExecutorService appenders = Executors.newFixedThreadPool(4);

    /** Where the last entry of each log ended: one that was quick may be released wholly before the others are done. */
    private final Map<Long, Long> lastPositions = new ConcurrentHashMap<>();

    @AfterEach
    void stopThreads() throws InterruptedException {
        background.shutdown();
        appenders.shutdown();
        assertThat(background.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
        assertThat(appenders.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void keepsWhatManyThreadsAppendInTheOrderOfEach() throws Exception {
        appendsAndReplays(new LocalFileSystem());
    }

    @Test
    void keepsItWithoutDirectWritesToo() throws Exception {
        appendsAndReplays(new LocalFileSystem(false));
    }

    private void appendsAndReplays(LocalFileSystem files) throws Exception {
        Journal journal = start(JournalDirectory.open(files, directory, CONFIG, 0), new HashMap<>());
        AtomicLong heard = new AtomicLong();
        journal.addFlushListener(new Journal.FlushListener() {
            @Override
            public void onDurable(long durablePosition) {
                assertThat(durablePosition).isGreaterThan(heard.get());
                heard.set(durablePosition);
            }

            @Override
            public void onFailure(IOException cause) {
                throw new AssertionError(cause);
            }
        });
        List<Future<?>> running = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            long logId = i;
            running.add(appenders.submit(() -> appendAll(journal, logId)));
        }
        for (Future<?> each : running) {
            each.get();
        }
        journal.close();
        assertThat(heard).hasValue(journal.endPosition());

        JournalRecovery recovery = JournalDirectory.open(files, directory, CONFIG, 0);
        Map<Long, Long> counts = new HashMap<>();
        start(recovery, counts).close();
        assertThat(recovery.endedCleanly()).isTrue();
        Map<Long, Long> expected = new HashMap<>();
        lastPositions.forEach((logId, position) -> {
            if (position > recovery.releasedPosition()) {
                expected.put(logId, 1000L);
            }
        });
        assertThat(expected).isNotEmpty();
        assertThat(counts).isEqualTo(expected);
    }

    private Void appendAll(Journal journal, long logId) throws InterruptedException {
        for (int i = 0; i < 1000; i++) {
            ByteBuf payload = Unpooled.directBuffer().writeZero(i % 100 == 99 ? 300_000 : i);
            while (!journal.tryReserve(payload.readableBytes())) {
                Semaphore room = new Semaphore(0);
                journal.awaitCapacity(room::release);
                journal.releaseBefore(journal.durablePosition() / 2);
                assertThat(room.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
            }
            lastPositions.put(logId, journal.append(JournalEntryKind.BATCH, logId, i, payload));
            payload.release();
        }
        return null;
    }

    private Journal start(JournalRecovery recovery, Map<Long, Long> counts) throws IOException {
        Map<Long, Long> last = new HashMap<>();
        recovery.replay((kind, logId, argument, payload, end) -> {
            Long before = last.put(logId, argument);
            assertThat(argument).isEqualTo(before == null ? argument : before + 1);
            counts.put(logId, argument + 1);
        });
        return recovery.start(new JournalResources(
                SystemClock.INSTANCE,
                () -> -1,
                new FlushThread(task -> new Thread(task, "flush"), SystemClock.INSTANCE),
                background,
                PooledByteBufAllocator.DEFAULT,
                new Metrics()));
    }

    @Test
    void wakesForEveryAppendWhenIdle() throws Exception {
        Journal journal = start(JournalDirectory.open(new LocalFileSystem(), directory, CONFIG, 0), new HashMap<>());
        AtomicLong awaited = new AtomicLong(Long.MAX_VALUE);
        Semaphore durable = new Semaphore(0);
        CountDownLatch failed = new CountDownLatch(1);
        journal.addFlushListener(new Journal.FlushListener() {
            @Override
            public void onDurable(long durablePosition) {
                if (durablePosition >= awaited.get()) {
                    durable.release();
                }
            }

            @Override
            public void onFailure(IOException cause) {
                failed.countDown();
            }
        });
        ByteBuf payload = Unpooled.wrappedBuffer(new byte[100]);
        for (int i = 0; i < 200; i++) {
            assertThat(journal.tryReserve(100)).isTrue();
            awaited.set(journal.endPosition() + JournalFormat.ENTRY_HEADER_BYTES + 100);
            journal.append(JournalEntryKind.BATCH, 1, i, payload);
            assertThat(durable.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
        }
        journal.close();
        assertThat(failed.getCount()).isEqualTo(1);
    }
}
