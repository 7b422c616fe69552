package io.sluice.broker.administration;

import io.sluice.base.concurrent.TimeLimit;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.ownership.Ownership;
import io.sluice.base.time.Clock;
import io.sluice.broker.configuration.LoggerLevels;
import io.sluice.broker.directory.BrokerDirectory;
import io.sluice.broker.topic.DescribeLogDirsHandler.LogDirectory;
import io.sluice.coordinator.runtime.InternalTopics;
import io.sluice.storage.config.DynamicConfigs;
import io.sluice.storage.log.PartitionLogStore;
import io.sluice.storage.metadata.ConfigCatalogue;
import io.sluice.storage.metadata.PartitionLifecycle;
import io.sluice.storage.metadata.TopicCatalogue;

/**
 * What the handlers use of a node.
 *
 * @param brokers set when the listeners are bound
 * @param internalTopics creates what coordinators need
 * @param configs the node's settings as they stand
 * @param timeLimit ends waiting for logs
 */
@SuppressWarnings("checkstyle:ParameterNumber") // a record of collaborators, named where it is made
public record AdministrationEnvironment(
        ClusterImageSource images,
        Ownership ownership,
        BrokerDirectory brokers,
        TopicCatalogue topics,
        ConfigCatalogue configCatalogue,
        InternalTopics internalTopics,
        PartitionLifecycle lifecycle,
        PartitionLogStore logs,
        DynamicConfigs configs,
        LoggerLevels loggers,
        LogDirectory logDirectory,
        TimeLimit timeLimit,
        Clock clock) {}
