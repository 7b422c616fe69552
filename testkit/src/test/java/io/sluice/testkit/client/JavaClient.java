package io.sluice.testkit.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SystemClock;
import io.sluice.testkit.process.Commands;
import io.sluice.testkit.process.Settings;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A kafka-clients of some age in a JVM of its own.
 *
 * @param directory of its jars below target/foreign
 * @param compressions that it has, separated by commas
 * @param protocols group protocols that it speaks, separated by commas
 */
record JavaClient(String name, String directory, String compressions, String protocols) implements ForeignClient {
    private static final Duration LIMIT = Duration.ofMinutes(3);

    @Override
    public Optional<String> missing() {
        return Files.isDirectory(jars())
                ? Optional.empty()
                : Optional.of(jars() + " is not there: run the tests through Maven.");
    }

    @Override
    public void exercise(String bootstrap, String prefix) throws Exception {
        String classPath = String.join(
                File.pathSeparator,
                jars().resolve("*").toString(),
                locationOf(JavaClientDriver.class),
                locationOf(SystemClock.class));
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                "-cp",
                classPath,
                JavaClientDriver.class.getName(),
                bootstrap,
                prefix,
                compressions,
                protocols);
        Commands.Outcome outcome = Commands.attempt(command, LIMIT);
        assertThat(outcome.exitStatus()).as(outcome.output()).isZero();
        assertThat(outcome.output()).endsWith("done\n");
    }

    private Path jars() {
        return Settings.target().resolve("foreign").resolve(directory);
    }

    private static String locationOf(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation().getPath();
    }
}
