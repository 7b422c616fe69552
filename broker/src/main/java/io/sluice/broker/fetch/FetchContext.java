package io.sluice.broker.fetch;

import io.sluice.base.id.PartitionId;
import io.sluice.base.ownership.Ownership;
import io.sluice.broker.directory.KafkaIds;
import io.sluice.broker.serving.ServedTopic;
import io.sluice.broker.serving.ServedTopics;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.PartitionLogStore;
import io.sluice.storage.log.ReadRequest;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchRequest;
import org.jspecify.annotations.Nullable;

/** What holds for all partitions of one Fetch request. */
final class FetchContext {
    private static final short STORAGE_ERROR_VERSION = 6;
    private static final short ZSTD_VERSION = 10;
    private static final short LEADER_VERSION = 16;

    private final ServedTopics topics;
    private final PartitionLogStore logs;
    private final Ownership ownership;
    private final short version;
    private final boolean fromReplica;
    private final ReadRequest.Limit limit;
    private boolean woken;

    FetchContext(ServedTopics topics, PartitionLogStore logs, Ownership ownership, FetchRequest request) {
        this.topics = topics;
        this.logs = logs;
        this.ownership = ownership;
        version = request.version();
        fromReplica = request.replicaId() >= 0;
        limit = request.isolationLevel() == IsolationLevel.READ_COMMITTED
                ? ReadRequest.Limit.LAST_STABLE
                : ReadRequest.Limit.VISIBLE;
    }

    @Nullable ServedTopic findTopic(FetchPartition.Key key) {
        return key.topicName() != null ? topics.find(key.topicName()) : topics.find(KafkaIds.toTopicId(key.topicId()));
    }

    @Nullable PartitionLog findLog(PartitionId id) {
        return ownership.isLocal(id) ? logs.find(id) : null;
    }

    /** Tells clients that can read it who serves the partition, where they asked the wrong node or epoch. */
    void setLeader(PartitionAnswer answer, @Nullable PartitionId id) {
        boolean useful =
                answer.error() == Errors.NOT_LEADER_OR_FOLLOWER || answer.error() == Errors.FENCED_LEADER_EPOCH;
        if (useful && version >= LEADER_VERSION && id != null) {
            answer.setLeader(ownership.ownerOf(id), ownership.leaderEpochOf(id));
        }
    }

    /** From here on partitions are looked at again that were there before. */
    void onWoken() {
        woken = true;
    }

    /** Whether this is not the first look. */
    boolean isWoken() {
        return woken;
    }

    short version() {
        return version;
    }

    /** Whether it says that it comes from another broker's replica, which there is none of. */
    boolean isFromReplica() {
        return fromReplica;
    }

    ReadRequest.Limit limit() {
        return limit;
    }

    boolean readCommitted() {
        return limit == ReadRequest.Limit.LAST_STABLE;
    }

    /** Whether the client cannot know zstd. */
    boolean hidesZstd() {
        return version < ZSTD_VERSION;
    }

    /** The error in words that this version of the client knows. */
    Errors translate(Errors error) {
        return error == Errors.KAFKA_STORAGE_ERROR && version < STORAGE_ERROR_VERSION
                ? Errors.NOT_LEADER_OR_FOLLOWER
                : error;
    }
}
