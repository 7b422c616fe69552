package io.sluice.broker.administration;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.configuration.AlterConfigsHandler;
import io.sluice.broker.configuration.ConfigAlteration;
import io.sluice.broker.configuration.DescribeConfigsHandler;
import io.sluice.broker.configuration.IncrementalAlterConfigsHandler;
import io.sluice.broker.configuration.ListConfigResourcesHandler;
import io.sluice.broker.metadata.DescribeClusterHandler;
import io.sluice.broker.metadata.DescribeQuorumHandler;
import io.sluice.broker.metadata.DescribeTopicPartitionsHandler;
import io.sluice.broker.metadata.MetadataHandler;
import io.sluice.broker.replica.AlterPartitionReassignmentsHandler;
import io.sluice.broker.replica.ElectLeadersHandler;
import io.sluice.broker.replica.ListPartitionReassignmentsHandler;
import io.sluice.broker.topic.AutoTopicCreation;
import io.sluice.broker.topic.CreatePartitionsHandler;
import io.sluice.broker.topic.CreateTopicsHandler;
import io.sluice.broker.topic.DeleteRecordsHandler;
import io.sluice.broker.topic.DeleteTopicsHandler;
import io.sluice.broker.topic.DescribeLogDirsHandler;
import io.sluice.storage.config.ListenerKeys;
import io.sluice.storage.metadata.TopicCreator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The handlers that describe and change a cluster. */
public final class AdministrationHandlers {
    private static final int ONE_BROKER = 1;

    private AdministrationHandlers() {}

    /** One of each. */
    public static List<ApiHandler<?>> all(AdministrationEnvironment env) {
        int nodeId = env.ownership().localNodeId();
        int limitMillis = env.configs().current().values().get(ListenerKeys.REQUEST_TIMEOUT_MS);
        TopicCreator creator = new TopicCreator(
                env.topics(), env.lifecycle(), env.timeLimit(), TimeUnit.MILLISECONDS.toNanos(limitMillis));
        AutoTopicCreation autoCreation = new AutoTopicCreation(
                creator, env.internalTopics(), () -> env.configs().current().values(), ONE_BROKER);
        ConfigAlteration alteration =
                new ConfigAlteration(env.topics(), env.configCatalogue(), env.images(), env.configs(), nodeId);
        int maxPartitions = env.configs().current().values().get(ListenerKeys.MAX_REQUEST_PARTITION_SIZE_LIMIT);
        return List.of(
                new MetadataHandler(env.images(), env.ownership(), env.brokers(), autoCreation),
                new DescribeClusterHandler(env.images(), env.ownership(), env.brokers()),
                new DescribeTopicPartitionsHandler(env.images(), env.ownership(), env.brokers(), maxPartitions),
                new CreateTopicsHandler(env.topics(), creator, env.configs(), env.brokers()),
                new DeleteTopicsHandler(env.topics(), env.images(), env.configs()),
                new CreatePartitionsHandler(env.topics(), creator, env.images(), env.brokers()),
                new DeleteRecordsHandler(env.images(), env.logs(), env.configs(), env.timeLimit()),
                new DescribeLogDirsHandler(env.images(), env.logs(), env.logDirectory()),
                new DescribeConfigsHandler(env.images(), env.configs(), env.loggers(), nodeId),
                new AlterConfigsHandler(alteration),
                new IncrementalAlterConfigsHandler(alteration, env.loggers(), nodeId),
                new ListConfigResourcesHandler(env.images(), env.brokers()),
                new ElectLeadersHandler(env.images()),
                new AlterPartitionReassignmentsHandler(env.images(), env.ownership()),
                new ListPartitionReassignmentsHandler(),
                new DescribeQuorumHandler(env.images(), env.brokers(), nodeId));
    }
}
