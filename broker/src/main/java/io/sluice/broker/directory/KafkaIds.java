package io.sluice.broker.directory;

import io.sluice.base.id.TopicId;
import org.apache.kafka.common.Uuid;

/** Between our ids and those of Kafka's library. */
public final class KafkaIds {
    private KafkaIds() {}

    /** For a response. */
    public static Uuid toUuid(TopicId id) {
        return new Uuid(id.mostSignificantBits(), id.leastSignificantBits());
    }

    /** From a request. */
    public static TopicId toTopicId(Uuid id) {
        return new TopicId(id.getMostSignificantBits(), id.getLeastSignificantBits());
    }
}
