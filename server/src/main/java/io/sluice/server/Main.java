package io.sluice.server;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.base.time.Clock;
import io.sluice.base.time.SystemClock;
import io.sluice.cli.Cli;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.ResultStream;
import io.sluice.server.process.ProcessStatus;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.LocalFileSystem;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine;

/** The process: every command starts here. */
public final class Main {
    private static final int OUTPUT_BUFFER_BYTES = 64 * 1024;
    private static final String IN_IS_TERMINAL = "sluice.stdin.terminal";
    private static final String OUT_IS_TERMINAL = "sluice.stdout.terminal";
    private static final String ERR_IS_TERMINAL = "sluice.stderr.terminal";

    private Main() {}

    /** Runs the command that the arguments name and ends the process with its exit code. */
    @SuppressWarnings("checkstyle:Regexp") // the one place that ends the process
    public static void main(String[] arguments) {
        FileSystem files =
                isStart(arguments) ? new LocalFileSystem(ProcessStatus.descriptorLimit()) : new LocalFileSystem();
        System.exit(runProcess(files, SystemClock.INSTANCE, arguments));
    }

    /**
     * Runs a command with the standard streams and signals of this process; returns what the process is to end with.
     *
     * @param files what a node keeps its data on
     * @param clock time
     */
    public static int runProcess(FileSystem files, Clock clock, String... arguments) {
        return run(console(isStart(arguments), clock), files, arguments);
    }

    /** Runs a command; returns what the process is to end with. */
    public static int run(Console console, String... arguments) {
        return run(console, new LocalFileSystem(), arguments);
    }

    private static int run(Console console, FileSystem files, String... arguments) {
        // A node starts without the other commands, which would have to be loaded first.
        CommandLine commandLine = isStart(arguments) ? startOnly(console, files) : commandLine(console);
        return Cli.run(commandLine, console, arguments);
    }

    static CommandLine startOnly(Console console, FileSystem files) {
        return Cli.root().addSubcommand(StartCommand.NAME, new StartCommand(console, files));
    }

    /** All commands. */
    public static CommandLine commandLine(Console console) {
        CommandLine commandLine = Cli.root();
        commandLine.addSubcommand(StartCommand.NAME, new StartCommand(console, new LocalFileSystem()));
        Cli.addCommands(commandLine, console);
        return commandLine;
    }

    private static boolean isStart(String... arguments) {
        return arguments.length > 0 && arguments[0].equals(StartCommand.NAME);
    }

    private static Console console(boolean isStart, Clock clock) {
        PrintStream err = new PrintStream(buffered(FileDescriptor.err), true, StandardCharsets.UTF_8);
        return new Console(
                System.in,
                new ResultStream(buffered(FileDescriptor.out)),
                err,
                Boolean.getBoolean(IN_IS_TERMINAL),
                Boolean.getBoolean(OUT_IS_TERMINAL),
                Boolean.getBoolean(ERR_IS_TERMINAL),
                clock,
                ZoneId.systemDefault(),
                System.getenv(),
                task -> onInterrupt(task, isStart, err));
    }

    /** Records are printed by the thousand. */
    private static OutputStream buffered(FileDescriptor descriptor) {
        return new BufferedOutputStream(new FileOutputStream(descriptor), OUTPUT_BUFFER_BYTES);
    }

    /** A node that was asked to end and did is a success (0), one that failed to is not (1); a client command that was cut short is not (130, 143). */
    private static void onInterrupt(Runnable task, boolean isStart, PrintStream err) {
        Thread hook = new Thread(
                () -> {
                    int code = stop(task, err);
                    if (isStart) {
                        Runtime.getRuntime().halt(code);
                    }
                },
                "sluice-interrupt");
        try {
            Runtime.getRuntime().addShutdownHook(hook);
        } catch (IllegalStateException e) {
            awaitEnd();
        }
    }

    /** The process was asked to end a moment ago: nothing is begun any more. */
    private static void awaitEnd() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Runs what ends a command; returns what a node's process is to end with. */
    static int stop(Runnable task, PrintStream err) {
        try {
            task.run();
            return ExitCode.OK.code();
        } catch (UserException e) {
            err.println("sluice: " + e.line());
            err.flush();
            return e.exitCode().code();
        }
    }
}
