package io.sluice.cli.group;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.cli.connect.AdminSession;
import io.sluice.cli.connect.ConnectOptions;
import io.sluice.cli.connect.Names;
import io.sluice.cli.connect.Subject;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.NumberRange;
import io.sluice.cli.output.OutputOptions;
import io.sluice.cli.output.TextTable;
import io.sluice.cli.output.Times;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice group reset-offsets}. */
@Command(
        name = "reset-offsets",
        description = "Moves the committed offsets of a group that has no members.",
        mixinStandardHelpOptions = true)
final class GroupResetOffsetsCommand implements Runnable {
    private final Console console;

    @Parameters(paramLabel = "GROUP", description = "The group.")
    private String group = "";

    @Option(
            names = "--topic",
            paramLabel = "TOPIC[:P,P…]",
            description =
                    "A topic, or some of its partitions; may be repeated. Default: all that the group has committed.")
    private List<String> topics = new ArrayList<>();

    @ArgGroup(multiplicity = "1")
    private Target target = new Target();

    @Option(names = "--dry-run", description = "Shows what would change, and changes nothing.")
    private boolean dryRun;

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    GroupResetOffsetsCommand(Console console) {
        this.console = console;
    }

    @Override
    public void run() {
        Names.require("group", group);
        if (target.offset != null && target.offset < 0) {
            throw new UserException(
                    ExitCode.USAGE, "Invalid value '" + target.offset + "' for --to-offset: allowed is 0 or more.");
        }
        Long epochMillis = target.time == null ? null : Times.parse("--to-time", target.time);
        try (AdminSession session = AdminSession.open(connect)) {
            boolean shared = GroupOffsets.type(session, group) == GroupType.SHARE;
            Map<TopicPartition, OffsetAndMetadata> committed = shared
                    ? GroupOffsets.starts(GroupOffsets.shared(session, group))
                    : GroupOffsets.committed(session, group);
            Set<TopicPartition> partitions =
                    topics.isEmpty() ? GroupOffsets.existing(session, committed.keySet()) : named(session);
            if (partitions.isEmpty()) {
                throw new UserException(
                        ExitCode.FAILED,
                        "Group '" + group
                                + "' has committed nothing for a topic there is; name the topics to set with --topic.");
            }
            Map<TopicPartition, Long> wanted = target(session, partitions, committed, epochMillis);
            Map<TopicPartition, Long> offsets = bounded(session, wanted);
            if (!dryRun) {
                change(session, shared, offsets);
            }
            print(committed, wanted, offsets);
        }
    }

    private void change(AdminSession session, boolean shared, Map<TopicPartition, Long> offsets) {
        if (shared) {
            session.await(
                    Subject.group(group),
                    session.admin().alterShareGroupOffsets(group, offsets).all());
            return;
        }
        Map<TopicPartition, OffsetAndMetadata> changes = new HashMap<>();
        offsets.forEach((partition, offset) -> changes.put(partition, new OffsetAndMetadata(offset)));
        session.await(
                Subject.group(group),
                session.admin().alterConsumerGroupOffsets(group, changes).all());
    }

    private void print(
            Map<TopicPartition, OffsetAndMetadata> committed,
            Map<TopicPartition, Long> wanted,
            Map<TopicPartition, Long> offsets) {
        List<Moved> moved = offsets.entrySet().stream()
                .map(entry -> Moved.of(
                        entry.getKey(), committed.get(entry.getKey()), wanted.get(entry.getKey()), entry.getValue()))
                .sorted(Comparator.comparing(Moved::topic).thenComparing(Moved::partition))
                .toList();
        TextTable table = new TextTable("GROUP", "TOPIC", "PARTITION", "BEFORE", "AFTER");
        moved.forEach(move -> table.row(group, move.topic(), move.partition(), move.before(), move.after()));
        output.print(console, new Reset(group, dryRun, moved), table);
        moved.stream()
                .map(Moved::warning)
                .filter(Objects::nonNull)
                .forEach(warning -> console.err().println("sluice: warning: " + warning));
    }

    private Set<TopicPartition> named(AdminSession session) {
        List<TopicChoice> choices = topics.stream().map(TopicChoice::parse).toList();
        Set<TopicPartition> partitions = new HashSet<>();
        for (TopicChoice choice : choices) {
            Map<String, KafkaFuture<TopicDescription>> answer =
                    session.admin().describeTopics(List.of(choice.topic())).topicNameValues();
            TopicDescription topic =
                    session.await(Subject.topic(choice.topic()), Objects.requireNonNull(answer.get(choice.topic())));
            partitions.addAll(choice.among(topic.partitions().size()));
        }
        return partitions;
    }

    private Map<TopicPartition, Long> target(
            AdminSession session,
            Set<TopicPartition> partitions,
            Map<TopicPartition, OffsetAndMetadata> committed,
            @Nullable Long epochMillis) {
        if (target.earliest) {
            return GroupOffsets.find(session, partitions, OffsetSpec.earliest());
        }
        if (target.latest) {
            return GroupOffsets.find(session, partitions, OffsetSpec.latest());
        }
        if (epochMillis != null) {
            return atTime(session, partitions, epochMillis);
        }
        Map<TopicPartition, Long> offsets = new HashMap<>();
        for (TopicPartition partition : partitions) {
            offsets.put(partition, target.offset != null ? target.offset : shifted(partition, committed));
        }
        return offsets;
    }

    private long shifted(TopicPartition partition, Map<TopicPartition, OffsetAndMetadata> committed) {
        OffsetAndMetadata before = committed.get(partition);
        if (before == null || target.shift == null) {
            throw new UserException(
                    ExitCode.FAILED,
                    "Group '" + group + "' has committed nothing for " + partition + ", so there is nothing to shift.");
        }
        try {
            return Math.addExact(before.offset(), target.shift);
        } catch (ArithmeticException e) {
            // Beyond every log: its nearest end is taken.
            return target.shift < 0 ? 0 : Long.MAX_VALUE;
        }
    }

    /** Where no record is that late, the end. */
    private static Map<TopicPartition, Long> atTime(
            AdminSession session, Set<TopicPartition> partitions, long epochMillis) {
        Map<TopicPartition, Long> found = GroupOffsets.find(session, partitions, OffsetSpec.forTimestamp(epochMillis));
        Map<TopicPartition, Long> ends = GroupOffsets.find(session, partitions, OffsetSpec.latest());
        found.replaceAll((partition, offset) -> offset < 0 ? ends.getOrDefault(partition, 0L) : offset);
        return found;
    }

    /** An offset outside the log becomes the nearest one inside. */
    private static Map<TopicPartition, Long> bounded(AdminSession session, Map<TopicPartition, Long> offsets) {
        Map<TopicPartition, Long> starts = GroupOffsets.find(session, offsets.keySet(), OffsetSpec.earliest());
        Map<TopicPartition, Long> ends = GroupOffsets.find(session, offsets.keySet(), OffsetSpec.latest());
        Map<TopicPartition, Long> bounded = new HashMap<>();
        offsets.forEach((partition, offset) -> bounded.put(
                partition,
                Math.min(
                        Math.max(offset, starts.getOrDefault(partition, 0L)),
                        ends.getOrDefault(partition, Long.MAX_VALUE))));
        return bounded;
    }

    /** Exactly one of these. */
    private static final class Target {
        @Option(names = "--to-earliest", required = true, description = "To the first record.")
        private boolean earliest;

        @Option(names = "--to-latest", required = true, description = "Past the last record.")
        private boolean latest;

        @Option(names = "--to-offset", paramLabel = "N", required = true, description = "To this offset.")
        @NumberRange(min = 0)
        private @Nullable Long offset;

        @Option(
                names = "--to-time",
                paramLabel = "TIME",
                required = true,
                description = "To the first record of this time or later, such as 2026-01-31T13:00:00+01:00.")
        private @Nullable String time;

        @Option(
                names = "--shift",
                paramLabel = "N",
                required = true,
                description = "By so many records; backward if negative.")
        private @Nullable Long shift;
    }

    private record Reset(String group, boolean dryRun, List<Moved> partitions) {}

    private record Moved(
            String topic,
            int partition,
            @Nullable Long before,
            long after,
            @Nullable String warning) {
        static Moved of(
                TopicPartition partition, @Nullable OffsetAndMetadata before, @Nullable Long wanted, long after) {
            String warning = wanted == null || wanted == after
                    ? null
                    : "partition " + partition + " has no offset " + wanted + ": took " + after
                            + ", the nearest there is.";
            return new Moved(
                    partition.topic(), partition.partition(), before == null ? null : before.offset(), after, warning);
        }
    }
}
