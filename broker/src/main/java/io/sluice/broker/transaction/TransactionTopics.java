package io.sluice.broker.transaction;

import io.sluice.base.metadata.TopicNames;

/** Which topics a transaction may touch. */
public final class TransactionTopics {
    private TransactionTopics() {}

    /**
     * Whether no transaction may touch the topic: the state of coordinators other than groups' offsets. A marker that is appended
     * there behind the back of its coordinator has it load the partition again.
     */
    public static boolean isClosed(String topic) {
        return TopicNames.isInternal(topic) && !topic.equals(TopicNames.CONSUMER_OFFSETS);
    }
}
