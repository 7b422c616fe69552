package io.sluice.storage.journal;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.base.metric.Metrics;
import io.sluice.base.time.Clock;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * What a running journal uses of its surroundings.
 *
 * @param clock for pacing and metrics
 * @param cpuNanos processor time of the calling thread in nanoseconds, or a negative number where it is not known
 * @param flushDriver runs the flushing; one for each journal
 * @param background prepares and deletes files; may block on the disk
 * @param allocator gives the group buffers, in direct memory
 * @param metrics takes flush times, group sizes and waits
 */
public record JournalResources(
        Clock clock,
        LongSupplier cpuNanos,
        FlushDriver flushDriver,
        Executor background,
        ByteBufAllocator allocator,
        Metrics metrics) {}
