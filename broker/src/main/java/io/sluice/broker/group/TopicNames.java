package io.sluice.broker.group;

import io.sluice.base.id.TopicId;
import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.TopicImage;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** Looks topics up by what a request's version names them with. One image for one request. */
record TopicNames(ClusterImage image, boolean byId) {
    @Nullable TopicImage find(String name, Uuid id) {
        return byId
                ? image.topic(new TopicId(id.getMostSignificantBits(), id.getLeastSignificantBits()))
                : image.topic(name);
    }

    static Uuid uuid(TopicImage topic) {
        return new Uuid(topic.id().mostSignificantBits(), topic.id().leastSignificantBits());
    }
}
