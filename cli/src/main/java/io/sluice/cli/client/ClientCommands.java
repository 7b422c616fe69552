package io.sluice.cli.client;

import io.sluice.cli.output.Console;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice client}. */
@Command(
        name = "client",
        description = "Shows who is connected.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
public final class ClientCommands implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    private ClientCommands() {}

    /** The command with those below it. */
    public static CommandLine commandLine(Console console) {
        return new CommandLine(new ClientCommands()).addSubcommand("list", new ClientListCommand(console));
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "No command given.");
    }
}
