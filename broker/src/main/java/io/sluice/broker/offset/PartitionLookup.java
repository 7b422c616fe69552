package io.sluice.broker.offset;

import io.sluice.base.id.PartitionId;
import io.sluice.base.ownership.Ownership;
import io.sluice.broker.serving.ServedTopic;
import io.sluice.broker.serving.ServedTopics;
import io.sluice.storage.log.LogState;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.PartitionLogStore;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** Finds the log behind a topic's name and a partition's number, or the error that Kafka answers where there is none. */
final class PartitionLookup {
    private final ServedTopics topics;
    private final PartitionLogStore logs;
    private final Ownership ownership;

    PartitionLookup(ServedTopics topics, PartitionLogStore logs, Ownership ownership) {
        this.topics = topics;
        this.logs = logs;
        this.ownership = ownership;
    }

    /**
     * One of the two is given.
     *
     * @param error NONE where there is a log
     */
    record Found(@Nullable PartitionLog log, Errors error) {
        static Found failed(Errors error) {
            return new Found(null, error);
        }
    }

    /**
     * Finds a log.
     *
     * @param currentLeaderEpoch the epoch that the client believes in, -1 if it says none
     */
    Found find(String topicName, int partition, int currentLeaderEpoch) {
        ServedTopic topic = topics.find(topicName);
        PartitionId id = topic == null ? null : topic.partition(partition);
        if (id == null) {
            return Found.failed(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        }
        PartitionLog log = ownership.isLocal(id) ? logs.find(id) : null;
        if (log == null || log.state() == LogState.RECOVERING) {
            return Found.failed(Errors.NOT_LEADER_OR_FOLLOWER);
        }
        if (log.state() == LogState.DELETED) {
            return Found.failed(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        }
        if (currentLeaderEpoch >= 0 && currentLeaderEpoch != log.leaderEpoch()) {
            boolean newer = currentLeaderEpoch > log.leaderEpoch();
            return Found.failed(newer ? Errors.UNKNOWN_LEADER_EPOCH : Errors.FENCED_LEADER_EPOCH);
        }
        return new Found(log, Errors.NONE);
    }
}
