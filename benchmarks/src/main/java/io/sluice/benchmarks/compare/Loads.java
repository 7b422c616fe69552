package io.sluice.benchmarks.compare;

import io.sluice.benchmarks.load.LoadDriver;
import io.sluice.benchmarks.load.Measurement;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Runs loads, each in a JVM of its own. */
final class Loads {
    private static final String HEAP = "1g";

    private static final List<String> JVM_OPTIONS = List.of("-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20");

    /** Over before it is worth while to compile well: that takes the processors away from the broker. */
    private static final Set<String> SHORT = Set.of("touch");

    private Loads() {}

    /** A load that has been started. */
    record Running(String name, Process process, BufferedReader output, List<String> seen) {
        /** Waits for a line. */
        void awaitLine(String wanted) throws IOException {
            String line = output.readLine();
            while (line != null && !line.startsWith(wanted)) {
                seen.add(line);
                line = output.readLine();
            }
            if (line == null) {
                throw new IOException("load " + name + " ended without " + wanted + ": " + String.join(" / ", seen));
            }
            seen.add(line);
        }

        /** Waits for the result. */
        Map<String, Double> result() throws IOException, InterruptedException {
            awaitLine("RESULT");
            process.waitFor();
            return Measurement.parse(seen.get(seen.size() - 1));
        }
    }

    static Running start(String name, List<String> options) throws IOException {
        List<String> arguments = new ArrayList<>();
        arguments.add(name);
        arguments.addAll(options);
        List<String> jvmOptions = new ArrayList<>(JVM_OPTIONS);
        if (SHORT.contains(name)) {
            jvmOptions.add("-XX:TieredStopAtLevel=1");
        }
        Process process = new ProcessBuilder(Launch.java(HEAP, jvmOptions, LoadDriver.class.getName(), arguments))
                .redirectErrorStream(true)
                .start();
        return new Running(name, process, process.inputReader(StandardCharsets.UTF_8), new ArrayList<>());
    }

    static Map<String, Double> run(String name, BrokerProcess broker, List<String> options)
            throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(options);
        all.add("bootstrap=" + broker.bootstrap());
        all.add("pid=" + broker.pid());
        return start(name, all).result();
    }
}
