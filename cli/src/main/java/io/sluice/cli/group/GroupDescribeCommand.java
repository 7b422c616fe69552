package io.sluice.cli.group;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.cli.connect.AdminSession;
import io.sluice.cli.connect.ConnectOptions;
import io.sluice.cli.connect.Names;
import io.sluice.cli.connect.Subject;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.OutputOptions;
import io.sluice.cli.output.TextTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code sluice group describe}. */
@Command(
        name = "describe",
        description = "Shows a consumer group's members and how far behind each partition is.",
        mixinStandardHelpOptions = true)
final class GroupDescribeCommand implements Runnable {
    private final Console console;

    @Parameters(paramLabel = "GROUP", description = "The group.")
    private String group = "";

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    GroupDescribeCommand(Console console) {
        this.console = console;
    }

    @Override
    public void run() {
        Names.require("group", group);
        try (AdminSession session = AdminSession.open(connect)) {
            KafkaFuture<ConsumerGroupDescription> answer = Objects.requireNonNull(session.admin()
                    .describeConsumerGroups(List.of(group))
                    .describedGroups()
                    .get(group));
            ConsumerGroupDescription description = session.await(Subject.group(group), answer);
            Map<TopicPartition, OffsetAndMetadata> committed = GroupOffsets.committed(session, group);
            if (description.groupState() == GroupState.DEAD && committed.isEmpty()) {
                throw new UserException(ExitCode.FAILED, Subject.group(group).missing());
            }
            Described described = describe(session, description, committed);
            if (output.isJson()) {
                output.print(console, described, List.of());
            } else {
                printText(described);
            }
        }
    }

    private static Described describe(
            AdminSession session,
            ConsumerGroupDescription description,
            Map<TopicPartition, OffsetAndMetadata> committed) {
        Map<TopicPartition, MemberDescription> owners = new HashMap<>();
        for (MemberDescription member : description.members()) {
            member.assignment().topicPartitions().forEach(partition -> owners.put(partition, member));
        }
        Set<TopicPartition> partitions = new HashSet<>(committed.keySet());
        partitions.addAll(owners.keySet());
        Map<TopicPartition, Long> ends = GroupOffsets.ends(session, partitions);
        List<Position> positions = partitions.stream()
                .map(id -> Position.of(id, committed.get(id), ends.get(id), owners.get(id)))
                .sorted(Comparator.comparing(Position::topic).thenComparing(Position::partition))
                .toList();
        return new Described(
                description.groupId(),
                description.type().toString(),
                description.groupState().toString(),
                description.partitionAssignor(),
                description.coordinator().id(),
                positions.stream()
                        .mapToLong(position -> position.lag() == null ? 0 : position.lag())
                        .sum(),
                members(description),
                positions);
    }

    private static List<Member> members(ConsumerGroupDescription description) {
        List<Member> members = new ArrayList<>();
        for (MemberDescription member : description.members()) {
            members.add(new Member(
                    member.consumerId(),
                    member.groupInstanceId().orElse(null),
                    member.clientId(),
                    host(member),
                    member.assignment().topicPartitions().stream()
                            .map(TopicPartition::toString)
                            .sorted()
                            .toList()));
        }
        return members;
    }

    /** The address alone: Kafka puts an empty name and a slash before it. */
    private static String host(MemberDescription member) {
        return member.host().startsWith("/") ? member.host().substring(1) : member.host();
    }

    private void printText(Described described) {
        int members = described.members().size();
        console.out()
                .println("Group " + described.group() + ": " + described.type() + ", " + described.state() + ", "
                        + members + (members == 1 ? " member" : " members") + ", lag " + described.lag());
        TextTable table =
                new TextTable("GROUP", "TOPIC", "PARTITION", "COMMITTED", "END", "LAG", "MEMBER", "CLIENT", "HOST");
        for (Position position : described.positions()) {
            table.row(
                    described.group(),
                    position.topic(),
                    position.partition(),
                    position.committedOffset(),
                    position.endOffset(),
                    position.lag(),
                    position.memberId(),
                    position.clientId(),
                    position.host());
        }
        table.print(console);
    }

    @SuppressWarnings("checkstyle:ParameterNumber") // one field of the document each
    private record Described(
            String group,
            String type,
            String state,
            String assignor,
            int coordinator,
            long lag,
            List<Member> members,
            List<Position> positions) {}

    private record Member(
            String memberId, @Nullable String instanceId, String clientId, String host, List<String> partitions) {}

    @SuppressWarnings("checkstyle:ParameterNumber") // one field of the document each
    private record Position(
            String topic,
            int partition,
            @Nullable Long committedOffset,
            @Nullable Long endOffset,
            @Nullable Long lag,
            @Nullable String memberId,
            @Nullable String clientId,
            @Nullable String host) {
        static Position of(
                TopicPartition id,
                @Nullable OffsetAndMetadata committed,
                @Nullable Long end,
                @Nullable MemberDescription owner) {
            Long offset = committed == null ? null : committed.offset();
            return new Position(
                    id.topic(),
                    id.partition(),
                    offset,
                    end,
                    offset == null || end == null ? null : Math.max(0, end - offset),
                    owner == null ? null : owner.consumerId(),
                    owner == null ? null : owner.clientId(),
                    owner == null ? null : GroupDescribeCommand.host(owner));
        }
    }
}
