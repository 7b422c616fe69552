package io.sluice.storage.local;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.base.metric.Metrics;
import io.sluice.base.time.Clock;
import io.sluice.base.time.Scheduler;
import io.sluice.storage.file.FileSystem;
import java.util.concurrent.Executor;

/**
 * What the local engine uses of its surroundings.
 *
 * @param fileSystem where files are
 * @param clock for retention, rolling and append times
 * @param scheduler for retention
 * @param allocator gives the buffers of reads
 * @param readers runs reads behind the tail, searches and looks at free space; a few threads that may block on the disk
 *     and are never interrupted
 * @param maintenance runs checkpoints, retention and deletion, one task at a time and in order; the same rule
 * @param forcers help a checkpoint to force many segments; the same rule; three threads are enough, and none will do
 * @param cleaner runs compaction; the same rule; one thread is enough
 * @param metrics takes the engine's metrics
 */
public record LocalStorageServices(
        FileSystem fileSystem,
        Clock clock,
        Scheduler scheduler,
        ByteBufAllocator allocator,
        Executor readers,
        Executor maintenance,
        Executor forcers,
        Executor cleaner,
        Metrics metrics) {}
