package io.sluice.testkit.compat;

import io.sluice.testkit.process.Commands;
import io.sluice.testkit.process.Settings;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.kafka.common.utils.internals.AppInfoParser;

/** JVMs that run programs of Kafka's, with logs of warnings and errors only. */
final class KafkaJvm {
    /** Version of the Kafka that this build compiles against: of the reference and of its tools. */
    static final String VERSION = AppInfoParser.getVersion();

    private KafkaJvm() {}

    /** The jars of this test's own class path, which has Kafka's tools, and its own classes; the product stays out. */
    static String ownClassPath() {
        String jars = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(element -> element.endsWith(".jar")
                        && !Path.of(element).getFileName().toString().startsWith("sluice-"))
                .collect(Collectors.joining(File.pathSeparator));
        return jars + File.pathSeparator + Settings.target().resolve("test-classes");
    }

    /** All jars of a directory, and this module's test classes for the settings of the logs. */
    static String classPathOf(Path jars) {
        return jars.resolve("*") + File.pathSeparator + Settings.target().resolve("test-classes");
    }

    /** The command line of a program. */
    static List<String> command(String classPath, List<String> options, String mainClass, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        command.add("-Dlogback.configurationFile="
                + Settings.target().resolve("test-classes").resolve("tool-logback.xml"));
        command.addAll(options);
        command.add("-cp");
        command.add(classPath);
        command.add(mainClass);
        command.addAll(arguments);
        return command;
    }

    /** Runs a program of Kafka's tools to its end. */
    static Commands.Outcome run(Duration limit, String mainClass, String... arguments)
            throws IOException, InterruptedException {
        return Commands.attempt(command(ownClassPath(), List.of(), mainClass, List.of(arguments)), limit);
    }
}
