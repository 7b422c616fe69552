package io.sluice.cli.topic;

import io.sluice.cli.connect.AdminSession;
import io.sluice.cli.connect.ConnectOptions;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.OutputOptions;
import io.sluice.cli.output.TextTable;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice topic list}. */
@Command(name = "list", description = "Lists the topics.", mixinStandardHelpOptions = true)
final class TopicListCommand implements Runnable {
    private final Console console;

    @Option(names = "--internal", description = "Also those that the node keeps its own state in.")
    private boolean internal;

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    TopicListCommand(Console console) {
        this.console = console;
    }

    @Override
    public void run() {
        try (AdminSession session = AdminSession.open(connect)) {
            Set<String> names = session.await(session.admin()
                    .listTopics(new ListTopicsOptions().listInternal(internal))
                    .names());
            Map<String, TopicDescription> topics =
                    session.await(session.admin().describeTopics(names).allTopicNames());
            List<Listed> listed = topics.values().stream()
                    .map(Listed::of)
                    .sorted(Comparator.comparing(Listed::name))
                    .toList();
            TextTable table = new TextTable("TOPIC", "PARTITIONS", "REPLICATION", "INTERNAL", "ID");
            listed.forEach(topic -> table.row(
                    topic.name(), topic.partitions(), topic.replicationFactor(), topic.internal(), topic.id()));
            output.print(console, listed, table);
        }
    }

    private record Listed(String name, String id, int partitions, int replicationFactor, boolean internal) {
        static Listed of(TopicDescription topic) {
            return new Listed(
                    topic.name(),
                    topic.topicId().toString(),
                    topic.partitions().size(),
                    topic.partitions().get(0).replicas().size(),
                    topic.isInternal());
        }
    }
}
