package io.sluice.cli.topic;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.base.metadata.TopicNames;
import io.sluice.cli.connect.ConnectOptions;
import io.sluice.cli.connect.Deletion;
import io.sluice.cli.connect.Names;
import io.sluice.cli.connect.Subject;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.OutputOptions;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice topic delete}. */
@Command(name = "delete", description = "Deletes topics and their records.", mixinStandardHelpOptions = true)
final class TopicDeleteCommand implements Runnable {
    private final Console console;

    @Parameters(paramLabel = "NAME", arity = "1..*", description = "Topics.")
    private List<String> names = new ArrayList<>();

    @Option(
            names = "--force",
            description =
                    "Also topics that the node keeps its own state in: with __consumer_offsets go the offsets of all"
                            + " groups.")
    private boolean force;

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    TopicDeleteCommand(Console console) {
        this.console = console;
    }

    @Override
    public void run() {
        Names.require("topic", names);
        if (!force) {
            names.forEach(TopicDeleteCommand::requireOrdinary);
        }
        new Deletion(Subject.Kind.TOPIC, connect, output)
                .run(console, names, (admin, all) -> admin.deleteTopics(all).topicNameValues());
    }

    private static void requireOrdinary(String name) {
        if (TopicNames.isInternal(name)) {
            throw new UserException(
                    ExitCode.USAGE,
                    "'" + name + "' is a topic that the node keeps its own state in, such as the offsets of all groups."
                            + " Nothing was deleted; --force deletes it all the same.");
        }
    }
}
