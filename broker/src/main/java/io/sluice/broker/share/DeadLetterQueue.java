package io.sluice.broker.share;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.base.config.ConfigValues;
import io.sluice.base.id.PartitionId;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.ownership.Ownership;
import io.sluice.broker.serving.ServedTopic;
import io.sluice.broker.serving.ServedTopics;
import io.sluice.coordinator.runtime.InternalTopics;
import io.sluice.coordinator.share.DeadLetter;
import io.sluice.coordinator.share.DeadLetters;
import io.sluice.coordinator.share.SharePartition;
import io.sluice.storage.config.GroupResourceKeys;
import io.sluice.storage.config.ShareGroupKeys;
import io.sluice.storage.config.TopicDefaultKeys;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.PartitionLogStore;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where share groups send the records that they have given up (KIP-1191): the topic that is set on the group, which must allow
 * it, in the partition of the same number, as far as there are so many. What cannot be sent there is given up without it, with a
 * line in the node's log, as in Kafka. Safe on every thread.
 */
public final class DeadLetterQueue {
    private static final Logger LOG = LoggerFactory.getLogger(DeadLetterQueue.class);
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final ServedTopics topics;
    private final PartitionLogStore logs;
    private final Ownership ownership;
    private final ShareGroupConfigs configs;
    private final InternalTopics creation;
    private final ByteBufAllocator allocator;
    private final SharePartition.Time time;

    /**
     * Sends nothing yet.
     *
     * @param creation makes topics and waits until they serve
     */
    public DeadLetterQueue(
            SharePartitions.Records records,
            ShareGroupConfigs configs,
            InternalTopics creation,
            ByteBufAllocator allocator,
            SharePartition.Time time) {
        this.topics = records.topics();
        this.logs = records.logs();
        this.ownership = records.ownership();
        this.configs = configs;
        this.creation = creation;
        this.allocator = allocator;
        this.time = time;
    }

    /** Where the records of one share partition go. */
    public DeadLetters of(SharePartitions.ShareOrigin origin) {
        return letters -> send(origin, letters);
    }

    private CompletionStage<Void> send(SharePartitions.ShareOrigin origin, List<DeadLetter> letters) {
        String topic = configs.deadLetterTopic(origin.groupId());
        if (topic.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> sent = target(topic, origin)
                .thenCompose(target -> DeadLetterWriter.write(
                        new DeadLetterWriter.Source(origin, configs.copiesDeadLetters(origin.groupId())),
                        target,
                        letters,
                        allocator,
                        time))
                .toCompletableFuture();
        var overdue = time.scheduler()
                .schedule(
                        () -> sent.completeExceptionally(new IllegalStateException("it takes too long")),
                        LONGEST_NANOS,
                        time.executor());
        return sent.handle((nothing, failure) -> {
            overdue.cancel();
            if (failure != null) {
                LOG.warn(
                        "Share group {} gives up records of {}-{} without a dead letter: {}",
                        origin.groupId(),
                        origin.topicName(),
                        origin.partition(),
                        failure.getMessage());
            }
            return null;
        });
    }

    private CompletionStage<DeadLetterWriter.Target> target(String name, SharePartitions.ShareOrigin origin) {
        String prefix = configs.node().get(ShareGroupKeys.DEAD_LETTER_PREFIX);
        if (!GroupResourceKeys.isDeadLetterTopic(name, prefix)) {
            return refused("the name of topic " + name + " does not begin with '" + prefix + "'");
        }
        ServedTopic topic = topics.find(name);
        if (topic != null) {
            return target(topic, origin);
        }
        ConfigValues node = configs.node();
        if (!node.get(ShareGroupKeys.DEAD_LETTER_AUTO_CREATE)) {
            return refused("topic " + name + " does not exist, and " + ShareGroupKeys.DEAD_LETTER_AUTO_CREATE.name()
                    + " is false");
        }
        return creation.require(new InternalTopics.Spec(
                        name,
                        node.get(TopicDefaultKeys.NUM_PARTITIONS),
                        node.get(TopicDefaultKeys.DEFAULT_REPLICATION_FACTOR).shortValue(),
                        Map.of("errors.deadletterqueue.group.enable", "true", "message.timestamp.type", "CreateTime")))
                .thenCompose(created -> created(created, origin));
    }

    private CompletionStage<DeadLetterWriter.Target> created(TopicImage created, SharePartitions.ShareOrigin origin) {
        ServedTopic topic = topics.find(created.id());
        return topic == null ? refused("topic " + created.name() + " is gone") : target(topic, origin);
    }

    private CompletionStage<DeadLetterWriter.Target> target(ServedTopic topic, SharePartitions.ShareOrigin origin) {
        if (!topic.config().takesDeadLetters()) {
            return refused("errors.deadletterqueue.group.enable is not set on topic "
                    + topic.image().name());
        }
        int partition = origin.partition() % topic.image().partitions().size();
        PartitionId id = topic.partition(partition);
        PartitionLog log = id != null && ownership.isLocal(id) ? logs.find(id) : null;
        return log == null
                ? refused(
                        "partition " + partition + " of topic " + topic.image().name() + " is not served here")
                : CompletableFuture.completedFuture(new DeadLetterWriter.Target(
                        log, log.leaderEpoch(), topic.config().maxBatchBytes()));
    }

    private static CompletionStage<DeadLetterWriter.Target> refused(String why) {
        return CompletableFuture.failedFuture(new IllegalStateException(why));
    }
}
