package io.sluice.cli.group;

import io.sluice.cli.output.Console;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice group}. */
@Command(
        name = "group",
        description = "Lists, describes and deletes groups, and moves their offsets.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
public final class GroupCommands implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    private GroupCommands() {}

    /** The command with those below it. */
    public static CommandLine commandLine(Console console) {
        return new CommandLine(new GroupCommands())
                .addSubcommand("list", new GroupListCommand(console))
                .addSubcommand("describe", new GroupDescribeCommand(console))
                .addSubcommand("reset-offsets", new GroupResetOffsetsCommand(console))
                .addSubcommand("delete", new GroupDeleteCommand(console));
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "No command given.");
    }
}
