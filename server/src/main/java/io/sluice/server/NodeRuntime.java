package io.sluice.server;

import io.sluice.base.memory.CountedAllocator;
import io.sluice.base.metric.Metrics;
import io.sluice.base.time.Clock;
import io.sluice.base.time.SystemScheduler;
import io.sluice.server.config.MachineLimits;
import io.sluice.server.process.NamedThreads;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What all parts of a node share: time, memory, metrics and the threads that are nobody's own. ARCHITECTURE.md has the
 * table of threads. Pools give their threads back when there is nothing to do; what bounds their queues is said by those
 * who use them.
 */
final class NodeRuntime implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeRuntime.class);
    private static final int READERS = 2;
    private static final int FORCERS = 3;
    private static final int BACKGROUND = 2;
    private static final int ARENAS = 3;
    private static final long IDLE_SECONDS = 20;
    private static final long STOP_MILLIS = 1_000;

    private final Clock clock;
    private final Metrics metrics = new Metrics();
    private final SystemScheduler scheduler;
    private final CountedAllocator allocator;
    private final ThreadPoolExecutor metadataThread;
    private final ThreadPoolExecutor readers;
    private final ThreadPoolExecutor maintenance;
    private final ThreadPoolExecutor forcers;
    private final ThreadPoolExecutor cleaner;
    private final ThreadPoolExecutor background;

    NodeRuntime(Clock clock) {
        this.clock = clock;
        scheduler = new SystemScheduler(clock, new NamedThreads("timer"));
        allocator =
                new CountedAllocator(MachineLimits.ofThisProcess().directBytes(), MachineLimits.RESERVE_BYTES, ARENAS);
        allocator.registerGauges(metrics);
        metadataThread = pool("metadata", 1);
        readers = pool("reader", READERS);
        maintenance = pool("maintenance", 1);
        forcers = pool("forcer", FORCERS);
        cleaner = pool("cleaner", 1);
        background = pool("background", BACKGROUND);
    }

    private static ThreadPoolExecutor pool(String name, int threads) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), new NamedThreads(name));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    Clock clock() {
        return clock;
    }

    Metrics metrics() {
        return metrics;
    }

    SystemScheduler scheduler() {
        return scheduler;
    }

    CountedAllocator allocator() {
        return allocator;
    }

    /** One thread: everything that changes the metadata. */
    ExecutorService metadataThread() {
        return metadataThread;
    }

    /** Reads behind the tail and searches; may block on the disk. */
    ExecutorService readers() {
        return readers;
    }

    /** Checkpoints, retention, deletion; may block on the disk. */
    ExecutorService maintenance() {
        return maintenance;
    }

    /** Help checkpoints to force many segments; gone when idle. */
    ExecutorService forcers() {
        return forcers;
    }

    /** Compaction; may take long and block on the disk. */
    ExecutorService cleaner() {
        return cleaner;
    }

    /** The coordinators' loading, journal files (a checkpoint must not delay those) and other work that may block. */
    ExecutorService background() {
        return background;
    }

    /** Lets what was begun end, within bounds; no thread is interrupted, since that would close files under it. */
    @Override
    public void close() {
        scheduler.close();
        List<ThreadPoolExecutor> pools = List.of(background, readers, cleaner, maintenance, forcers, metadataThread);
        pools.forEach(ThreadPoolExecutor::shutdown);
        try {
            for (ThreadPoolExecutor pool : pools) {
                if (!pool.awaitTermination(STOP_MILLIS, TimeUnit.MILLISECONDS)) {
                    LOG.atWarn().addKeyValue("tasks", pool.getActiveCount()).log("work was left undone at the stop");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
