package io.sluice.cli.group;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.cli.connect.AdminSession;
import io.sluice.cli.connect.Subject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.ShareGroupDescription;
import org.apache.kafka.clients.admin.SharePartitionOffsetInfo;
import org.apache.kafka.clients.admin.StreamsGroupDescription;
import org.apache.kafka.clients.admin.StreamsGroupMemberAssignment.TaskIds;
import org.apache.kafka.clients.admin.StreamsGroupMemberDescription;
import org.apache.kafka.clients.admin.StreamsGroupSubtopologyDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.TopicPartition;

/** Reads all about a group: share and streams groups in their way, all others as consumer groups. */
final class GroupReader {
    private final AdminSession session;
    private final String group;

    GroupReader(AdminSession session, String group) {
        this.session = session;
        this.group = group;
    }

    /**
     * The group as it is now.
     *
     * @throws UserException where there is none of that name
     */
    GroupDocument read() {
        return switch (GroupOffsets.type(session, group)) {
            case STREAMS -> streams();
            case SHARE -> share();
            default -> consumer();
        };
    }

    private GroupDocument consumer() {
        ConsumerGroupDescription description = session.await(
                Subject.group(group),
                Objects.requireNonNull(session.admin()
                        .describeConsumerGroups(List.of(group))
                        .describedGroups()
                        .get(group)));
        Map<TopicPartition, OffsetAndMetadata> committed = GroupOffsets.committed(session, group);
        if (description.groupState() == GroupState.DEAD && committed.isEmpty()) {
            throw new UserException(ExitCode.FAILED, Subject.group(group).missing());
        }
        List<GroupDocument.Member> members = new ArrayList<>();
        Map<TopicPartition, GroupDocument.Member> owners = new HashMap<>();
        for (MemberDescription member : description.members()) {
            Set<TopicPartition> partitions = member.assignment().topicPartitions();
            GroupDocument.Member shown = GroupDocument.Member.of(
                    member.consumerId(),
                    member.groupInstanceId().orElse(null),
                    member.clientId(),
                    member.host(),
                    partitions);
            members.add(shown);
            partitions.forEach(partition -> owners.put(partition, shown));
        }
        GroupDocument.Head head = new GroupDocument.Head(
                group,
                description.type().toString(),
                description.groupState().toString(),
                description.partitionAssignor(),
                description.coordinator().id());
        return document(head, members, owners, committed);
    }

    /** Several members may share a partition, so that none is named as its owner. */
    private GroupDocument share() {
        ShareGroupDescription description = session.await(
                Subject.group(group),
                Objects.requireNonNull(session.admin()
                        .describeShareGroups(List.of(group))
                        .describedGroups()
                        .get(group)));
        List<GroupDocument.Member> members = description.members().stream()
                .map(member -> GroupDocument.Member.of(
                        member.consumerId(),
                        null,
                        member.clientId(),
                        member.host(),
                        member.assignment().topicPartitions()))
                .toList();
        GroupDocument.Head head = new GroupDocument.Head(
                group,
                GroupType.SHARE.toString(),
                description.groupState().toString(),
                null,
                description.coordinator().id());
        Map<TopicPartition, SharePartitionOffsetInfo> shared = GroupOffsets.shared(session, group);
        Map<TopicPartition, Long> lags = new HashMap<>();
        shared.forEach((partition, info) -> info.lag().ifPresent(lag -> lags.put(partition, lag)));
        return GroupDocument.of(
                head,
                members,
                Map.of(),
                GroupOffsets.starts(shared),
                GroupOffsets.ends(session, shared.keySet()),
                lags);
    }

    private GroupDocument streams() {
        StreamsGroupDescription description = session.await(
                Subject.group(group),
                Objects.requireNonNull(session.admin()
                        .describeStreamsGroups(List.of(group))
                        .describedGroups()
                        .get(group)));
        List<GroupDocument.Member> members = new ArrayList<>();
        Map<TopicPartition, GroupDocument.Member> owners = new HashMap<>();
        for (StreamsGroupMemberDescription member : description.members()) {
            Set<TopicPartition> partitions = partitions(description, member);
            GroupDocument.Member shown = GroupDocument.Member.of(
                    member.memberId(),
                    member.instanceId().orElse(null),
                    member.clientId(),
                    member.clientHost(),
                    partitions);
            members.add(shown);
            partitions.forEach(partition -> owners.put(partition, shown));
        }
        GroupDocument.Head head = new GroupDocument.Head(
                group,
                GroupType.STREAMS.toString(),
                description.groupState().toString(),
                description.assignorName().orElse(null),
                description.coordinator().id());
        return document(head, members, owners, GroupOffsets.committed(session, group));
    }

    /** What the active tasks of a member read, as far as there are such partitions. */
    private Set<TopicPartition> partitions(StreamsGroupDescription description, StreamsGroupMemberDescription member) {
        Set<TopicPartition> partitions = new HashSet<>();
        for (TaskIds tasks : member.assignment().activeTasks()) {
            description.subtopologies().stream()
                    .filter(subtopology -> subtopology.subtopologyId().equals(tasks.subtopologyId()))
                    .flatMap(GroupReader::sources)
                    .forEach(topic -> tasks.partitions()
                            .forEach(partition -> partitions.add(new TopicPartition(topic, partition))));
        }
        return partitions;
    }

    private static Stream<String> sources(StreamsGroupSubtopologyDescription subtopology) {
        return Stream.concat(
                subtopology.sourceTopics().stream(), subtopology.repartitionSourceTopics().keySet().stream());
    }

    private GroupDocument document(
            GroupDocument.Head head,
            List<GroupDocument.Member> members,
            Map<TopicPartition, GroupDocument.Member> owners,
            Map<TopicPartition, OffsetAndMetadata> committed) {
        return GroupDocument.of(
                head,
                members,
                owners,
                committed,
                GroupOffsets.ends(session, GroupDocument.partitions(committed, owners)),
                Map.of());
    }
}
