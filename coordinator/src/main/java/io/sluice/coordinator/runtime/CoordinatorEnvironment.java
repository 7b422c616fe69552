package io.sluice.coordinator.runtime;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.base.config.ConfigValues;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metric.Metrics;
import io.sluice.base.ownership.Ownership;
import io.sluice.base.time.Clock;
import io.sluice.base.time.Scheduler;
import io.sluice.storage.config.TopicDefaults;
import io.sluice.storage.log.PartitionLogStore;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Everything a coordinator stands on.
 *
 * @param config read by {@link io.sluice.storage.config.GroupConfigKeys} and its neighbours
 * @param background runs loading, metadata updates and the start; two threads suffice, and one of them may wait
 *     for the commit time-out when topics are deleted
 * @param topicDefaults what the node's settings of this moment give to topics; the same object until they change
 * @param allocator for copies of batches on their way to the log
 */
public record CoordinatorEnvironment(
        ConfigValues config,
        Clock clock,
        Scheduler scheduler,
        Executor background,
        PartitionLogStore logs,
        Supplier<TopicDefaults> topicDefaults,
        Ownership ownership,
        ClusterImageSource images,
        InternalTopics internalTopics,
        ByteBufAllocator allocator,
        Metrics metrics) {}
