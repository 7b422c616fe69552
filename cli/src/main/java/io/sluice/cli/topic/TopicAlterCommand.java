package io.sluice.cli.topic;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.base.metadata.TopicNames;
import io.sluice.cli.connect.AdminSession;
import io.sluice.cli.connect.Answers;
import io.sluice.cli.connect.ConnectOptions;
import io.sluice.cli.connect.Names;
import io.sluice.cli.connect.Subject;
import io.sluice.cli.output.Assignment;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.NumberRange;
import io.sluice.cli.output.OutputOptions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.common.config.ConfigResource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice topic alter}. */
@Command(
        name = "alter",
        description = "Adds partitions to a topic, and sets or unsets its settings.",
        mixinStandardHelpOptions = true)
final class TopicAlterCommand implements Runnable {
    private final Console console;

    @Parameters(paramLabel = "NAME", description = "The topic.")
    private String name = "";

    @Option(names = "--partitions", paramLabel = "N", description = "How many partitions it shall have; only upward.")
    @NumberRange(min = 1, max = Integer.MAX_VALUE)
    private Optional<Integer> partitions = Optional.empty();

    @Option(
            names = "--config",
            paramLabel = "KEY=VALUE",
            converter = Assignment.Converter.class,
            description = "Sets a setting; may be repeated.")
    private List<Assignment> configs = new ArrayList<>();

    @Option(
            names = "--delete-config",
            paramLabel = "KEY",
            description = "Puts a setting back to the node's value; may be repeated.")
    private List<String> deletedConfigs = new ArrayList<>();

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    TopicAlterCommand(Console console) {
        this.console = console;
    }

    @Override
    public void run() {
        Names.require("topic", name);
        if (partitions.isPresent() && TopicNames.isInternal(name)) {
            throw new UserException(
                    ExitCode.USAGE,
                    "'" + name
                            + "' is a topic that the node keeps its own state in, in a partition that follows from how many"
                            + " there are: with another number it would not be found again.");
        }
        if (partitions.isEmpty() && configs.isEmpty() && deletedConfigs.isEmpty()) {
            throw new UserException(
                    ExitCode.USAGE,
                    "Nothing to alter: give --partitions N, --config KEY=VALUE or --delete-config KEY.");
        }
        Map<String, String> settings = Assignment.byKey("--config", configs);
        settings.keySet().stream().filter(deletedConfigs::contains).forEach(TopicAlterCommand::refuseBoth);
        try (AdminSession session = AdminSession.open(connect)) {
            requireKnown(session);
            List<String> done = new ArrayList<>();
            Collection<AlterConfigOp> operations = operations(settings);
            if (!operations.isEmpty()) {
                alterConfigs(session, operations);
                settings.forEach((key, value) -> done.add("Set " + key + "=" + value + " on topic " + name + "."));
                deletedConfigs.forEach(key -> done.add("Unset " + key + " on topic " + name + "."));
            }
            Answers<Integer> added = Answers.of(partitions.isEmpty() ? List.of() : List.of(name), topic -> {
                int count = partitions.orElseThrow();
                addPartitions(session, count);
                done.add("Topic " + topic + " has " + count + " partitions now.");
                return count;
            });
            if (!done.isEmpty()) {
                output.print(console, new Altered(name, added.given().get(name), settings, deletedConfigs), done);
            }
            added.requireAll();
        }
    }

    private static void refuseBoth(String key) {
        throw new UserException(
                ExitCode.USAGE, "'" + key + "' stands in both --config and --delete-config: give one of them.");
    }

    /** A node takes the deletion of anything, as Kafka does; a slip of the pen would look like success. */
    private void requireKnown(AdminSession session) {
        if (deletedConfigs.isEmpty()) {
            return;
        }
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, name);
        Config config = Objects.requireNonNull(session.await(
                        Subject.topic(name),
                        session.admin().describeConfigs(List.of(topic)).all())
                .get(topic));
        List<String> known = config.entries().stream().map(ConfigEntry::name).toList();
        for (String key : deletedConfigs) {
            if (!known.contains(key)) {
                throw TopicKeys.unknown(key, known);
            }
        }
    }

    private void alterConfigs(AdminSession session, Collection<AlterConfigOp> operations) {
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, name);
        List<String> keys = configs.stream().map(Assignment::key).toList();
        TopicKeys.explain(
                keys,
                () -> session.await(
                        Subject.topic(name),
                        session.admin()
                                .incrementalAlterConfigs(Map.of(topic, operations))
                                .all()));
    }

    private void addPartitions(AdminSession session, int count) {
        session.await(
                Subject.topic(name),
                session.admin()
                        .createPartitions(Map.of(name, NewPartitions.increaseTo(count)))
                        .all());
    }

    private Collection<AlterConfigOp> operations(Map<String, String> settings) {
        List<AlterConfigOp> operations = new ArrayList<>();
        settings.forEach((key, value) ->
                operations.add(new AlterConfigOp(new ConfigEntry(key, value), AlterConfigOp.OpType.SET)));
        deletedConfigs.forEach(
                key -> operations.add(new AlterConfigOp(new ConfigEntry(key, ""), AlterConfigOp.OpType.DELETE)));
        return operations;
    }

    private record Altered(
            String name, @Nullable Integer partitions, Map<String, String> configs, List<String> deletedConfigs) {}
}
