package io.sluice.coordinator.library;

import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicImage;
import io.sluice.coordinator.group.GroupPort;
import io.sluice.storage.config.TopicDefaults;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.storage.internals.log.LogConfig;

/**
 * The largest batch that the offsets topic takes at this moment ({@code max.message.bytes}), which bounds the size of a
 * group's state: the topic's own setting, else the node's, as the log itself has it. Safe on every thread.
 */
final class BatchLimit {
    private final ClusterImageSource images;
    private final Supplier<TopicDefaults> defaults;
    private volatile Resolved last = new Resolved(TopicDefaults.NONE, Map.of());

    BatchLimit(ClusterImageSource images, Supplier<TopicDefaults> defaults) {
        this.images = images;
        this.defaults = defaults;
    }

    /** The settings of now. Both layers are immutable, so they are looked into only when there are others. */
    LogConfig current() {
        TopicImage topic = images.current().topic(GroupPort.OFFSETS_TOPIC);
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
