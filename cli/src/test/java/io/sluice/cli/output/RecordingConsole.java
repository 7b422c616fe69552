package io.sluice.cli.output;

import io.sluice.base.time.Clock;
import io.sluice.base.time.SimulatedTime;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Consoles whose output is kept. For one thread. */
public final class RecordingConsole {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final List<Runnable> interrupts = new ArrayList<>();

    /** One that is no terminal, with time standing still. */
    public Console console() {
        return console(out, new SimulatedTime(0));
    }

    /** One whose results go elsewhere. */
    public Console console(OutputStream results, Clock clock) {
        return console(results, clock, false, Map.of());
    }

    /** One that a person looks at. */
    public Console terminal(Map<String, String> environment) {
        return console(out, new SimulatedTime(0), true, environment);
    }

    private Console console(OutputStream results, Clock clock, boolean terminal, Map<String, String> environment) {
        return new Console(
                new ByteArrayInputStream(new byte[0]),
                new ResultStream(results),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                false,
                terminal,
                false,
                clock,
                ZoneOffset.UTC,
                environment,
                interrupts::add);
    }

    /** Where results go unless they are sent elsewhere. */
    public OutputStream results() {
        return out;
    }

    /** What was printed and flushed. */
    public String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    /** As when the process is asked to end. */
    public void interrupt() {
        interrupts.forEach(Runnable::run);
    }

    /** What was said on standard error. */
    public String err() {
        return err.toString(StandardCharsets.UTF_8);
    }
}
