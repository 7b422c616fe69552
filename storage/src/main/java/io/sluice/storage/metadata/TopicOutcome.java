package io.sluice.storage.metadata;

import io.sluice.base.metadata.TopicImage;

/** What became of a request to the {@link TopicCatalogue}. */
public sealed interface TopicOutcome {
    /** It is done and durable; the topic as it stands now (as it stood, where it was deleted). */
    record Done(TopicImage topic) implements TopicOutcome {}

    /**
     * Nothing was changed.
     *
     * @param message one line for whoever asked
     */
    record Refused(Reason reason, String message) implements TopicOutcome {}

    /** Why. */
    enum Reason {
        /** A topic of this name is there: TOPIC_ALREADY_EXISTS. */
        EXISTS,
        /** No topic of this name: UNKNOWN_TOPIC_OR_PARTITION. */
        UNKNOWN_NAME,
        /** No topic of this id: UNKNOWN_TOPIC_ID. */
        UNKNOWN_ID,
        /** INVALID_TOPIC_EXCEPTION. */
        INVALID_NAME,
        /** INVALID_PARTITIONS. */
        INVALID_PARTITIONS,
        /** INVALID_REPLICATION_FACTOR. */
        INVALID_REPLICATION_FACTOR,
        /** INVALID_CONFIG. */
        INVALID_CONFIG,
        /** More partitions than sluice.max.partitions allows: POLICY_VIOLATION. */
        TOO_MANY_PARTITIONS,
        /** Others kept changing it at the same time: REQUEST_TIMED_OUT, try again. */
        CONTENDED
    }
}
