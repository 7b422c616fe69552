package io.sluice.storage.metadata;

import io.sluice.base.config.ConfigException;
import io.sluice.base.id.TopicId;
import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.MetadataStore;
import io.sluice.base.metadata.MetadataStore.Entry;
import io.sluice.base.metadata.MetadataStore.MultiResult;
import io.sluice.base.metadata.MetadataStore.Operation;
import io.sluice.base.metadata.PartitionImage;
import io.sluice.base.metadata.TopicImage;
import io.sluice.storage.config.TopicDefaults;
import io.sluice.storage.metadata.TopicOutcome.Done;
import io.sluice.storage.metadata.TopicOutcome.Reason;
import io.sluice.storage.metadata.TopicOutcome.Refused;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Creates, grows, configures and deletes topics. Each request is one multi on the metadata store, so it happens wholly or
 * not at all, whenever the process dies; when its stage completes it is durable and in the image. A topic that was deleted
 * does not come back: its name may be used again, its id and its log ids never.
 *
 * <p>Safe on every thread; stages complete on the metadata thread. They fail with {@link java.io.IOException} when the
 * store did: the outcome is unknown, unless it was for lack of room.
 */
public final class TopicCatalogue {
    private static final int TRIES = 20;

    private final MetadataStore store;
    private final ClusterImageSource images;
    private final Supplier<TopicId> ids;
    private final TopicRules rules;
    private final LogIdBlocks logIds;

    /**
     * Ready at once.
     *
     * @param ids makes ids of new topics; random ones, but for tests
     * @param defaults what topics inherit now
     * @param maxPartitions of all topics together, as it is set now
     * @param maxReplicas most copies that a topic may ask for: the number of brokers
     */
    public TopicCatalogue(
            MetadataStore store,
            ClusterImageSource images,
            Supplier<TopicId> ids,
            Supplier<TopicDefaults> defaults,
            IntSupplier maxPartitions,
            int maxReplicas) {
        this.store = store;
        this.images = images;
        this.ids = ids;
        this.rules = new TopicRules(defaults, maxPartitions, maxReplicas);
        this.logIds = new LogIdBlocks(store);
        images.addListener(this::onImage);
    }

    /** What would refuse the creation now, or null: for requests that only want to know. */
    public @Nullable Refused validate(NewTopic topic) {
        ClusterImage image = images.current();
        if (image.topic(topic.name()) != null) {
            return rules.conflict(topic, image);
        }
        Refused fault = rules.fault(topic);
        return fault != null ? fault : rules.conflict(topic, image);
    }

    /** Creates a topic under a new id. */
    public CompletionStage<TopicOutcome> create(NewTopic topic) {
        Refused refused = validate(topic);
        if (refused == null) {
            refused = rules.beginCreation(topic, images.current());
        }
        if (refused != null) {
            return CompletableFuture.completedFuture(refused);
        }
        return logIds.take(topic.partitions())
                .thenCompose(firstLogId -> create(topic, firstLogId))
                .whenComplete((outcome, cause) -> rules.endCreation(topic));
    }

    private CompletionStage<TopicOutcome> create(NewTopic topic, long firstLogId) {
        TopicImage image = new TopicImage(
                topic.name(),
                ids.get(),
                partitions(List.of(), topic.partitions(), firstLogId),
                topic.configs(),
                topic.replicationFactor());
        Operation create = new Operation.Create(MetadataKeys.topic(topic.name()), MetadataValues.encodeTopic(image));
        return store.multi(List.of(create)).thenApply(result -> {
            if (result instanceof MultiResult.Applied) {
                return new Done(image);
            }
            MultiResult.Refused refused = (MultiResult.Refused) result;
            return refused.reason() == MetadataStore.Reason.TOO_LARGE
                    ? new Refused(Reason.INVALID_CONFIG, "The settings of topic '" + topic.name() + "' are too large.")
                    : new Refused(Reason.EXISTS, "Topic '" + topic.name() + "' already exists.");
        });
    }

    /** Deletes the topic of this id. */
    public CompletionStage<TopicOutcome> delete(TopicId id) {
        TopicImage topic = images.current().topic(id);
        if (topic == null) {
            return CompletableFuture.completedFuture(unknown(id));
        }
        return change(topic.name(), TRIES, (found, entry) -> {
            if (!found.id().equals(id)) {
                return new Step(null, unknown(id));
            }
            return new Step(new Operation.Delete(entry.key(), entry.version()), new Done(found));
        });
    }

    /**
     * Adds partitions to a topic; an internal one keeps those it has.
     *
     * @param total partitions that it will have; more than it has
     */
    public CompletionStage<TopicOutcome> growTo(String name, int total) {
        TopicImage topic = images.current().topic(name);
        int added = topic == null ? 0 : total - topic.partitions().size();
        if (topic == null || added < 1) {
            return CompletableFuture.completedFuture(validateGrowth(name, total));
        }
        Refused refused = rules.beginGrowth(name, added, images.current());
        if (refused != null) {
            return CompletableFuture.completedFuture(refused);
        }
        return logIds.take(added)
                .thenCompose(first -> change(name, TRIES, (found, entry) -> grow(found, entry, total, first, added)))
                .whenComplete((outcome, cause) -> rules.endGrowth(added));
    }

    /** What growing a topic would come to; nothing is changed. */
    public TopicOutcome validateGrowth(String name, int total) {
        TopicImage topic = images.current().topic(name);
        if (topic == null) {
            return unknown(name);
        }
        int now = topic.partitions().size();
        if (total == now) {
            return new Refused(Reason.INVALID_PARTITIONS, "Topic '" + name + "' already has " + now + " partition(s).");
        }
        if (total < now) {
            return new Refused(
                    Reason.INVALID_PARTITIONS,
                    "The topic " + name + " currently has " + now + " partition(s); " + total
                            + " would not be an increase.");
        }
        Refused refused = rules.beginGrowth(name, total - now, images.current());
        if (refused != null) {
            return refused;
        }
        rules.endGrowth(total - now);
        return new Done(topic);
    }

    private static Step grow(TopicImage found, Entry entry, int total, long firstLogId, int added) {
        if (found.partitions().size() + added != total) {
            return new Step(
                    null,
                    new Refused(
                            Reason.INVALID_PARTITIONS,
                            "Topic '" + found.name() + "' was changed by somebody else: it has "
                                    + found.partitions().size() + " partition(s) now."));
        }
        return Step.set(
                entry,
                new TopicImage(
                        found.name(),
                        found.id(),
                        partitions(found.partitions(), total, firstLogId),
                        found.configs(),
                        found.replicationFactor()));
    }

    /**
     * Changes a topic's own settings.
     *
     * @param edit from the settings that are there to those that shall be; may be called again when somebody else was
     *     faster; throws {@link ConfigException} to refuse
     */
    public CompletionStage<TopicOutcome> configure(String name, UnaryOperator<Map<String, String>> edit) {
        return change(name, TRIES, (found, entry) -> {
            TopicOutcome outcome = edited(found, edit);
            return outcome instanceof Done done ? Step.set(entry, done.topic()) : new Step(null, outcome);
        });
    }

    /** What changing a topic's settings would come to; nothing is changed. */
    public TopicOutcome validateConfigure(String name, UnaryOperator<Map<String, String>> edit) {
        TopicImage topic = images.current().topic(name);
        return topic == null ? unknown(name) : edited(topic, edit);
    }

    private TopicOutcome edited(TopicImage topic, UnaryOperator<Map<String, String>> edit) {
        Map<String, String> configs;
        try {
            configs = edit.apply(topic.configs());
        } catch (ConfigException e) {
            return new Refused(Reason.INVALID_CONFIG, String.valueOf(e.getMessage()));
        }
        Refused fault = rules.configFault(topic.name(), configs);
        return fault != null
                ? fault
                : new Done(new TopicImage(
                        topic.name(), topic.id(), topic.partitions(), configs, topic.replicationFactor()));
    }

    /** One try of a change: what to do, if anything, and what to answer when it is done. */
    private record Step(@Nullable Operation operation, TopicOutcome outcome) {
        static Step set(Entry entry, TopicImage topic) {
            return new Step(
                    new Operation.Set(entry.key(), MetadataValues.encodeTopic(topic), entry.version()),
                    new Done(topic));
        }
    }

    private interface Change {
        Step of(TopicImage found, Entry entry);
    }

    private CompletionStage<TopicOutcome> change(String name, int tries, Change change) {
        return store.get(MetadataKeys.topic(name)).thenCompose(found -> {
            if (found.isEmpty()) {
                return CompletableFuture.completedFuture(unknown(name));
            }
            Entry entry = found.get();
            Step step = change.of(MetadataValues.decodeTopic(name, entry.value()), entry);
            if (step.operation() == null) {
                return CompletableFuture.completedFuture(step.outcome());
            }
            return store.multi(List.of(step.operation()))
                    .thenApply(result -> settle(name, tries, change, step, result))
                    .thenCompose(Function.identity());
        });
    }

    private CompletionStage<TopicOutcome> settle(String name, int tries, Change change, Step step, MultiResult result) {
        if (result instanceof MultiResult.Applied) {
            return CompletableFuture.completedFuture(step.outcome());
        }
        if (((MultiResult.Refused) result).reason() == MetadataStore.Reason.TOO_LARGE) {
            return CompletableFuture.completedFuture(
                    new Refused(Reason.INVALID_CONFIG, "The settings of topic '" + name + "' are too large."));
        }
        if (tries > 1) {
            return change(name, tries - 1, change);
        }
        return CompletableFuture.completedFuture(
                new Refused(Reason.CONTENDED, "Topic '" + name + "' keeps being changed by others; try again."));
    }

    private void onImage(ClusterImage previous, ClusterImage current) {
        if (previous == current) {
            current.topics().forEach(topic -> rules.onTopic(topic.name()));
            return;
        }
        for (TopicId id : current.topicsChangedSince(previous)) {
            TopicImage before = previous.topic(id);
            if (before != null && current.topic(before.name()) == null) {
                rules.onDeleted(before.name());
            }
            TopicImage now = current.topic(id);
            if (now != null) {
                rules.onTopic(now.name());
            }
        }
    }

    private static Refused unknown(String name) {
        return new Refused(Reason.UNKNOWN_NAME, "There is no topic '" + name + "'.");
    }

    private static Refused unknown(TopicId id) {
        return new Refused(Reason.UNKNOWN_ID, "There is no topic with the id " + id + ".");
    }

    private static List<PartitionImage> partitions(List<PartitionImage> there, int total, long firstLogId) {
        List<PartitionImage> partitions = new ArrayList<>(there);
        for (int i = there.size(); i < total; i++) {
            partitions.add(new PartitionImage(i, firstLogId + i - there.size()));
        }
        return partitions;
    }
}
