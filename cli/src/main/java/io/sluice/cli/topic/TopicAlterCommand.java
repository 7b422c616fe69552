package io.sluice.cli.topic;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.cli.connect.AdminSession;
import io.sluice.cli.connect.Answers;
import io.sluice.cli.connect.ConnectOptions;
import io.sluice.cli.connect.Counts;
import io.sluice.cli.connect.Subject;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.OutputOptions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.AlterConfigOp;
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
    private Optional<Integer> partitions = Optional.empty();

    @Option(names = "--config", paramLabel = "KEY=VALUE", description = "Sets a setting; may be repeated.")
    private Map<String, String> configs = new LinkedHashMap<>();

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
        if (partitions.isEmpty() && configs.isEmpty() && deletedConfigs.isEmpty()) {
            throw new UserException(
                    ExitCode.USAGE,
                    "Nothing to alter: give --partitions N, --config KEY=VALUE or --delete-config KEY.");
        }
        partitions.ifPresent(count -> Counts.requirePositive("--partitions", count));
        try (AdminSession session = AdminSession.open(connect)) {
            List<String> done = new ArrayList<>();
            Collection<AlterConfigOp> operations = operations();
            if (!operations.isEmpty()) {
                alterConfigs(session, operations, done);
            }
            Answers<Integer> added = Answers.of(partitions.isEmpty() ? List.of() : List.of(name), topic -> {
                int count = partitions.orElseThrow();
                addPartitions(session, count);
                done.add("Topic " + topic + " has " + count + " partitions now.");
                return count;
            });
            if (!done.isEmpty()) {
                output.print(console, new Altered(name, added.given().get(name), configs, deletedConfigs), done);
            }
            added.requireAll();
        }
    }

    private void alterConfigs(AdminSession session, Collection<AlterConfigOp> operations, List<String> done) {
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, name);
        session.await(
                Subject.topic(name),
                session.admin()
                        .incrementalAlterConfigs(Map.of(topic, operations))
                        .all());
        configs.forEach((key, value) -> done.add("Set " + key + "=" + value + " on topic " + name + "."));
        deletedConfigs.forEach(key -> done.add("Unset " + key + " on topic " + name + "."));
    }

    private void addPartitions(AdminSession session, int count) {
        session.await(
                Subject.topic(name),
                session.admin()
                        .createPartitions(Map.of(name, NewPartitions.increaseTo(count)))
                        .all());
    }

    private Collection<AlterConfigOp> operations() {
        List<AlterConfigOp> operations = new ArrayList<>();
        configs.forEach((key, value) ->
                operations.add(new AlterConfigOp(new ConfigEntry(key, value), AlterConfigOp.OpType.SET)));
        deletedConfigs.forEach(
                key -> operations.add(new AlterConfigOp(new ConfigEntry(key, ""), AlterConfigOp.OpType.DELETE)));
        return operations;
    }

    private record Altered(
            String name, @Nullable Integer partitions, Map<String, String> configs, List<String> deletedConfigs) {}
}
