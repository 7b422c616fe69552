package io.sluice.coordinator.runtime;

import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicImage;
import io.sluice.storage.metadata.NewTopic;
import io.sluice.storage.metadata.TopicCatalogue;
import io.sluice.storage.metadata.TopicOutcome;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Internal topics out of the topic catalogue. */
public final class CatalogueTopics implements InternalTopics {
    private final TopicCatalogue catalogue;
    private final ClusterImageSource images;
    private final Function<TopicImage, CompletionStage<Void>> whenServing;
    private final int maxReplicas;

    /**
     * Creates nothing yet.
     *
     * @param whenServing completes when all partitions of a topic serve
     * @param maxReplicas most copies that a topic may have: the number of brokers
     */
    public CatalogueTopics(
            TopicCatalogue catalogue,
            ClusterImageSource images,
            Function<TopicImage, CompletionStage<Void>> whenServing,
            int maxReplicas) {
        this.catalogue = catalogue;
        this.images = images;
        this.whenServing = whenServing;
        this.maxReplicas = maxReplicas;
    }

    @Override
    public CompletionStage<TopicImage> require(Spec spec) {
        TopicImage existing = images.current().topic(spec.name());
        if (existing != null) {
            return CompletableFuture.completedFuture(existing);
        }
        Spec fitting = spec.atMost(maxReplicas);
        return catalogue
                .create(new NewTopic(
                        fitting.name(), fitting.partitions(), fitting.replicationFactor(), fitting.configs()))
                .thenCompose(outcome -> settle(spec, outcome));
    }

    /** Whoever else created it was as good; a log that does not open is its partition's trouble alone. */
    private CompletionStage<TopicImage> settle(Spec spec, TopicOutcome outcome) {
        TopicImage topic = outcome instanceof TopicOutcome.Done done
                ? done.topic()
                : images.current().topic(spec.name());
        if (topic == null) {
            return CompletableFuture.failedFuture(
                    new IllegalStateException(((TopicOutcome.Refused) outcome).message()));
        }
        return whenServing.apply(topic).handle((serving, failure) -> topic);
    }
}
