package io.sluice.cli.log;

import io.sluice.cli.output.Console;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sluice log}. */
@Command(
        name = "log",
        description = "Looks into a data directory.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
public final class LogCommands implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    private LogCommands() {}

    /** The command with those below it. */
    public static CommandLine commandLine(Console console) {
        return new CommandLine(new LogCommands()).addSubcommand("dump", new LogDumpCommand(console));
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "No command given.");
    }
}
