package io.sluice.storage.local;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.base.metric.Metrics;
import io.sluice.base.time.SystemClock;
import io.sluice.base.time.SystemScheduler;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.LocalFileSystem;
import io.sluice.storage.journal.FlushThread;
import io.sluice.storage.journal.JournalConfig;
import io.sluice.storage.journal.JournalDirectory;
import io.sluice.storage.journal.JournalRecovery;
import io.sluice.storage.journal.JournalResources;
import io.sluice.storage.metadata.GivenNumbers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The local engine on the machine's own disk, wired as a node wires it. */
final class RealStore implements AutoCloseable {
    final LocalPartitionLogStore store;
    final Metrics metrics = new Metrics();
    private final ExecutorService readers = Executors.newFixedThreadPool(2, task -> daemon(task, "reader"));
    private final ExecutorService maintenance = Executors.newSingleThreadExecutor(task -> daemon(task, "maintenance"));
    private final ExecutorService background = Executors.newSingleThreadExecutor(task -> daemon(task, "journal-files"));
    private final SystemScheduler scheduler;

    RealStore(Path directory, LocalStorageConfig config) throws IOException {
        FileSystem files = new LocalFileSystem();
        ByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
        DataDirectory opened = DataDirectory.open(files, directory, LocalWorld.CLUSTER, 1);
        JournalRecovery recovery = JournalDirectory.open(
                files, directory.resolve("journal"), JournalConfig.defaults(), opened.journalOwner());
        scheduler = new SystemScheduler(SystemClock.INSTANCE, task -> daemon(task, "timer"));
        FlushThread flusher = new FlushThread(task -> daemon(task, "flush"), SystemClock.INSTANCE);
        JournalResources resources =
                new JournalResources(SystemClock.INSTANCE, () -> -1, flusher, background, allocator, metrics);
        LocalStorageServices services = new LocalStorageServices(
                files, SystemClock.INSTANCE, scheduler, allocator, readers, maintenance, readers, background, metrics);
        store = LocalPartitionLogStore.open(opened, GivenNumbers.ANY, recovery, resources, config, services);
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public void close() {
        store.close();
        scheduler.close();
        readers.shutdown();
        maintenance.shutdown();
        background.shutdown();
    }
}
