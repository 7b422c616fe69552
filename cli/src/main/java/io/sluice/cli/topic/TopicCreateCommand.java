package io.sluice.cli.topic;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.base.metadata.TopicNames;
import io.sluice.cli.connect.AdminSession;
import io.sluice.cli.connect.ConnectOptions;
import io.sluice.cli.connect.Names;
import io.sluice.cli.connect.Subject;
import io.sluice.cli.output.Assignment;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.NumberRange;
import io.sluice.cli.output.OutputOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.CreateTopicsResult;
import org.apache.kafka.clients.admin.NewTopic;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice topic create}. */
@Command(name = "create", description = "Creates a topic.", mixinStandardHelpOptions = true)
final class TopicCreateCommand implements Runnable {
    private final Console console;

    @Parameters(paramLabel = "NAME", description = "Letters, digits, '.', '_' and '-'; 249 at most.")
    private String name = "";

    @Option(names = "--partitions", paramLabel = "N", description = "Default: the node's num.partitions.")
    @NumberRange(min = 1, max = Integer.MAX_VALUE)
    private Optional<Integer> partitions = Optional.empty();

    @Option(
            names = "--replication-factor",
            paramLabel = "R",
            description = "Default: the node's default.replication.factor.")
    @NumberRange(min = 1, max = Short.MAX_VALUE)
    private Optional<Short> replicationFactor = Optional.empty();

    @Option(
            names = "--config",
            paramLabel = "KEY=VALUE",
            converter = Assignment.Converter.class,
            description = "A setting of the topic; may be repeated.")
    private List<Assignment> configs = new ArrayList<>();

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    TopicCreateCommand(Console console) {
        this.console = console;
    }

    @Override
    public void run() {
        Names.require("topic", name);
        if (TopicNames.isInternal(name)) {
            throw new UserException(
                    ExitCode.USAGE,
                    "'" + name
                            + "' is a topic that the node keeps its own state in: it makes it itself when it needs it.");
        }
        Map<String, String> settings = Assignment.byKey("--config", configs);
        try (AdminSession session = AdminSession.open(connect)) {
            NewTopic topic = new NewTopic(name, partitions, replicationFactor).configs(settings);
            CreateTopicsResult result = session.admin().createTopics(List.of(topic));
            Created created = new Created(
                    name,
                    TopicKeys.explain(settings.keySet(), () -> session.await(Subject.topic(name), result.topicId(name)))
                            .toString(),
                    session.await(result.numPartitions(name)),
                    session.await(result.replicationFactor(name)));
            output.print(
                    console,
                    created,
                    List.of("Created topic " + created.name() + " with " + created.partitions() + " partition"
                            + (created.partitions() == 1 ? "" : "s") + ", id " + created.id() + "."));
        }
    }

    private record Created(String name, String id, int partitions, int replicationFactor) {}
}
