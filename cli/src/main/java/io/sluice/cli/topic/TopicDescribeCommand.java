package io.sluice.cli.topic;

import io.sluice.cli.connect.AdminSession;
import io.sluice.cli.connect.Answers;
import io.sluice.cli.connect.ConnectOptions;
import io.sluice.cli.connect.Names;
import io.sluice.cli.connect.Subject;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.OutputOptions;
import io.sluice.cli.output.TextTable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ConfigEntry.ConfigSource;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code sluice topic describe}. */
@Command(
        name = "describe",
        description = "Shows a topic's settings and where each partition starts and ends.",
        mixinStandardHelpOptions = true)
final class TopicDescribeCommand implements Runnable {
    private final Console console;

    @Parameters(paramLabel = "NAME", arity = "1..*", description = "Topics.")
    private List<String> names = new ArrayList<>();

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    TopicDescribeCommand(Console console) {
        this.console = console;
    }

    @Override
    public void run() {
        Names.require("topic", names);
        try (AdminSession session = AdminSession.open(connect)) {
            Map<String, KafkaFuture<TopicDescription>> futures =
                    session.admin().describeTopics(new LinkedHashSet<>(names)).topicNameValues();
            Answers<TopicDescription> answers =
                    Answers.of(names, name -> description(session, name, Objects.requireNonNull(futures.get(name))));
            List<Described> described = describe(session, answers.given().values());
            if (output.isJson()) {
                output.print(console, described, List.of());
            } else {
                described.forEach(this::printText);
            }
            answers.requireAll();
        }
    }

    /** Of a name that no topic can have the node says only that it is invalid. */
    private static TopicDescription description(
            AdminSession session, String name, KafkaFuture<TopicDescription> future) {
        Names.requireTopic(name);
        return session.await(Subject.topic(name), future);
    }

    private static List<Described> describe(AdminSession session, Collection<TopicDescription> topics) {
        Map<String, Map<String, String>> configs = configs(session, topics);
        Map<TopicPartition, Long> starts = offsets(session, topics, OffsetSpec.earliest());
        Map<TopicPartition, Long> ends = offsets(session, topics, OffsetSpec.latest());
        List<Described> described = new ArrayList<>();
        for (TopicDescription topic : topics) {
            described.add(new Described(
                    topic.name(),
                    topic.topicId().toString(),
                    topic.isInternal(),
                    configs.getOrDefault(topic.name(), Map.of()),
                    partitions(topic, starts, ends)));
        }
        return described;
    }

    private void printText(Described topic) {
        console.out().println("Topic " + topic.name() + ", id " + topic.id() + (topic.internal() ? ", internal" : ""));
        topic.configs().forEach((key, value) -> console.out().println("  " + key + "=" + value));
        TextTable table = new TextTable("TOPIC", "PARTITION", "LEADER", "REPLICAS", "START", "END", "RECORDS");
        for (Partition partition : topic.partitions()) {
            table.row(
                    topic.name(),
                    partition.partition(),
                    partition.leader(),
                    partition.replicas().toString(),
                    partition.startOffset(),
                    partition.endOffset(),
                    partition.endOffset() - partition.startOffset());
        }
        table.print(console);
    }

    private static Map<String, Map<String, String>> configs(AdminSession session, Collection<TopicDescription> topics) {
        List<ConfigResource> resources = topics.stream()
                .map(topic -> new ConfigResource(ConfigResource.Type.TOPIC, topic.name()))
                .toList();
        Map<String, Map<String, String>> configs = new HashMap<>();
        session.await(session.admin().describeConfigs(resources).all())
                .forEach((resource, config) -> configs.put(resource.name(), setOnTopic(config)));
        return configs;
    }

    private static Map<String, String> setOnTopic(Config config) {
        Map<String, String> set = new TreeMap<>();
        for (ConfigEntry entry : config.entries()) {
            if (entry.source() == ConfigSource.DYNAMIC_TOPIC_CONFIG) {
                set.put(entry.name(), entry.value());
            }
        }
        return set;
    }

    private static Map<TopicPartition, Long> offsets(
            AdminSession session, Collection<TopicDescription> topics, OffsetSpec spec) {
        Map<TopicPartition, OffsetSpec> wanted = new HashMap<>();
        for (TopicDescription topic : topics) {
            for (TopicPartitionInfo partition : topic.partitions()) {
                wanted.put(new TopicPartition(topic.name(), partition.partition()), spec);
            }
        }
        Map<TopicPartition, Long> offsets = new HashMap<>();
        Map<TopicPartition, ListOffsetsResultInfo> found =
                session.await(session.admin().listOffsets(wanted).all());
        found.forEach((partition, info) -> offsets.put(partition, info.offset()));
        return offsets;
    }

    private static List<Partition> partitions(
            TopicDescription topic, Map<TopicPartition, Long> starts, Map<TopicPartition, Long> ends) {
        List<Partition> partitions = new ArrayList<>();
        for (TopicPartitionInfo info : topic.partitions()) {
            TopicPartition id = new TopicPartition(topic.name(), info.partition());
            Node leader = info.leader();
            partitions.add(new Partition(
                    info.partition(),
                    leader == null ? null : leader.id(),
                    info.replicas().stream().map(Node::id).toList(),
                    info.isr().stream().map(Node::id).toList(),
                    starts.getOrDefault(id, -1L),
                    ends.getOrDefault(id, -1L)));
        }
        return partitions;
    }

    private record Described(
            String name, String id, boolean internal, Map<String, String> configs, List<Partition> partitions) {}

    private record Partition(
            int partition,
            @Nullable Integer leader,
            List<Integer> replicas,
            List<Integer> inSyncReplicas,
            long startOffset,
            long endOffset) {}
}
