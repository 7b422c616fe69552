package io.sluice.testkit.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SystemClock;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.broker.SluiceNode;
import io.sluice.testkit.process.Commands;
import io.sluice.testkit.process.Requirement;
import io.sluice.testkit.process.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node run by something other than a person at a terminal: by systemd, or as the first process of a container. */
class ServiceTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final List<String> PID_NAMESPACE = List.of("unshare", "--pid", "--fork", "--mount-proc");

    @TempDir
    private Path directory;

    private static Optional<String> noPidNamespace() throws Exception {
        if (!"root".equals(System.getProperty("user.name"))) {
            return Optional.of("process namespaces need root");
        }
        if (!Commands.exists("unshare")) {
            return Optional.of("install it with: apt-get install util-linux");
        }
        Commands.Outcome outcome =
                Commands.attempt(List.of("unshare", "--pid", "--fork", "--mount-proc", "true"), TIMEOUT);
        return outcome.exitStatus() == 0
                ? Optional.empty()
                : Optional.of("process namespaces are not allowed here: " + outcome.output());
    }

    @Test
    void runsAsTheFirstProcessOfANamespaceAndEndsOnSigterm() throws Exception {
        Requirement.require("a node as pid 1", noPidNamespace());
        try (BrokerUnderTest node = SluiceNode.startUnder(PID_NAMESPACE, Map.of())) {
            ProcessHandle first = ProcessHandle.of(node.pid())
                    .orElseThrow()
                    .children()
                    .findFirst()
                    .orElseThrow();
            assertThat(status(first, "NSpid")).endsWith("\t1");
            CommandRun created = CommandRun.of(Arguments.of(node, List.of("topic", "create", "served")));
            assertThat(created.exitCode()).as(created.err()).isZero();
            assertThat(first.children()).as("children, dead ones included").isEmpty();

            long startNanos = SystemClock.INSTANCE.nanoTime();
            Commands.run("kill", "-TERM", Long.toString(first.pid()));
            first.onExit().get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);

            assertThat(Duration.ofNanos(SystemClock.INSTANCE.nanoTime() - startNanos))
                    .isLessThan(Duration.ofSeconds(2));
            assertThat(node.lastOutput()).contains("Node stopped");
        }
    }

    /** A line of the kernel's status of a process, without its name. */
    private static String status(ProcessHandle process, String name) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + process.pid() + "/status")).stream()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void systemdFindsNothingWrongWithTheUnit() throws Exception {
        Requirement.require(
                "systemd-analyze verify",
                Commands.exists("systemd-analyze")
                        ? Optional.empty()
                        : Optional.of("install it with: apt-get install systemd"));
        String unit = Files.readString(Settings.root().resolve("packaging/sluice.service"));
        assertThat(unit).contains("ExecStart=/opt/sluice/bin/sluice start");
        Path here = directory.resolve("sluice.service");
        Files.writeString(
                here,
                unit.replace("/opt/sluice/bin/sluice", SluiceNode.launcher().toString()));

        Commands.Outcome outcome = Commands.attempt(List.of("systemd-analyze", "verify", here.toString()), TIMEOUT);

        assertThat(outcome.exitStatus()).as(outcome.output()).isZero();
        assertThat(outcome.output()).isEmpty();
    }
}
