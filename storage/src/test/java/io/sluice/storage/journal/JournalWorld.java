package io.sluice.storage.journal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.base.metric.Metrics;
import io.sluice.base.time.SimulatedTime;
import io.sluice.storage.file.FileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** A journal on a file system, run step by step. */
final class JournalWorld {
    static final Path DIRECTORY = Path.of("/data/journal");
    static final long OWNER = 0x4f574e4552L;
    static final JournalConfig SMALL =
            new JournalConfig(256 << 10, 128 << 10, 64 << 10, 1 << 20, 16 << 10, 500_000, 0.1);

    private static final UnpooledByteBufAllocator PAYLOADS = new UnpooledByteBufAllocator(true, true, false);

    final SimulatedTime time = new SimulatedTime(1_700_000_000_000L);
    final Metrics metrics = new Metrics();
    /** Gives memory that the collector takes back when the simulated process ends without doing so. */
    final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true, false);

    final FileSystem files;
    final JournalConfig config;
    final Queue<Runnable> background = new ArrayDeque<>();
    SimulatedFlushDriver driver = new SimulatedFlushDriver(time);
    long cpuNanos = -1;

    JournalWorld(FileSystem files, JournalConfig config) {
        this.files = files;
        this.config = config;
    }

    /** An entry as a replay gave it. */
    record Replayed(JournalEntryKind kind, long logId, long argument, ByteBuf payload, long endPosition) {}

    /** A journal that was started, and what it replayed before. */
    record Started(Journal journal, JournalRecovery recovery, List<Replayed> replayed) {}

    JournalResources resources(ByteBufAllocator memory) {
        driver = new SimulatedFlushDriver(time);
        background.clear();
        return new JournalResources(time, () -> cpuNanos, driver, background::add, memory, metrics);
    }

    Started start() throws IOException {
        return start(allocator);
    }

    Started start(ByteBufAllocator memory) throws IOException {
        JournalRecovery recovery = JournalDirectory.open(files, DIRECTORY, config, OWNER);
        List<Replayed> replayed = replay(recovery);
        return new Started(recovery.start(resources(memory)), recovery, replayed);
    }

    static List<Replayed> replay(JournalRecovery recovery) throws IOException {
        List<Replayed> replayed = new ArrayList<>();
        recovery.replay((kind, logId, argument, payload, end) ->
                replayed.add(new Replayed(kind, logId, argument, Unpooled.copiedBuffer(payload), end)));
        return replayed;
    }

    /** Runs everything that can run, letting time pass while the journal holds a group back. */
    void settle() {
        boolean more = true;
        while (more) {
            Runnable task = background.poll();
            if (task != null) {
                task.run();
            }
            if (!driver.isDue() && !driver.isIdle()) {
                time.advanceNanos(1_000_000);
            }
            more = driver.step() || task != null;
        }
    }

    /** Reserves and appends; the position, or -1 where there was no room. */
    static long append(Journal journal, long logId, byte @Nullable [] payload) {
        byte[] bytes = payload == null ? new byte[0] : payload;
        if (!journal.tryReserve(bytes.length)) {
            return -1;
        }
        ByteBuf buffer = PAYLOADS.directBuffer(Math.max(1, bytes.length)).writeBytes(bytes);
        try {
            return journal.append(JournalEntryKind.BATCH, logId, -logId, buffer);
        } finally {
            buffer.release();
        }
    }
}
