package io.sluice.broker.serving;

import io.sluice.base.id.TopicId;
import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.metric.Metrics;
import io.sluice.storage.config.TopicDefaults;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Topics by name and by id, resolved at the first request that asks for them and again when their metadata or the node's
 * defaults have changed. Safe on every thread.
 *
 * <p>The first {@value #MAX_SERIES} topics with traffic have metric series of their own, the others share those of the topic
 * "{@value #OTHERS}", so that a node with many topics stays small; a deleted topic's series are removed.
 */
public final class ServedTopics {
    /** Topics with metric series of their own. */
    public static final int MAX_SERIES = 1000;
    /** Stands for all others in metrics; no topic can be called so. */
    public static final String OTHERS = "(others)";

    private final ClusterImageSource images;
    private final Supplier<TopicDefaults> defaults;
    private final Metrics metrics;
    private final Map<TopicId, ServedTopic> resolved = new ConcurrentHashMap<>();
    private final Map<TopicId, TopicSeries> seriesByTopic = new HashMap<>();
    private final TopicSeries others;

    /**
     * Topics of a source.
     *
     * @param defaults what topics inherit now; returns the same object until that changes
     */
    public ServedTopics(ClusterImageSource images, Supplier<TopicDefaults> defaults, Metrics metrics) {
        this.images = images;
        this.defaults = defaults;
        this.metrics = metrics;
        others = TopicSeries.of(metrics, OTHERS);
        images.addListener(this::onImage);
    }

    /** The topic of a name, or null. */
    public @Nullable ServedTopic find(String name) {
        return resolve(images.current().topic(name));
    }

    /** The topic of an id, or null. */
    public @Nullable ServedTopic find(TopicId id) {
        return resolve(images.current().topic(id));
    }

    private @Nullable ServedTopic resolve(@Nullable TopicImage image) {
        if (image == null) {
            return null;
        }
        ServedTopic known = resolved.get(image.id());
        TopicDefaults inherited = defaults.get();
        return known != null && known.isOf(image, inherited) ? known : resolveAnew(image, inherited);
    }

    private ServedTopic resolveAnew(TopicImage image, TopicDefaults inherited) {
        ServedTopic topic = new ServedTopic(image, inherited, seriesOf(image));
        resolved.put(image.id(), topic);
        if (images.current().topic(image.id()) == null) {
            // Deleted meanwhile: nobody else would take it out again.
            forget(image);
        }
        return topic;
    }

    private TopicSeries seriesOf(TopicImage image) {
        synchronized (seriesByTopic) {
            TopicSeries known = seriesByTopic.get(image.id());
            if (known != null) {
                return known;
            }
            if (seriesByTopic.size() >= MAX_SERIES) {
                return others;
            }
            TopicSeries series = TopicSeries.of(metrics, image.name());
            seriesByTopic.put(image.id(), series);
            return series;
        }
    }

    private void onImage(ClusterImage previous, ClusterImage current) {
        if (current.topics().size() > previous.topics().size()) {
            // Deletions that come together with more creations are found at the next change.
            return;
        }
        for (ServedTopic topic : resolved.values()) {
            if (current.topic(topic.image().id()) == null) {
                forget(topic.image());
            }
        }
    }

    private void forget(TopicImage image) {
        resolved.remove(image.id());
        synchronized (seriesByTopic) {
            boolean hadSeries = seriesByTopic.remove(image.id()) != null;
            boolean nameLives = seriesByTopic.keySet().stream()
                    .map(images.current()::topic)
                    .anyMatch(other -> other != null && other.name().equals(image.name()));
            if (hadSeries && !nameLives) {
                TopicSeries.remove(metrics, image.name());
            }
        }
    }
}
