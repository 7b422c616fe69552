package io.sluice.coordinator.transaction;

import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Where groups keep their offsets. Safe on every thread; nothing blocks. */
@FunctionalInterface
public interface OffsetPartitions {
    /** The partition that holds the offsets of a group, or null while there is none. Never fails. */
    CompletionStage<@Nullable TopicPartition> find(String groupId);
}
