package io.sluice.storage.local;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.base.memory.CountedAllocator;
import io.sluice.base.metric.Metrics;
import io.sluice.base.time.SimulatedTime;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.journal.InMemoryJournal;
import io.sluice.storage.journal.Journal;
import io.sluice.storage.journal.JournalRecovery;
import io.sluice.storage.journal.JournalResources;
import io.sluice.storage.log.LogWorld;
import io.sluice.storage.metadata.GivenNumbers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The local engine on a simulated file system, with a journal that flushes when told to and executors that run when told to. */
final class LocalWorld implements LogWorld {
    static final Path DIRECTORY = Path.of("/data");
    static final int MEMORY_BYTES = 64 << 20;
    static final String CLUSTER = "MkU3OEVBNTcwNTJENDM2Qg";

    private final SimulatedTime time = new SimulatedTime(1_700_000_000_000L);
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private InMemoryJournal.Disk disk = new InMemoryJournal.Disk();
    /** What the engine takes its buffers from. */
    private final CountedAllocator memory = new CountedAllocator(MEMORY_BYTES, 0, 1);

    private final FileSystem fileSystem;
    private final Path directory;
    private LocalStorageConfig config;
    private GivenNumbers given = GivenNumbers.ANY;
    private Metrics metrics = new Metrics();
    private @Nullable LocalPartitionLogStore store;
    private @Nullable InMemoryJournal journal;

    LocalWorld() {
        this(new SimulatedFileSystem(1), DIRECTORY, config(1 << 20));
    }

    LocalWorld(FileSystem fileSystem, Path directory, LocalStorageConfig config) {
        this.fileSystem = fileSystem;
        this.directory = directory;
        this.config = config;
        if (fileSystem instanceof SimulatedFileSystem simulated) {
            simulated.setClock(time::epochMillis);
        }
        start();
    }

    static LocalStorageConfig config(long checkpointBytes) {
        return config(checkpointBytes, 1 << 20);
    }

    static LocalStorageConfig config(long checkpointBytes, int keyMapBytes) {
        return config(checkpointBytes, keyMapBytes, LocalStorageConfig.ProducerConfig.defaults());
    }

    static LocalStorageConfig config(long checkpointBytes, LocalStorageConfig.ProducerConfig producers) {
        return config(checkpointBytes, 1 << 20, producers);
    }

    /** Checkpoints that take only so many bytes of records at a time. */
    static LocalStorageConfig sliced(int sliceBytes) {
        return config(1 << 20, sliceBytes, 1 << 20, LocalStorageConfig.ProducerConfig.defaults());
    }

    private static LocalStorageConfig config(
            long checkpointBytes, int keyMapBytes, LocalStorageConfig.ProducerConfig producers) {
        return config(checkpointBytes, 1 << 20, keyMapBytes, producers);
    }

    private static LocalStorageConfig config(
            long checkpointBytes, int sliceBytes, int keyMapBytes, LocalStorageConfig.ProducerConfig producers) {
        return new LocalStorageConfig(
                64,
                checkpointBytes,
                sliceBytes,
                64 << 10,
                8 << 20,
                0,
                300_000,
                producers,
                new LocalStorageConfig.CleanerConfig(true, keyMapBytes, 15_000),
                false);
    }

    /** What the metadata says at the next start. */
    void setGiven(GivenNumbers newGiven) {
        given = newGiven;
    }

    void start() {
        try {
            DataDirectory opened = DataDirectory.open(fileSystem, directory, CLUSTER, 1);
            metrics = new Metrics();
            store = LocalPartitionLogStore.open(
                    opened, given, new Capturing(disk.recover()), resources(), config, services());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Keeps the journal that is started, so that the test can flush it. */
    private final class Capturing implements JournalRecovery {
        private final JournalRecovery delegate;

        Capturing(JournalRecovery delegate) {
            this.delegate = delegate;
        }

        @Override
        public boolean isNew() {
            return delegate.isNew();
        }

        @Override
        public boolean endedCleanly() {
            return delegate.endedCleanly();
        }

        @Override
        public long releasedPosition() {
            return delegate.releasedPosition();
        }

        @Override
        public long endPosition() {
            return delegate.endPosition();
        }

        @Override
        public void replay(EntryVisitor visitor) throws IOException {
            delegate.replay(visitor);
        }

        @Override
        public Journal start(JournalResources resources) throws IOException {
            journal = (InMemoryJournal) delegate.start(resources);
            return journal;
        }
    }

    private JournalResources resources() {
        return new JournalResources(
                time, () -> -1, new NoDriver(), tasks::add, UnpooledByteBufAllocator.DEFAULT, metrics);
    }

    /** The journal in memory needs none. */
    private static final class NoDriver implements io.sluice.storage.journal.FlushDriver {
        @Override
        public void start(DutyCycle cycle) {}

        @Override
        public void wake() {}

        @Override
        public boolean awaitFinish(long timeoutNanos) {
            return true;
        }
    }

    private LocalStorageServices services() {
        Executor queue = tasks::add;
        return new LocalStorageServices(fileSystem, time, time, memory, queue, queue, queue, queue, metrics);
    }

    @Override
    public LocalPartitionLogStore store() {
        if (store == null) {
            throw new IllegalStateException("not started");
        }
        return store;
    }

    InMemoryJournal journal() {
        if (journal == null) {
            throw new IllegalStateException("not started");
        }
        return journal;
    }

    CountedAllocator memory() {
        return memory;
    }

    InMemoryJournal.Disk disk() {
        return disk;
    }

    SimulatedFileSystem simulatedFileSystem() {
        return (SimulatedFileSystem) fileSystem;
    }

    Metrics metrics() {
        return metrics;
    }

    /** Puts another journal in the place of the present one. */
    void putJournal(InMemoryJournal.Disk other) {
        disk = other;
    }

    void setConfig(LocalStorageConfig newConfig) {
        config = newConfig;
    }

    /** Makes a checkpoint, wholly. */
    void checkpoint() {
        var stage = store().checkpoint().toCompletableFuture();
        while (!stage.isDone()) {
            settle();
        }
        stage.join();
    }

    @Override
    public SimulatedTime time() {
        return time;
    }

    @Override
    public void settle() {
        do {
            journal().flush();
            runTasks();
        } while (!tasks.isEmpty() || journal().pendingEntries() > 0);
    }

    @Override
    public void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    /** Runs the oldest task alone. */
    void runTask() {
        tasks.remove().run();
    }

    @Override
    public void restart() {
        settle();
        store().close();
        tasks.clear();
        start();
    }

    /** The process is killed: what was not flushed in the journal is lost, the page cache is not. */
    void kill() {
        simulatedFileSystem().kill();
        tasks.clear();
        start();
    }

    /** The power is cut: of what was not forced an arbitrary part is lost. */
    void cutPower() {
        simulatedFileSystem().powerCut();
        tasks.clear();
        start();
    }

    @Override
    public void failWrites() {
        journal().fail(new IOException("simulated failure of a flush"));
    }

    @Override
    public void limitPendingBytes(long bytes) {
        journal().limitBuffer(bytes);
    }

    @Override
    public void close() {
        settle();
        store().close();
    }
}
