package io.sluice.cli.output;

import io.sluice.base.time.Clock;
import java.io.InputStream;
import java.io.PrintStream;
import java.time.ZoneId;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Where a command reads and writes, so that tests need no process. For one thread, but for {@code interrupts}.
 *
 * @param in standard input
 * @param out results; buffered, flushed at the end of a command and wherever one waits
 * @param err progress and errors
 * @param inIsTerminal whether a person types {@code in}
 * @param outIsTerminal whether a person sees {@code out}: tables and colours
 * @param errIsTerminal whether a person sees {@code err}: progress bars
 * @param clock time
 * @param zone zone in which times are shown
 * @param environment environment variables
 * @param interrupts takes something to run, on a thread of its own, when the process is asked to end
 */
@SuppressWarnings("checkstyle:ParameterNumber") // what a process gets from its system, by name
public record Console(
        InputStream in,
        ResultStream out,
        PrintStream err,
        boolean inIsTerminal,
        boolean outIsTerminal,
        boolean errIsTerminal,
        Clock clock,
        ZoneId zone,
        Map<String, String> environment,
        Consumer<Runnable> interrupts) {
    /** Whether colours are welcome on {@code out} (https://no-color.org). */
    public boolean outHasColours() {
        return outIsTerminal && environment.getOrDefault("NO_COLOR", "").isEmpty();
    }
}
