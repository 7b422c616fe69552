package io.sluice.testkit.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.broker.SluiceNode;
import io.sluice.testkit.process.Await;
import io.sluice.testkit.process.ChildProcess;
import io.sluice.testkit.process.Commands;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The launcher script: what it runs and what it says is missing. */
class LauncherTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final List<String> BUILD_TOOLS = List.of(
            "bash", "dirname", "readlink", "sed", "head", "basename", "mkdir", "rm", "ln", "mv", "sleep", "tail", "cp");

    @TempDir
    private Path directory;

    private static Commands.Outcome run(String... words) throws Exception {
        return Commands.attempt(List.of(words), TIMEOUT);
    }

    /** A directory with these programs of the machine and no others. */
    private Path tools(List<String> programs) throws Exception {
        Path tools = Files.createDirectory(directory.resolve("tools"));
        for (String program : programs) {
            link(tools, program);
        }
        return tools;
    }

    private static void link(Path tools, String program) throws Exception {
        Files.createSymbolicLink(tools.resolve(program), Path.of(Commands.run("which", program)));
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

    /** The node's first heap is larger than that: whoever asks for less is not told of an option that nobody gave. */
    @Test
    void startsWithASmallerHeapThanItWouldBeginWith() throws Exception {
        for (String options : List.of("-Xmx32m", "-Xmx1g -XX:MaxHeapSize=33554432")) {
            Commands.Outcome outcome =
                    run("env", "SLUICE_JAVA_OPTS=" + options + " -XX:+PrintFlagsFinal", launcher(), "start", "--help");

            assertThat(outcome.exitStatus()).as(outcome.output()).isZero();
            assertThat(outcome.output()).containsPattern("MaxHeapSize\\s+= 33554432");
        }
        assertThat(run("env", "SLUICE_JAVA_OPTS=-XX:+PrintFlagsFinal", launcher(), "start", "--help")
                        .output())
                .containsPattern("InitialHeapSize\\s+= 67108864");
        Commands.Outcome tiny = run("env", "SLUICE_JAVA_OPTS=-Xmx4m", launcher(), "topic", "list");
        assertThat(tiny.exitStatus()).isEqualTo(64);
        assertThat(tiny.output()).startsWith("sluice: SLUICE_JAVA_OPTS gives a heap of less than 16 MiB");
    }

    /** JDKs installed beside the one that runs the tests, that one included. */
    private static List<Path> jdksOfThisMachine() throws Exception {
        Path own = Path.of(System.getProperty("java.home"));
        Path parent = Objects.requireNonNull(own.getParent());
        try (Stream<Path> homes = Files.list(parent)) {
            return Stream.concat(Stream.of(own), homes.filter(home -> !home.equals(own)))
                    .filter(home -> Files.isExecutable(home.resolve("bin/java")) && !Files.isSymbolicLink(home))
                    .toList();
        }
    }

    @Test
    void servesWithEveryJdkOfThisMachineAndNoneHasAWordToSay() throws Exception {
        for (Path jdk : jdksOfThisMachine()) {
            try (BrokerUnderTest node = SluiceNode.startUnder(List.of("env", "JAVA_HOME=" + jdk), Map.of())) {
                CommandRun created = CommandRun.of(Arguments.of(node, List.of("topic", "create", "served")));
                CommandRun sent = CommandRun.withInput("a\n", Arguments.of(node, List.of("produce", "served")));
                CommandRun read = CommandRun.of(Arguments.of(node, List.of("consume", "served"), "--count", "1"));
                node.stop();

                assertThat(created.exitCode()).as(created.err()).isZero();
                assertThat(sent.exitCode()).as(sent.err()).isZero();
                assertThat(read.out()).as(read.err()).isEqualTo("a\n");
                assertThat(Files.readAllLines(node.outputFile()))
                        .as("with %s", jdk)
                        .allMatch(line -> line.matches("^\\d{4}-\\S+ INFO .*|^Sluice .*"));
            }
            assertThat(run("env", "JAVA_HOME=" + jdk, launcher(), "--version").output())
                    .as("with %s", jdk)
                    .matches("Sluice \\S+\n");
        }
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
        Path tools = tools(List.of("bash", "dirname", "readlink", "sed", "head", "basename"));

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

    /** A full disk is told by the words of the system; file names keep the encoding of the user's locale. */
    @Test
    void hearsTheSystemInEnglishAndKeepsTheEncodingOfNames() throws Exception {
        Path bin = Files.createDirectories(directory.resolve("dist/bin"));
        Files.createDirectory(directory.resolve("dist/lib"));
        Files.copy(SluiceNode.launcher(), bin.resolve("sluice"), java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
        Path jdk = Files.createDirectories(directory.resolve("jdk/bin"));
        Files.writeString(directory.resolve("jdk/release"), "JAVA_VERSION=\"17.0.1\"\n");
        script(jdk.resolve("java"), "echo ${LC_MESSAGES:-} ${LC_CTYPE:-} ${LC_ALL:-none}");

        Commands.Outcome outcome = run(
                "env",
                "LC_ALL=C.UTF-8",
                "LC_MESSAGES=C.UTF-8",
                "JAVA_HOME=" + directory.resolve("jdk"),
                bin.resolve("sluice").toString(),
                "--version");

        assertThat(outcome.output()).isEqualTo("C C.UTF-8 none\n");
    }

    /** A checkout that is not built yet, with a Maven that builds when it is told to, and a Java that says so. */
    private Path checkout(Path tools) throws Exception {
        Path root = Files.createDirectories(directory.resolve("checkout"));
        Files.copy(SluiceNode.launcher(), root.resolve("sluice"), java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
        Path jdk = Files.createDirectories(directory.resolve("jdk/bin"));
        Files.writeString(directory.resolve("jdk/release"), "JAVA_VERSION=\"17.0.1\"\n");
        script(jdk.resolve("java"), "echo ran");
        script(jdk.resolve("javac"), "exit 1");
        script(tools.resolve("mvn"), """
                [ "$1" = --version ] && echo 'Apache Maven 3.9.9' && exit
                echo begun >>builds
                until [ -e finish ]; do sleep 0.1; done
                for word; do
                    case $word in -Dsluice.distribution=*) distribution=${word#*=} ;; esac
                done
                mkdir -p "$distribution/bin" "$distribution/lib"
                echo "$distribution" >"$distribution/lib/a.jar"
                cp sluice $distribution/bin/sluice""");
        return root;
    }

    private static void script(Path file, String text) throws Exception {
        Files.writeString(file, "#!/bin/bash\n" + text + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private ChildProcess firstUse(Path root, Path tools, String name) throws Exception {
        return firstUse(root, tools, name, Map.of());
    }

    private ChildProcess firstUse(Path root, Path tools, String name, Map<String, String> more) throws Exception {
        Map<String, String> environment = new HashMap<>(more);
        environment.put("PATH", tools.toString());
        environment.put("JAVA_HOME", directory.resolve("jdk").toString());
        return ChildProcess.start(
                name,
                List.of(tools.resolve("bash").toString(), root.resolve("sluice").toString(), "--version"),
                environment,
                Pattern.compile("^Waiting for another build"),
                directory.resolve(name));
    }

    /** How builds keep out of each other's way. */
    enum Locks {
        WITH_FLOCK,
        WITHOUT_FLOCK,
        FLOCK_IS_REFUSED
    }

    private static void lay(Locks locks, Path tools) throws Exception {
        switch (locks) {
            case WITH_FLOCK -> link(tools, "flock");
            case FLOCK_IS_REFUSED -> script(tools.resolve("flock"), "echo 'flock: No locks available' >&2; exit 71");
            case WITHOUT_FLOCK -> {}
        }
    }

    @ParameterizedTest
    @EnumSource
    void buildsOnceForTwoFirstUses(Locks locks) throws Exception {
        Path tools = tools(BUILD_TOOLS);
        lay(locks, tools);
        Path root = checkout(tools);
        // What a build that was killed leaves behind must not keep the next one waiting.
        Files.createDirectories(root.resolve("target"));
        Files.createSymbolicLink(root.resolve("target/sluice-build.lock.link"), Path.of("4194305"));
        try (ChildProcess first = firstUse(root, tools, "first")) {
            Await.until("the first build", TIMEOUT, () -> Files.exists(root.resolve("builds")), begun -> begun);
            try (ChildProcess second = firstUse(root, tools, "second")) {
                second.awaitReady(TIMEOUT);
                Files.createFile(root.resolve("finish"));

                assertThat(first.awaitExit(TIMEOUT)).as(first.lastOutput()).isZero();
                assertThat(second.awaitExit(TIMEOUT)).as(second.lastOutput()).isZero();
                assertThat(second.lastOutput()).endsWith("ran");
            }
            assertThat(first.lastOutput()).endsWith("ran");
        }
        assertThat(root.resolve("builds")).hasContent("begun");
    }

    /** The path of the first jar in the class path, which is there for as long as somebody runs with it. */
    private static final String JAVA_THAT_WAITS = """
            for word; do
                case $word in */a.jar) jar=$word ;; esac
            done
            echo begun >>starts
            until [ -e go ]; do sleep 0.1; done
            [ "$(cat "$jar")/lib/a.jar" = "$jar" ] && echo ran with its own""";

    @ParameterizedTest
    @EnumSource
    void leavesABuildThatIsInUseWhereItIs(Locks locks) throws Exception {
        Path tools = tools(BUILD_TOOLS);
        link(tools, "cat");
        lay(locks, tools);
        Path root = checkout(tools);
        script(directory.resolve("jdk/bin/java"), "cd " + root + "\n" + JAVA_THAT_WAITS);
        Files.createFile(root.resolve("finish"));
        try (ChildProcess first = firstUse(root, tools, "first")) {
            Await.until("the first start", TIMEOUT, () -> Files.exists(root.resolve("starts")), begun -> begun);
            assertThat(build(root, tools).exitStatus()).isZero();
            if (locks == Locks.WITH_FLOCK) { // else only the one before is kept
                assertThat(build(root, tools).exitStatus()).isZero();
            }
            Files.createFile(root.resolve("go"));

            assertThat(first.awaitExit(TIMEOUT)).as(first.lastOutput()).isZero();
            assertThat(first.lastOutput()).endsWith("ran with its own");
        }
        assertThat(build(root, tools).exitStatus()).isZero();
        try (ChildProcess second = firstUse(root, tools, "second");
                Stream<Path> builds = Files.list(root.resolve("server/target/builds"))) {
            assertThat(second.awaitExit(TIMEOUT)).as(second.lastOutput()).isZero();
            assertThat(builds).as("what was built").hasSize(locks == Locks.WITH_FLOCK ? 1 : 2);
        }
    }

    private Commands.Outcome build(Path root, Path tools) throws Exception {
        return run(
                "env",
                "PATH=" + tools,
                "JAVA_HOME=" + directory.resolve("jdk"),
                tools.resolve("bash").toString(),
                root.resolve("sluice").toString(),
                "build");
    }

    /** Whoever starts just then may be unable to build. */
    @Test
    void isBuiltAtEveryMomentOfABuild() throws Exception {
        Path tools = tools(BUILD_TOOLS);
        Path root = checkout(tools);
        Files.createFile(root.resolve("finish"));
        assertThat(build(root, tools).exitStatus()).isZero();
        Path current = root.resolve("server/target/current");
        Path first = current.toRealPath();
        Path gaps = directory.resolve("gaps");
        for (String program : List.of("rm", "ln", "mv")) {
            String look = "[ -x " + current + "/bin/sluice ] || echo " + program + " >>" + gaps + "\n";
            String real = Commands.run("which", program);
            Files.delete(tools.resolve(program));
            script(tools.resolve(program), look + real + " \"$@\"\nended=$?\n" + look + "exit $ended");
        }

        assertThat(build(root, tools).exitStatus()).isZero();

        assertThat(gaps).doesNotExist();
        assertThat(current.toRealPath()).isNotEqualTo(first);
    }

    /** Another build has ended between the look at the link and the lock: that needs no Maven. */
    @Test
    void runsWhatHasTakenThePlaceOfWhatItFound() throws Exception {
        Path tools = tools(BUILD_TOOLS);
        Path root = checkout(tools);
        Files.createFile(root.resolve("finish"));
        assertThat(build(root, tools).exitStatus()).isZero();
        assertThat(build(root, tools).exitStatus()).isZero();
        Path target = root.resolve("server/target");
        assertThat(target.resolve("current").toRealPath()).endsWith(Path.of("builds/2"));
        Files.delete(tools.resolve("mvn"));
        script(
                tools.resolve("flock"),
                "[ -e " + target + "/switched ] || { ln -sfn builds/1 " + target + "/current; : >" + target
                        + "/switched; }");

        try (ChildProcess run = firstUse(root, tools, "run")) {
            assertThat(run.awaitExit(TIMEOUT)).as(run.lastOutput()).isZero();
            assertThat(run.lastOutput()).endsWith("ran");
        }
        assertThat(target.resolve("switched")).exists();
    }

    /** Somebody may run from there. */
    @Test
    void leavesAloneWhatMavenAloneHasBuilt() throws Exception {
        Path tools = tools(BUILD_TOOLS);
        Path root = checkout(tools);
        Path jar =
                Files.createDirectories(root.resolve("server/target/dist/lib")).resolve("a.jar");
        Files.writeString(jar, "Maven's");
        Files.createFile(root.resolve("finish"));

        assertThat(build(root, tools).exitStatus()).isZero();
        assertThat(build(root, tools).exitStatus()).isZero();

        assertThat(jar.toRealPath()).isEqualTo(root.toRealPath().resolve("server/target/dist/lib/a.jar"));
        assertThat(jar).hasContent("Maven's");
    }

    @Test
    void keepsWhatWasBuiltBeforeWhereABuildFails() throws Exception {
        Path tools = tools(BUILD_TOOLS);
        Path root = checkout(tools);
        Files.createFile(root.resolve("finish"));
        assertThat(build(root, tools).exitStatus()).isZero();
        script(tools.resolve("mvn"), "[ \"$1\" = --version ] && echo 'Apache Maven 3.9.9' && exit\nexit 1");

        assertThat(build(root, tools).exitStatus()).isEqualTo(70);

        try (ChildProcess next = firstUse(root, tools, "next")) {
            assertThat(next.awaitExit(TIMEOUT)).as(next.lastOutput()).isZero();
            assertThat(next.lastOutput()).endsWith("ran");
        }
    }

    @Test
    void saysThatItCannotBuildWhereItCannotWrite() throws Exception {
        Path tools = tools(BUILD_TOOLS);
        Path root = checkout(tools);
        Files.writeString(root.resolve("target"), "not a directory");
        try (ChildProcess refused = firstUse(root, tools, "refused")) {

            assertThat(refused.awaitExit(TIMEOUT)).isEqualTo(73);
            assertThat(refused.lastOutput())
                    .startsWith("sluice: Cannot write " + root.resolve("target"))
                    .hasLineCount(1);
        }
    }

    private Path checkoutWithAnEndlessBuild(Path tools) throws Exception {
        Path root = checkout(tools);
        script(tools.resolve("mvn"), """
                [ "$1" = --version ] && echo 'Apache Maven 3.9.9' && exit
                for word; do
                    case $word in -Dsluice.distribution=*) mkdir -p "${word#*=}" "${word#*=}/../training" ;; esac
                done
                sleep 1000 &
                echo $! >training.new
                cp training.new training.pid
                wait""");
        return root;
    }

    /** What Maven started must not go on when the build does not. */
    @Test
    void endsEverythingThatAnInterruptedBuildStarted() throws Exception {
        Path tools = tools(BUILD_TOOLS);
        Path root = checkoutWithAnEndlessBuild(tools);
        try (ChildProcess build = firstUse(root, tools, "build")) {
            trainingRun(root);

            build.signal("TERM");

            requireEnded(build, root);
        }
    }

    /** The signal comes when Maven has been started and the script has not got any further. */
    @Test
    void endsABuildThatIsInterruptedAsItBegins() throws Exception {
        Path tools = tools(BUILD_TOOLS);
        Path root = checkoutWithAnEndlessBuild(tools);
        Path hook = directory.resolve("hook");
        Files.writeString(hook, """
                interrupt_itself() {
                    [ "$1" = 'build_pid=$!' ] || return 0
                    until [ -s "$TRAINING_PID" ]; do sleep 0.1; done
                    kill -TERM $$
                }
                case $0 in
                    */checkout/sluice) set -T; trap 'interrupt_itself "$BASH_COMMAND"' DEBUG ;;
                esac
                """);
        Map<String, String> hooked = Map.of(
                "BASH_ENV",
                hook.toString(),
                "TRAINING_PID",
                root.resolve("training.pid").toString());
        try (ChildProcess build = firstUse(root, tools, "build", hooked)) {
            requireEnded(build, root);
        }
    }

    private static long trainingRun(Path root) throws Exception {
        Path file = root.resolve("training.pid");
        return Long.parseLong(Await.until(
                "the training run",
                TIMEOUT,
                () -> Files.exists(file) ? Files.readString(file).strip() : "",
                text -> !text.isEmpty()));
    }

    private static void requireEnded(ChildProcess build, Path root) throws Exception {
        int status = build.awaitExit(TIMEOUT);
        Optional<ProcessHandle> training = ProcessHandle.of(trainingRun(root));
        try {
            assertThat(status).as(build.lastOutput()).isEqualTo(143);
            assertThat(build.lastOutput()).contains("the build was interrupted");
            Await.until(
                    "the end of the training run",
                    TIMEOUT,
                    () -> training.map(ProcessHandle::isAlive).orElse(false),
                    alive -> !alive);
            assertThat(root.resolve("server/target/builds")).isEmptyDirectory();
        } finally {
            training.ifPresent(ProcessHandle::destroy);
        }
    }

    @Test
    void saysThatTheCurrentDirectoryIsGone() throws Exception {
        Path gone = directory.resolve("gone");

        Commands.Outcome outcome = run(
                "bash",
                "-c",
                "mkdir \"$1\" && cd \"$1\" && rmdir \"$1\" && exec \"$0\" --version",
                launcher(),
                gone.toString());

        assertThat(outcome.exitStatus()).as(outcome.output()).isEqualTo(74);
        assertThat(outcome.output())
                .contains("sluice: The current directory does not exist any more.")
                .doesNotContain("\tat ");
    }
}
