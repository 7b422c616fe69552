package io.sluice.cli.log;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.Json;
import io.sluice.cli.output.OutputOptions;
import io.sluice.storage.file.LocalFileSystem;
import io.sluice.storage.local.DataDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice log dump}. */
@Command(
        name = "dump",
        description = {
            "Shows what a data directory holds: segments, batches and the journal, each checked.",
            "Reads only, and only while no node uses the directory. With -o json one object a line."
        },
        mixinStandardHelpOptions = true,
        footer = "Ends with 65 when something is damaged or missing, or when what is named is not there.")
final class LogDumpCommand implements Callable<Integer> {
    private static final String LOCK_FILE = ".lock";

    private final Console console;

    @Parameters(paramLabel = "DIR", description = "The data directory.")
    private Path directory = Path.of("");

    @Option(names = "--journal", paramLabel = "DIR", description = "Where the journal is, if not in the directory.")
    private @Nullable Path journal;

    @Option(names = "--topic", paramLabel = "TOPIC", description = "Only logs of this topic, and no journal.")
    private @Nullable String topic;

    @Option(names = "--summary", description = "Files only: no batches, no entries. Batches are checked all the same.")
    private boolean summary;

    @Mixin
    private OutputOptions output = new OutputOptions();

    LogDumpCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException {
        requireDirectory(directory, "");
        if (journal != null) {
            requireDirectory(journal, " (--journal)");
        }
        try (FileChannel channel = openIfThere(LOCK_FILE);
                FileChannel meta = openIfThere(DataDirectory.META_FILE)) {
            requireUnused(channel);
            requireUnused(meta);
            DataDump dump = new DataDump(new LocalFileSystem(), console.zone(), summary, this::print);
            dump.dump(directory, journal == null ? directory.resolve("journal") : journal, topic);
            return (dump.foundDamage() ? ExitCode.BAD_DATA : ExitCode.OK).code();
        }
    }

    private void print(DumpLine line) {
        if (output.isJson()) {
            console.out().println(Json.write(line.document()));
        } else {
            console.out().println(line.text());
        }
        stopWhereNobodyReads();
    }

    /** A dump may be long: it ends as soon as it cannot be written any more. */
    private void stopWhereNobodyReads() {
        if (console.out().hasFailed()) {
            throw new UncheckedIOException(Objects.requireNonNull(console.out().failure()));
        }
    }

    private static void requireDirectory(Path path, String option) {
        if (path.toString().isEmpty()) {
            throw new UserException(ExitCode.USAGE, "The name of the directory" + option + " must not be empty.");
        }
        if (Files.exists(path) && !Files.isDirectory(path)) {
            throw new UserException(
                    ExitCode.BAD_DATA,
                    path + " is a file" + option
                            + ": name the directory that it is in; --topic TOPIC shows one topic's logs.");
        }
        if (!Files.isDirectory(path)) {
            throw new UserException(ExitCode.BAD_DATA, "There is no directory " + path + option + ".");
        }
    }

    /** Null where there is none: a copy may have no lock file. */
    private @Nullable FileChannel openIfThere(String name) throws IOException {
        try {
            return FileChannel.open(directory.resolve(name), StandardOpenOption.READ);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** A shared lock, that on the lock file held to the end: a node that starts meanwhile is refused. */
    private void requireUnused(@Nullable FileChannel channel) throws IOException {
        if (channel != null && channel.tryLock(0, Long.MAX_VALUE, true) == null) {
            throw new UserException(
                    ExitCode.CANNOT_CREATE,
                    "Data directory " + directory + " is in use by " + holder()
                            + ". Stop the node first: what is being written cannot be shown.");
        }
    }

    private String holder() throws IOException {
        Path file = directory.resolve(LOCK_FILE);
        return Files.exists(file) ? "process " + Files.readString(file).strip() : "another process";
    }
}
