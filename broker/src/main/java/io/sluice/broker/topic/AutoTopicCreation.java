package io.sluice.broker.topic;

import io.sluice.base.config.ConfigValues;
import io.sluice.base.metadata.TopicNames;
import io.sluice.broker.api.AsyncAnswer;
import io.sluice.coordinator.runtime.InternalTopics;
import io.sluice.storage.config.TopicDefaultKeys;
import io.sluice.storage.metadata.NewTopic;
import io.sluice.storage.metadata.TopicCreator;
import io.sluice.storage.metadata.TopicOutcome.Refused;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates topics that clients ask for by name and that are not there, where {@code auto.create.topics.enable} allows it. Each
 * name once at a time. Safe on every thread; nothing blocks.
 */
public final class AutoTopicCreation {
    private static final Logger LOG = LoggerFactory.getLogger(AutoTopicCreation.class);

    private final TopicCreator creator;
    private final InternalTopics internalTopics;
    private final Supplier<ConfigValues> config;
    private final int maxReplicas;
    private final TopicsUnderWay underWay = new TopicsUnderWay();

    /**
     * Creates through the creator; internal topics as their coordinators want them.
     *
     * @param config the node's settings as they stand
     * @param maxReplicas the number of brokers
     */
    public AutoTopicCreation(
            TopicCreator creator, InternalTopics internalTopics, Supplier<ConfigValues> config, int maxReplicas) {
        this.creator = creator;
        this.internalTopics = internalTopics;
        this.config = config;
        this.maxReplicas = maxReplicas;
    }

    /**
     * Begins to create a topic that a client asked for, unless that is switched off. Of the internal topics only those
     * whose coordinator is here are created, as that wants them: an ordinary topic under such a name would be in its way.
     *
     * @param name allowed as a name, and not there
     * @return what to tell the client now: it asks again after any of these
     */
    public Errors begin(String name) {
        ConfigValues settings = config.get();
        boolean withoutCoordinator = name.equals(TopicNames.SHARE_GROUP_STATE);
        if (withoutCoordinator || !settings.get(TopicDefaultKeys.AUTO_CREATE_TOPICS_ENABLE)) {
            return Errors.UNKNOWN_TOPIC_OR_PARTITION;
        }
        int replicas = settings.get(TopicDefaultKeys.DEFAULT_REPLICATION_FACTOR);
        if (replicas > maxReplicas && !TopicNames.isInternal(name)) {
            return Errors.INVALID_REPLICATION_FACTOR;
        }
        underWay.begin(
                name, () -> create(name, settings, replicas), (refused, cause) -> onFailed(name, refused, cause));
        return Errors.UNKNOWN_TOPIC_OR_PARTITION;
    }

    private CompletionStage<?> create(String name, ConfigValues settings, int replicas) {
        if (name.equals(TopicNames.CONSUMER_OFFSETS)) {
            return internalTopics.require(InternalTopics.Spec.ofOffsets(settings));
        }
        if (name.equals(TopicNames.TRANSACTION_STATE)) {
            return internalTopics.require(InternalTopics.Spec.ofTransactions(settings));
        }
        return creator.create(new NewTopic(name, settings.get(TopicDefaultKeys.NUM_PARTITIONS), replicas, Map.of()));
    }

    private static void onFailed(String name, @Nullable Refused refused, @Nullable Throwable cause) {
        LOG.atWarn()
                .setMessage("Cannot create a topic that a client asked for")
                .addKeyValue("topic", name)
                .addKeyValue("reason", cause == null ? refused : AsyncAnswer.unwrap(cause))
                .log();
    }
}
