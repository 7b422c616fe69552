package io.sluice.testkit.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.broker.SluiceNode;
import io.sluice.testkit.process.Commands;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher script: what it runs and what it says is missing. */
class LauncherTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private static Commands.Outcome run(String... words) throws Exception {
        return Commands.attempt(List.of(words), TIMEOUT);
    }

    private static String launcher() {
        return SluiceNode.launcher().toString();
    }

    @Test
    void runsFromEverywhereAndThroughLinks() throws Exception {
        Path link = Files.createSymbolicLink(directory.resolve("sluice"), SluiceNode.launcher());

        assertThat(run(launcher(), "--version").output()).matches("Sluice \\S+\n");
        assertThat(run(link.toString(), "--version").output()).matches("Sluice \\S+\n");
    }

    @Test
    void passesExitCodesOn() throws Exception {
        assertThat(run(launcher(), "nonsense").exitStatus()).isEqualTo(64);
        assertThat(run(launcher()).exitStatus()).isEqualTo(64);
        assertThat(run(launcher(), "--help").exitStatus()).isZero();
    }

    @Test
    void addsJvmOptions() throws Exception {
        Commands.Outcome outcome =
                run("env", "SLUICE_JAVA_OPTS=-Xmx1g -XX:+UseParallelGC -XX:+PrintFlagsFinal", launcher(), "--version");

        assertThat(outcome.exitStatus()).isZero();
        assertThat(outcome.output())
                .containsPattern("MaxHeapSize\\s+= 1073741824")
                .containsPattern("UseParallelGC\\s+= true");
    }

    @Test
    void saysThatJavaIsMissing() throws Exception {
        Commands.Outcome wrongHome = run("env", "JAVA_HOME=" + directory, launcher(), "--version");

        assertThat(wrongHome.exitStatus()).isEqualTo(69);
        assertThat(wrongHome.output())
                .startsWith("sluice: JAVA_HOME is " + directory)
                .hasLineCount(1);
    }

    @Test
    void saysThatJavaIsTooOld() throws Exception {
        Files.createDirectory(directory.resolve("bin"));
        Files.writeString(directory.resolve("release"), "JAVA_VERSION=\"11.0.2\"\n");
        Files.createFile(
                directory.resolve("bin/java"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));

        Commands.Outcome old = run("env", "JAVA_HOME=" + directory, launcher(), "--version");

        assertThat(old.exitStatus()).isEqualTo(69);
        assertThat(old.output()).contains("is Java 11", "17 or newer").hasLineCount(1);
    }

    @Test
    void saysThatMavenIsMissingWhereItHasToBuild() throws Exception {
        Path copy = Files.copy(
                SluiceNode.launcher(), directory.resolve("sluice"), java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
        Path tools = Files.createDirectory(directory.resolve("tools"));
        for (String tool : List.of("bash", "dirname", "readlink", "sed", "head", "basename")) {
            Files.createSymbolicLink(tools.resolve(tool), Path.of(Commands.run("which", tool)));
        }

        Commands.Outcome outcome = run(
                "env",
                "PATH=" + tools,
                "JAVA_HOME=" + System.getProperty("java.home"),
                tools.resolve("bash").toString(),
                copy.toString(),
                "--version");

        assertThat(outcome.exitStatus()).as(outcome.output()).isEqualTo(69);
        assertThat(outcome.output()).contains("Maven is missing").hasLineCount(1);
    }

    @Test
    void worksWithoutTheClassArchive() throws Exception {
        Commands.Outcome outcome = run(
                "env", "SLUICE_JAVA_OPTS=-XX:SharedArchiveFile=" + directory.resolve("none"), launcher(), "--version");

        assertThat(outcome.exitStatus()).isZero();
        assertThat(outcome.output()).matches("Sluice \\S+\n");
    }
}
