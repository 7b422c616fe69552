package io.sluice.broker.share;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.metric.Metrics;
import io.sluice.base.time.SimulatedTime;
import io.sluice.broker.directory.KafkaIds;
import io.sluice.broker.serving.ServedTopics;
import io.sluice.broker.simulation.InMemoryPartitionLog;
import io.sluice.broker.simulation.InMemoryPartitionLogStore;
import io.sluice.broker.simulation.SimulatedCluster;
import io.sluice.coordinator.share.DeadLetters;
import io.sluice.coordinator.share.PatientShareState;
import io.sluice.coordinator.share.SharePartition;
import io.sluice.storage.config.BrokerConfigKeys;
import io.sluice.storage.config.TopicDefaults;
import io.sluice.storage.log.AppendOrigin;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** The share groups of a node with one topic of two partitions, all at once and in memory. For one thread. */
final class ShareNode implements ClusterImageSource {
    static final int SESSIONS = 10;

    final SimulatedTime time = new SimulatedTime(0);
    final SharePartition.Time times = new SharePartition.Time(time, time, Runnable::run);
    final InMemoryPartitionLogStore logs = new InMemoryPartitionLogStore();
    final SimulatedCluster cluster = new SimulatedCluster(logs);
    final TopicImage topic = cluster.createTopic("t", 2, Map.of());
    final Uuid topicId = KafkaIds.toUuid(topic.id());
    final ServedTopics topics = new ServedTopics(cluster, () -> TopicDefaults.NONE, new Metrics());
    final InMemoryShareState state = new InMemoryShareState();
    final PatientShareState patientState = new PatientShareState(state, time, time, Runnable::run);
    final SharePartitions partitions = new SharePartitions(
            new SharePartitions.Records(topics, logs, cluster),
            patientState,
            new ShareGroupConfigs(this, BrokerConfigKeys.SCHEMA.read(Map.of())),
            origin -> DeadLetters.NONE,
            times);
    final ShareSessions sessions = new ShareSessions(SESSIONS, partitions);

    /** Runs, once, when somebody next asks what a group is set to. */
    private Runnable onLookup = () -> {};

    void onNextLookup(Runnable task) {
        onLookup = task;
    }

    InMemoryPartitionLog log(int partition) {
        return logs.log(topic.partitionId(partition));
    }

    void append(int partition, MemoryRecords records) {
        ByteBuf bytes = Unpooled.wrappedBuffer(records.buffer());
        log(partition).append(bytes, log(partition).leaderEpoch(), AppendOrigin.CLIENT);
    }

    ShareSession.Part part(int partition) {
        return new ShareSession.Part(topicId, partition);
    }

    /** Takes a partition into use. */
    SharePartition use(String groupId, int partition) {
        return serve(groupId, partition).records();
    }

    /** The same, with those who wait for it. */
    ServedSharePartition serve(String groupId, int partition) {
        return Objects.requireNonNull(
                partitions.require(groupId, topicId, partition).partition());
    }

    @Override
    public ClusterImage current() {
        Runnable task = onLookup;
        onLookup = () -> {};
        task.run();
        return cluster.current();
    }

    @Override
    public void addListener(ImageListener listener) {
        cluster.addListener(listener);
    }
}
