package io.sluice.cli.group;

import io.sluice.cli.connect.AdminSession;
import io.sluice.cli.connect.Subject;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.SharePartitionOffsetInfo;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.TopicPartition;

/** What a group has committed and where its partitions end. */
final class GroupOffsets {
    private GroupOffsets() {}

    /** Committed offsets; partitions without one are left out. */
    static Map<TopicPartition, OffsetAndMetadata> committed(AdminSession session, String group) {
        Map<TopicPartition, OffsetAndMetadata> committed = new HashMap<>();
        session.await(
                        Subject.group(group),
                        session.admin().listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata())
                .forEach((partition, offset) -> {
                    if (offset != null) {
                        committed.put(partition, offset);
                    }
                });
        return committed;
    }

    /** The type of a group; that of a classic one where there is none of the name. */
    static GroupType type(AdminSession session, String group) {
        return session
                .await(session.admin()
                        .listGroups(new ListGroupsOptions().withTypes(Set.of(GroupType.STREAMS, GroupType.SHARE)))
                        .all())
                .stream()
                .filter(listed -> listed.groupId().equals(group))
                .flatMap(listed -> listed.type().stream())
                .findFirst()
                .orElse(GroupType.CLASSIC);
    }

    /** How far a share group is; partitions of which it has settled nothing and none is to come are left out. */
    static Map<TopicPartition, SharePartitionOffsetInfo> shared(AdminSession session, String group) {
        Map<TopicPartition, SharePartitionOffsetInfo> shared = new HashMap<>();
        session.await(
                        Subject.group(group),
                        session.admin()
                                .listShareGroupOffsets(Map.of(group, new ListShareGroupOffsetsSpec()))
                                .partitionsToOffsetInfo(group))
                .forEach((partition, info) -> {
                    if (info != null) {
                        shared.put(partition, info);
                    }
                });
        return shared;
    }

    /** Where a share group begins, as if it had committed that. */
    static Map<TopicPartition, OffsetAndMetadata> starts(Map<TopicPartition, SharePartitionOffsetInfo> shared) {
        Map<TopicPartition, OffsetAndMetadata> starts = new HashMap<>();
        shared.forEach((partition, info) -> starts.put(partition, new OffsetAndMetadata(info.startOffset())));
        return starts;
    }

    /** End offsets; partitions of topics that are gone are left out. */
    static Map<TopicPartition, Long> ends(AdminSession session, Collection<TopicPartition> partitions) {
        return find(session, existing(session, partitions), OffsetSpec.latest());
    }

    /** Those whose topics are not gone: asking for the offsets of the others would wait for them to appear. */
    static Set<TopicPartition> existing(AdminSession session, Collection<TopicPartition> partitions) {
        Set<String> topics = session.await(session.admin()
                .listTopics(new ListTopicsOptions().listInternal(true))
                .names());
        Set<TopicPartition> existing = new HashSet<>(partitions);
        existing.removeIf(partition -> !topics.contains(partition.topic()));
        return existing;
    }

    /** Offsets by a rule. */
    static Map<TopicPartition, Long> find(
            AdminSession session, Collection<TopicPartition> partitions, OffsetSpec spec) {
        Map<TopicPartition, OffsetSpec> wanted = new HashMap<>();
        partitions.forEach(partition -> wanted.put(partition, spec));
        Map<TopicPartition, Long> offsets = new HashMap<>();
        session.await(session.admin().listOffsets(wanted).all())
                .forEach((partition, info) -> offsets.put(partition, info.offset()));
        return offsets;
    }
}
