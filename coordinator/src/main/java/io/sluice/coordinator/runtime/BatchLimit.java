package io.sluice.coordinator.runtime;

import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicImage;
import io.sluice.storage.config.TopicDefaults;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.storage.internals.log.LogConfig;

/**
 * The largest batch that a coordinator's topic takes at this moment ({@code max.message.bytes}), which bounds what it may
 * write at once: the topic's own setting, else the node's, as the log itself has it. Safe on every thread.
 */
public final class BatchLimit {
    private final String topicName;
    private final ClusterImageSource images;
    private final Supplier<TopicDefaults> defaults;
    private volatile Resolved last = new Resolved(TopicDefaults.NONE, Map.of());

    /** Of the topic with this name, whichever incarnation. */
    public BatchLimit(String topicName, ClusterImageSource images, Supplier<TopicDefaults> defaults) {
        this.topicName = topicName;
        this.images = images;
        this.defaults = defaults;
    }

    /** The settings of now. Both layers are immutable, so they are looked into only when there are others. */
    LogConfig current() {
        TopicImage topic = images.current().topic(topicName);
        TopicDefaults inherited = defaults.get();
        Resolved known = last;
        if (topic == null || known.isOf(inherited, topic.configs())) {
            return known.logConfig;
        }
        Resolved resolved = new Resolved(inherited, topic.configs());
        last = resolved;
        return resolved.logConfig;
    }

    /** What came of two layers of settings. */
    private static final class Resolved {
        private final TopicDefaults inherited;
        private final Map<String, String> own;
        private final LogConfig logConfig;

        Resolved(TopicDefaults inherited, Map<String, String> own) {
            this.inherited = inherited;
            this.own = own;
            int maxBatchBytes = inherited.effectiveConfig(true, own).maxBatchBytes();
            this.logConfig = new LogConfig(Map.of("max.message.bytes", Integer.toString(maxBatchBytes)));
        }

        @SuppressWarnings(
                "ReferenceEquality") // another object may be the same settings: then they are resolved once more
        boolean isOf(TopicDefaults thoseInherited, Map<String, String> thoseOwn) {
            return inherited == thoseInherited && own == thoseOwn;
        }
    }
}
