package io.sluice.broker.share;

import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.base.ownership.Ownership;
import io.sluice.broker.directory.KafkaIds;
import io.sluice.broker.serving.ServedTopic;
import io.sluice.broker.serving.ServedTopics;
import io.sluice.coordinator.share.AcquiredRange;
import io.sluice.coordinator.share.DeadLetters;
import io.sluice.coordinator.share.LibraryStore;
import io.sluice.coordinator.share.PatientShareState;
import io.sluice.coordinator.share.SharePartition;
import io.sluice.storage.config.GroupResourceKeys;
import io.sluice.storage.log.LogState;
import io.sluice.storage.log.OffsetQuery;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.PartitionLogStore;
import io.sluice.storage.log.ReadRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * The share partitions in use: loaded with the first fetch of a group, forgotten when the group's last session ends, so that
 * what is altered while nobody reads is seen by the next one, and when their state is begun anew. Safe on every thread.
 */
public final class SharePartitions {
    private static final String EARLIEST = "earliest";

    private final ServedTopics topics;
    private final PartitionLogStore logs;
    private final Ownership ownership;
    private final PatientShareState state;
    private final ShareGroupConfigs configs;
    private final Function<ShareOrigin, DeadLetters> deadLetters;
    private final SharePartition.Time time;
    private final Map<ShareKey, ServedSharePartition> served = new ConcurrentHashMap<>();

    /** What share partitions are made of. */
    public record Records(ServedTopics topics, PartitionLogStore logs, Ownership ownership) {}

    /**
     * None in use yet.
     *
     * @param deadLetters where the records of a share partition go that are given up
     */
    public SharePartitions(
            Records records,
            PatientShareState state,
            ShareGroupConfigs configs,
            Function<ShareOrigin, DeadLetters> deadLetters,
            SharePartition.Time time) {
        this.topics = records.topics();
        this.logs = records.logs();
        this.ownership = records.ownership();
        this.state = state;
        this.configs = configs;
        this.deadLetters = deadLetters;
        this.time = time;
        state.onReplaced(this::onStateReplaced);
    }

    /**
     * The group was deleted, or its offset set, while a member that it does not know any more reads still: nothing more is
     * delivered by the former state.
     */
    private void onStateReplaced(PatientShareState.Key key) {
        ServedSharePartition partition = find(key.groupId(), key.topicId(), key.partition());
        if (partition != null) {
            partition.close();
        }
    }

    /**
     * Where records come from that a group has given up.
     *
     * @param topicName as it was when the group began to read
     */
    public record ShareOrigin(String groupId, String topicName, Uuid topicId, int partition, PartitionLog log) {}

    /** A share partition, or why there is none. */
    record Found(@Nullable ServedSharePartition partition, Errors error) {
        private static Found failed(Errors error) {
            return new Found(null, error);
        }
    }

    ShareGroupConfigs configs() {
        return configs;
    }

    /** One that is in use, or null. */
    @Nullable ServedSharePartition find(String groupId, Uuid topicId, int partition) {
        return served.get(new ShareKey(groupId, new PartitionId(KafkaIds.toTopicId(topicId), partition)));
    }

    /** What to say of one that is not in use. */
    Errors errorOfMissing(Uuid topicId) {
        boolean known = topics.find(KafkaIds.toTopicId(topicId)) != null;
        return known ? Errors.UNKNOWN_TOPIC_OR_PARTITION : Errors.UNKNOWN_TOPIC_ID;
    }

    /** One that is in use, else it is taken into use. */
    Found require(String groupId, Uuid topicId, int partition) {
        TopicId id = KafkaIds.toTopicId(topicId);
        ServedTopic topic = topics.find(id);
        if (topic == null) {
            return Found.failed(Errors.UNKNOWN_TOPIC_ID);
        }
        PartitionId partitionId = topic.partition(partition);
        if (partitionId == null || topic.internal()) {
            return Found.failed(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        }
        PartitionLog log = ownership.isLocal(partitionId) ? logs.find(partitionId) : null;
        if (log == null || log.state() != LogState.SERVING) {
            return Found.failed(Errors.NOT_LEADER_OR_FOLLOWER);
        }
        ShareOrigin origin = new ShareOrigin(groupId, topic.image().name(), topicId, partition, log);
        return new Found(use(new ShareKey(groupId, partitionId), origin), Errors.NONE);
    }

    /** Where its predecessor is at its end, it gets a successor. */
    private ServedSharePartition use(ShareKey key, ShareOrigin origin) {
        ServedSharePartition partition = served.computeIfAbsent(key, absent -> create(absent, origin));
        if (partition.records().reuse()) {
            return partition;
        }
        served.remove(key, partition);
        return served.computeIfAbsent(key, absent -> create(absent, origin));
    }

    private ServedSharePartition create(ShareKey key, ShareOrigin origin) {
        PatientShareState.Key stateKey =
                new PatientShareState.Key(origin.groupId(), origin.topicId(), origin.partition());
        PartitionLog log = origin.log();
        return new ServedSharePartition(
                key,
                log,
                configs,
                listener -> new SharePartition(
                        origin.groupId() + ":" + origin.topicName() + "-" + origin.partition(),
                        new LibraryStore(state, stateKey, log.leaderEpoch()),
                        () -> configs.of(origin.groupId()),
                        deadLetters.apply(origin),
                        listener,
                        time),
                // In the background, since it must be in the map before it can be lost.
                records -> CompletableFuture.supplyAsync(
                                () -> records.load(() -> firstOffset(origin.groupId(), log), log.endOffset()),
                                time.executor())
                        .thenCompose(loading -> loading),
                gone -> served.remove(key, gone));
    }

    /** Where a group begins that has read nothing yet. */
    private CompletionStage<Long> firstOffset(String groupId, PartitionLog log) {
        String reset = configs.of(groupId).offsetReset();
        Duration back = GroupResourceKeys.resetDuration(reset);
        if (back == null) {
            return CompletableFuture.completedFuture(
                    reset.equals(EARLIEST) ? log.logStartOffset() : log.visibleOffset());
        }
        CompletableFuture<Long> found = new CompletableFuture<>();
        long since = Math.max(0, time.clock().epochMillis() - back.toMillis());
        log.findOffset(new OffsetQuery(since, ReadRequest.Limit.VISIBLE, time.executor()), result -> {
            if (result instanceof OffsetQuery.Result.Found at) {
                found.complete(at.offset());
            } else if (result instanceof OffsetQuery.Result.Failed failed) {
                found.completeExceptionally(new IllegalStateException(failed.detail()));
            } else {
                found.complete(log.visibleOffset());
            }
        });
        return found;
    }

    /** Nobody of the group reads any more: what is under way is still kept, then its partitions are lost. */
    void forget(String groupId) {
        List<ServedSharePartition> idle = served.values().stream()
                .filter(partition -> partition.key().groupId().equals(groupId))
                .toList();
        idle.forEach(partition -> partition.records().retire());
    }

    /** Counts what was delivered. */
    void count(TopicId topicId, int bytes, List<AcquiredRange> acquired) {
        ServedTopic topic = topics.find(topicId);
        if (topic != null) {
            topic.series().bytesOut().add(bytes);
            topic.series()
                    .recordsOut()
                    .add(acquired.stream().mapToLong(AcquiredRange::size).sum());
        }
    }

    /** How many are in use. */
    int size() {
        return served.size();
    }
}
