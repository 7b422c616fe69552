package io.sluice.storage.local;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.base.error.UserException;
import io.sluice.base.metric.Metrics;
import io.sluice.base.time.SimulatedTime;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.journal.JournalConfig;
import io.sluice.storage.journal.JournalDirectory;
import io.sluice.storage.journal.JournalRecovery;
import io.sluice.storage.journal.JournalResources;
import io.sluice.storage.journal.SimulatedFlushDriver;
import io.sluice.storage.log.PartitionLogStore;
import io.sluice.storage.metadata.GivenNumbers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The whole local engine, real journal included, on a simulated disk, on one thread, step by step. */
final class SimulatedNode {
    private static final Path DIRECTORY = Path.of("/data");
    private static final JournalConfig JOURNAL =
            new JournalConfig(256 << 10, 128 << 10, 128 << 10, 1 << 20, 16 << 10, 500_000, 0.1);
    /** Those of one log, or of a few: a checkpoint has several slices. */
    private static final int SLICE_BYTES = 300;

    private static final LocalStorageConfig STORAGE = new LocalStorageConfig(
            8,
            100_000,
            SLICE_BYTES,
            3_000,
            8 << 20,
            0,
            10_000,
            LocalStorageConfig.ProducerConfig.defaults(),
            new LocalStorageConfig.CleanerConfig(true, 4 << 10, 700),
            false);

    final SimulatedFileSystem disk;
    private final FileSystem seen;
    private JournalConfig journalConfig = JOURNAL;
    private LocalStorageConfig storageConfig = STORAGE;
    private GivenNumbers given = GivenNumbers.ANY;
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true, false);
    private SimulatedTime time = new SimulatedTime(1_700_000_000_000L);
    private ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private SimulatedFlushDriver driver = new SimulatedFlushDriver(time);
    private @Nullable LocalPartitionLogStore store;

    /**
     * A node on an empty disk.
     *
     * @param seen what the node sees of the disk: the disk itself, or a broken view of it
     */
    SimulatedNode(SimulatedFileSystem disk, UnaryOperator<FileSystem> seen) {
        this.disk = disk;
        this.seen = seen.apply(disk);
        disk.setClock(() -> time.epochMillis());
    }

    /** Other settings from the next start on. */
    void configure(JournalConfig journal, LocalStorageConfig storage) {
        journalConfig = journal;
        storageConfig = storage;
    }

    /** Another size of the cleaner's map from the next start on. */
    void setKeyMapBytes(int bytes) {
        LocalStorageConfig.CleanerConfig cleaner = storageConfig.cleaner();
        configure(
                storageConfig.producers(),
                new LocalStorageConfig.CleanerConfig(cleaner.enabled(), bytes, cleaner.backoffMillis()));
    }

    /** Another number of aborted transactions in each piece from the next start on. */
    void setAbortedInBlock(int entries) {
        LocalStorageConfig.ProducerConfig producers = storageConfig.producers();
        configure(
                new LocalStorageConfig.ProducerConfig(
                        producers.expirationMillis(), producers.maxPerLog(), producers.maxOfNode(), entries),
                storageConfig.cleaner());
    }

    private void configure(LocalStorageConfig.ProducerConfig producers, LocalStorageConfig.CleanerConfig cleaner) {
        LocalStorageConfig now = storageConfig;
        storageConfig = new LocalStorageConfig(
                now.maxOpenFiles(),
                now.checkpointBytes(),
                now.checkpointSliceBytes(),
                now.smallTailBytes(),
                now.catchUpBytes(),
                now.lowSpaceBytes(),
                now.retentionCheckMillis(),
                producers,
                cleaner,
                now.acceptJournalLoss());
    }

    boolean isRunning() {
        return store != null;
    }

    LocalPartitionLogStore store() {
        if (store == null) {
            throw new IllegalStateException("not running");
        }
        return store;
    }

    SimulatedTime time() {
        return time;
    }

    /** The same bytes in memory that may be forgotten with a process that has ended. */
    ByteBuf untracked(ByteBuf bytes) {
        ByteBuf copy = allocator.directBuffer(bytes.readableBytes()).writeBytes(bytes);
        bytes.release();
        return copy;
    }

    /** What the metadata says at the next start. */
    void setGiven(GivenNumbers newGiven) {
        given = newGiven;
    }

    /** Starts as a new process: nothing of the one before runs any more. */
    void start() throws IOException {
        time = new SimulatedTime(time.epochMillis());
        ArrayDeque<Runnable> newTasks = new ArrayDeque<>();
        tasks = newTasks;
        driver = new SimulatedFlushDriver(time);
        Executor queue = newTasks::add;
        Metrics metrics = new Metrics();
        try {
            DataDirectory directory = DataDirectory.open(seen, DIRECTORY, LocalWorld.CLUSTER, 1);
            JournalRecovery recovery = openJournal(directory);
            store = LocalPartitionLogStore.open(
                    directory,
                    given,
                    recovery,
                    new JournalResources(time, () -> -1, driver, queue, allocator, metrics),
                    storageConfig,
                    new LocalStorageServices(seen, time, time, allocator, queue, queue, queue, queue, metrics));
        } catch (UserException e) {
            throw new IOException(e.line(), e);
        }
    }

    private JournalRecovery openJournal(DataDirectory directory) throws IOException {
        boolean done = false;
        try {
            JournalRecovery recovery =
                    JournalDirectory.open(seen, DIRECTORY.resolve("journal"), journalConfig, directory.journalOwner());
            done = true;
            return recovery;
        } finally {
            if (!done) {
                directory.close();
            }
        }
    }

    /** Stops cleanly. */
    void stop() {
        settle();
        PartitionLogStore running = store();
        store = null;
        running.close();
    }

    /** The process is gone, or the power. */
    void crash(boolean power) {
        store = null;
        if (power) {
            disk.powerCut();
        } else {
            disk.kill();
        }
    }

    /** Runs something that waits to be run, if anything does. */
    void runSomething(Random random) {
        boolean task = !tasks.isEmpty() && (random.nextBoolean() || !driver.isDue());
        if (task) {
            tasks.remove().run();
        } else {
            driver.step();
        }
    }

    /** Runs everything that can run, letting the journal's pacing pass. */
    void settle() {
        for (boolean more = true; more; ) {
            Runnable task = tasks.poll();
            if (task != null) {
                task.run();
            }
            if (!driver.isDue() && !driver.isIdle()) {
                time.advanceNanos(1_000_000);
            }
            more = driver.step() || task != null || !tasks.isEmpty();
        }
    }

    /** Runs on this node's own executor. */
    Executor executor() {
        ArrayDeque<Runnable> current = tasks;
        return current::add;
    }

    /** Runs what waits in the executor, without a flush. */
    void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }
}
