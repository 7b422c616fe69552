package io.sluice.broker.records;

import io.sluice.base.memory.CountedAllocator;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.MetadataStore;
import io.sluice.base.metric.Metrics;
import io.sluice.base.ownership.Ownership;
import io.sluice.base.time.Clock;
import io.sluice.base.time.Scheduler;
import io.sluice.broker.fetch.FetchHandler;
import io.sluice.storage.config.TopicDefaults;
import io.sluice.storage.log.PartitionLogStore;
import java.util.function.Supplier;

/**
 * What the handlers that move records use of their surroundings.
 *
 * @param images topics and their settings
 * @param defaults what topics inherit from the node now; the same object until that changes
 * @param ownership who serves a partition
 * @param logs where records are kept
 * @param metadata where producer ids are reserved
 * @param clock both clocks
 * @param scheduler for waits and time-outs
 * @param allocator memory of answers and of converted batches
 * @param metrics takes what is counted
 * @param fetchLimits bounds of Fetch
 */
public record RecordEnvironment(
        ClusterImageSource images,
        Supplier<TopicDefaults> defaults,
        Ownership ownership,
        PartitionLogStore logs,
        MetadataStore metadata,
        Clock clock,
        Scheduler scheduler,
        CountedAllocator allocator,
        Metrics metrics,
        FetchHandler.Limits fetchLimits) {}
