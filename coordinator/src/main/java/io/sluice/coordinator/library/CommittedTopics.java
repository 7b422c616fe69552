package io.sluice.coordinator.library;

import io.sluice.coordinator.runtime.CommittedTopic;
import io.sluice.coordinator.runtime.LogLoader;
import io.sluice.coordinator.runtime.MetadataFeed;
import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.group.generated.OffsetCommitKey;
import org.apache.kafka.coordinator.group.generated.OffsetCommitValue;

/**
 * The topics that a partition, while it loads, turns out to hold offsets for, whether or not those offsets were deleted
 * later: some of the topics may be gone. For one load's executor.
 */
final class CommittedTopics implements LogLoader.LoadWatch {
    private final MetadataFeed feed;
    private final Set<CommittedTopic> topics = new HashSet<>();

    CommittedTopics(MetadataFeed feed) {
        this.feed = feed;
    }

    @Override
    public void onRecord(CoordinatorRecord replayed) {
        if (replayed.key() instanceof OffsetCommitKey key
                && replayed.value() != null
                && replayed.value().message() instanceof OffsetCommitValue value) {
            topics.add(new CommittedTopic(key.topic(), value.topicId()));
        }
    }

    @Override
    public void onLoaded() {
        feed.onLoaded(topics);
    }
}
