package io.sluice.cli.topic;

import io.sluice.cli.output.Console;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice topic}. */
@Command(
        name = "topic",
        description = "Creates, lists, describes, alters and deletes topics.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
public final class TopicCommands implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    private TopicCommands() {}

    /** The command with those below it. */
    public static CommandLine commandLine(Console console) {
        return new CommandLine(new TopicCommands())
                .addSubcommand("create", new TopicCreateCommand(console))
                .addSubcommand("list", new TopicListCommand(console))
                .addSubcommand("describe", new TopicDescribeCommand(console))
                .addSubcommand("alter", new TopicAlterCommand(console))
                .addSubcommand("delete", new TopicDeleteCommand(console));
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "No command given.");
    }
}
