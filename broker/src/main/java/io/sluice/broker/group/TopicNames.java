package io.sluice.broker.group;

import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.TopicImage;
import io.sluice.broker.directory.KafkaIds;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** Looks topics up by what a request's version names them with. One image for one request. */
record TopicNames(ClusterImage image, boolean byId) {
    @Nullable TopicImage find(String name, Uuid id) {
        return byId ? image.topic(KafkaIds.toTopicId(id)) : image.topic(name);
    }
}
