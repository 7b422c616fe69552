package io.sluice.testkit.fuzz;

import io.sluice.testkit.process.Commands;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What is alive on the heap of another JVM: resident memory also has what nobody has collected yet. */
public final class LiveHeap {
    private static final Pattern USED =
            Pattern.compile("garbage-first heap\\s+total \\d+K, (?:committed \\d+K, )?used (\\d+)K");
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private LiveHeap() {}

    /** Collects, then says how much is left, in MiB. */
    public static long mebibytes(long pid) throws IOException, InterruptedException {
        // What the first leaves because it is being finalized or cleaned up, the second finds.
        command(pid, "GC.run");
        command(pid, "GC.run");
        String info = command(pid, "GC.heap_info");
        Matcher used = USED.matcher(info);
        if (!used.find()) {
            throw new IllegalStateException("What is this? " + info);
        }
        return Long.parseLong(used.group(1)) >> 10;
    }

    private static String command(long pid, String command) throws IOException, InterruptedException {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        Commands.Outcome outcome = Commands.attempt(List.of(jcmd.toString(), Long.toString(pid), command), TIMEOUT);
        if (outcome.exitStatus() != 0) {
            throw new IllegalStateException(command + " failed: " + outcome.output());
        }
        return outcome.output();
    }
}
