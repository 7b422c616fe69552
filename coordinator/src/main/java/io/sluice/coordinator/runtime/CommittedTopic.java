package io.sluice.coordinator.runtime;

import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.TopicImage;
import org.apache.kafka.common.Uuid;

/**
 * A topic that offsets were committed for.
 *
 * @param id the topic's id at that time; zero in commits of versions that did not know ids
 */
public record CommittedTopic(String name, Uuid id) {
    /** Whether that topic is gone, be it that another one has its name now. */
    public boolean isGone(ClusterImage image) {
        TopicImage now = image.topic(name);
        return now == null || (!id.equals(Uuid.ZERO_UUID) && !id.equals(MetadataTranslator.uuid(now.id())));
    }
}
