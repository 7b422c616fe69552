package io.sluice.cli;

import io.sluice.base.config.ConfigSchema;
import io.sluice.base.error.ExitCode;
import io.sluice.base.error.FileFailures;
import io.sluice.base.error.Sentence;
import io.sluice.base.error.UserException;
import io.sluice.cli.client.ClientCommands;
import io.sluice.cli.connect.KafkaFailures;
import io.sluice.cli.doctor.DoctorCommand;
import io.sluice.cli.group.GroupCommands;
import io.sluice.cli.log.LogCommands;
import io.sluice.cli.output.Console;
import io.sluice.cli.record.ConsumeCommand;
import io.sluice.cli.record.ProduceCommand;
import io.sluice.cli.topic.TopicCommands;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Puts the commands together and turns what they throw into one line and an exit code. */
public final class Cli {
    private static final Pattern NO_NUMBER =
            Pattern.compile("Invalid value for .*: '(.*)' is not an? (?:int|long|short)");
    private static final String DEBUG_VARIABLE = "SLUICE_DEBUG";

    private Cli() {}

    /** {@code sluice} without any command. */
    public static CommandLine root() {
        return new CommandLine(new Root());
    }

    /** Adds the commands that this module has. */
    public static void addCommands(CommandLine root, Console console) {
        root.addSubcommand("topic", TopicCommands.commandLine(console));
        root.addSubcommand("produce", new ProduceCommand(console));
        root.addSubcommand("consume", new ConsumeCommand(console));
        root.addSubcommand("group", GroupCommands.commandLine(console));
        root.addSubcommand("client", ClientCommands.commandLine(console));
        root.addSubcommand("log", LogCommands.commandLine(console));
        root.addSubcommand("doctor", new DoctorCommand(console));
    }

    /** Runs one command and returns what the process is to end with. */
    public static int run(CommandLine commandLine, Console console, String... arguments) {
        commandLine.setOut(new PrintWriter(console.out(), true, StandardCharsets.UTF_8));
        commandLine.setErr(new PrintWriter(console.err(), true, StandardCharsets.UTF_8));
        commandLine.setColorScheme(Help.defaultColorScheme(console.outHasColours() ? Help.Ansi.ON : Help.Ansi.OFF));
        commandLine.setUsageHelpAutoWidth(false).setUsageHelpLongOptionsMaxWidth(40);
        commandLine.setExecutionStrategy(parsed -> {
            NumberOptions.require(parsed);
            return new CommandLine.RunLast().execute(parsed);
        });
        commandLine.setParameterExceptionHandler((e, args) -> onUsageError(console, e));
        commandLine.setExecutionExceptionHandler((e, command, result) -> onFailure(console, e));
        inheritVersion(commandLine);
        int code = execute(commandLine, console, arguments);
        IOException lost = console.out().failure();
        return lost == null || code != ExitCode.OK.code() ? code : onLostResults(console, lost);
    }

    /** A machine or a limit too small for what was asked is no defect. */
    private static int execute(CommandLine commandLine, Console console, String... arguments) {
        try {
            return commandLine.execute(arguments);
        } catch (OutOfMemoryError e) {
            if (isDebugging(console)) {
                e.printStackTrace(console.err());
            }
            console.err()
                    .println(
                            "sluice: Out of memory (" + e.getMessage()
                                    + "). Give the command more, for example SLUICE_JAVA_OPTS=-Xmx1g, or ask for less at once.");
            return ExitCode.FAILED.code();
        }
    }

    private static boolean isDebugging(Console console) {
        return !console.environment().getOrDefault(DEBUG_VARIABLE, "").isEmpty();
    }

    /** Who stops reading has seen enough; anything else that keeps results from being written is a failure. */
    private static int onLostResults(Console console, IOException lost) {
        if (console.out().hasLostItsReader()) {
            return ExitCode.OK.code();
        }
        console.err().println("sluice: Cannot write the results to standard output: " + FileFailures.text(lost) + ".");
        return ExitCode.IO_ERROR.code();
    }

    private static void inheritVersion(CommandLine commandLine) {
        commandLine.getCommandSpec().versionProvider(new VersionText());
        commandLine.getSubcommands().values().forEach(Cli::inheritVersion);
    }

    private static int onUsageError(Console console, ParameterException e) {
        String command = e.getCommandLine().getCommandSpec().qualifiedName();
        console.err()
                .println("sluice: " + Sentence.of(usageMessage(e)) + nearest(e) + " See '" + command + " --help'.");
        return ExitCode.USAGE.code();
    }

    /** The parser's own words, without what it says twice and without what only it can understand. */
    private static String usageMessage(ParameterException e) {
        if (e instanceof UnmatchedArgumentException unmatched && !unmatched.isUnknownOption()) {
            return unmatchedMessage(unmatched);
        }
        String unknown = e instanceof MissingParameterException ? unknownOption(e.getCommandLine()) : null;
        if (unknown != null) {
            return "Unknown option: '" + unknown + "'";
        }
        String once = String.valueOf(e.getMessage())
                .replace("option option", "option")
                .replaceFirst("^Error: ", "");
        Matcher number = NO_NUMBER.matcher(once);
        ArgSpec argument = e.getArgSpec();
        return number.matches() && argument != null ? NumberOptions.refusal(argument, number.group(1)) : once;
    }

    /** The parser finds out first what is missing, and that only because of the option. */
    private static @Nullable String unknownOption(CommandLine command) {
        return command.getUnmatchedArguments().stream()
                .filter(argument -> argument.startsWith("-") && argument.length() > 1)
                .findFirst()
                .orElse(null);
    }

    private static String unmatchedMessage(UnmatchedArgumentException e) {
        String word = e.getUnmatched().get(0);
        CommandLine command = e.getCommandLine();
        return command.getSubcommands().isEmpty()
                ? "'" + word + "' is one argument too many"
                : "There is no command '"
                        + command.getCommandSpec()
                                .qualifiedName()
                                .substring("sluice".length())
                                .strip() + (command.getParent() == null ? "" : " ") + word + "'";
    }

    private static String nearest(ParameterException e) {
        if (!(e instanceof UnmatchedArgumentException unmatched)) {
            return "";
        }
        if (unmatched.isUnknownOption()) {
            List<String> suggestions = unmatched.getSuggestions();
            return suggestions.isEmpty() ? "" : " Did you mean '" + suggestions.get(0) + "'?";
        }
        String nearest = ConfigSchema.nearest(
                unmatched.getUnmatched().get(0),
                e.getCommandLine().getSubcommands().keySet());
        return nearest == null ? "" : " Did you mean '" + nearest + "'?";
    }

    private static int onFailure(Console console, Exception e) {
        console.out().flush();
        if (isDebugging(console)) {
            e.printStackTrace(console.err());
        }
        if (e instanceof UserException user) {
            console.err().println("sluice: " + user.line());
            return user.exitCode().code();
        }
        if (e instanceof KafkaException kafka) {
            return onFailure(console, KafkaFailures.toUserException("the node", kafka));
        }
        if (e instanceof UncheckedIOException unchecked) {
            return onFailure(console, Objects.requireNonNull(unchecked.getCause()));
        }
        if (e instanceof IOException io) {
            return io.equals(console.out().failure()) ? ExitCode.OK.code() : onIoFailure(console, io);
        }
        console.err()
                .println("sluice: a defect of Sluice: " + Sentence.of(e.toString()) + " (set " + DEBUG_VARIABLE
                        + "=1 for the details to report)");
        return ExitCode.INTERNAL.code();
    }

    private static int onIoFailure(Console console, IOException e) {
        console.err().println("sluice: " + FileFailures.text(e) + ".");
        return ExitCode.IO_ERROR.code();
    }

    /** The command without a noun: shows the help. */
    @Command(
            name = "sluice",
            description = "A durable message queue that every Kafka client can use.",
            mixinStandardHelpOptions = true,
            versionProvider = VersionText.class,
            synopsisSubcommandLabel = "COMMAND",
            footer = {
                "",
                "Exit codes: 0 done, 1 failed, 64 usage, 65 bad data, 69 no node answers,",
                "70 defect, 73 port or directory not available, 74 input or output,",
                "78 configuration.",
            })
    private static final class Root implements Runnable {
        @CommandLine.Spec
        private CommandLine.Model.CommandSpec spec = CommandLine.Model.CommandSpec.create();

        @Override
        public void run() {
            throw new ParameterException(spec.commandLine(), "No command given.");
        }
    }

    /** What {@code --version} prints. */
    public static final class VersionText implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"Sluice " + Version.current()};
        }
    }
}
