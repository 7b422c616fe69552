package io.sluice.testkit.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SystemClock;
import io.sluice.cli.output.Json;
import io.sluice.testkit.broker.BrokerProcess;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.broker.SluiceNode;
import io.sluice.testkit.client.TopicSetup;
import io.sluice.testkit.process.ChildProcess;
import io.sluice.testkit.process.Commands;
import io.sluice.testkit.process.Ports;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code sluice start} as a process of its own: what it prints, what it refuses and how it ends. */
class StartCommandTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    /** Two seconds are promised on a machine of its own; this one may run everything else at the same time. */
    private static final Duration REFUSAL = Duration.ofSeconds(12);

    private static final Pattern READY = Pattern.compile("^(Sluice .* ready on |\\{\"status\":\"ready\").*");
    private static final Pattern LOG_LINE = Pattern.compile("^\\d{4}-\\d\\d-\\d\\dT");

    @TempDir
    private Path directory;

    private int port;
    private int adminPort;

    private List<String> command(String... options) {
        List<String> command = new ArrayList<>(List.of(
                SluiceNode.launcher().toString(),
                "start",
                "--data",
                directory.resolve("data").toString()));
        command.addAll(List.of(options));
        return command;
    }

    @BeforeEach
    void choosePorts() throws Exception {
        List<Integer> ports = Ports.free(2);
        port = ports.get(0);
        adminPort = ports.get(1);
    }

    /** A node on the test's ports, started with more options. */
    private ChildProcess start(String... options) throws Exception {
        List<String> all = command("--port", Integer.toString(port), "--admin-port", Integer.toString(adminPort));
        all.addAll(List.of(options));
        return start(all);
    }

    private ChildProcess start(List<String> command) throws Exception {
        return ChildProcess.start("node", command, Map.of(), READY, directory.resolve("output"));
    }

    private Commands.Outcome refusal(int exitCode, String... options) throws Exception {
        return refusal(exitCode, command(options));
    }

    private Commands.Outcome refusalOnFreePorts(int exitCode, String... options) throws Exception {
        List<String> all = command("--port", "0", "--admin-port", "0");
        all.addAll(List.of(options));
        return refusal(exitCode, all);
    }

    private static Commands.Outcome refusal(int exitCode, List<String> command) throws Exception {
        long start = SystemClock.INSTANCE.nanoTime();
        Commands.Outcome outcome = Commands.attempt(command, TIMEOUT);
        Duration took = Duration.ofNanos(SystemClock.INSTANCE.nanoTime() - start);

        assertThat(outcome.exitStatus()).as(outcome.output()).isEqualTo(exitCode);
        assertThat(outcome.output()
                        .lines()
                        .filter(line -> !LOG_LINE.matcher(line).find()))
                .as("what it says beside its log")
                .hasSize(1)
                .allMatch(line -> line.startsWith("sluice: "));
        assertThat(outcome.output()).doesNotContain("\tat ", "Exception", " ERROR ", "Node stop");
        assertThat(took).isLessThan(REFUSAL);
        return outcome;
    }

    @Test
    void saysInOneLineWhereItServes() throws Exception {
        try (ChildProcess node = start()) {
            String ready = node.awaitReady(TIMEOUT);

            assertThat(ready)
                    .matches("Sluice \\S+ ready on 127\\.0\\.0\\.1:" + port + " in \\d+ ms \\(data "
                            + Pattern.quote(directory.resolve("data").toString()) + "\\)");
        }
    }

    @Test
    void saysItAsJson() throws Exception {
        try (ChildProcess node = start("-o", "json")) {
            Map<?, ?> ready = Json.read(node.awaitReady(TIMEOUT), Map.class);

            assertThat(ready.get("address")).isEqualTo("127.0.0.1:" + port);
            assertThat(ready.get("adminPort")).isEqualTo(adminPort);
            assertThat(ready.get("data")).isEqualTo(directory.resolve("data").toString());
            for (String message : List.of("journal started", "logs recovered", "partitions open")) {
                assertThat(node.lastOutput().lines())
                        .filteredOn(line -> line.contains("\"message\":\"" + message + "\""))
                        .singleElement()
                        .asString()
                        .contains("\"values\":{");
            }
        }
    }

    @Test
    void servesHealthMetricsAndClientsAndStopsInOrder() throws Exception {
        try (BrokerUnderTest node = SluiceNode.start(directory, directory.resolve("data"), Map.of())) {
            assertThat(AdminPage.get(node.adminAddress(), "/health/live").status())
                    .isEqualTo(200);
            assertThat(AdminPage.get(node.adminAddress(), "/health/ready").body())
                    .contains("ready");
            assertThat(AdminPage.get(node.adminAddress(), "/metrics").body())
                    .contains(
                            "sluice_process_resident_bytes ",
                            "sluice_process_open_descriptors ",
                            "sluice_memory_direct_used_bytes ",
                            "sluice_jvm_threads ");
            assertThat(AdminPage.get(node.adminAddress(), "/clients").body()).startsWith("[");
            assertThat(threads(node.pid())).isLessThanOrEqualTo(40);
            assertThat(residentKibibytes(node.pid())).isLessThan(220 * 1024);

            Duration took = node.stop();

            assertThat(took).isLessThan(Duration.ofSeconds(2));
        }
    }

    private static int threads(long pid) throws Exception {
        try (var tasks = Files.list(Path.of("/proc/" + pid + "/task"))) {
            return (int) tasks.count();
        }
    }

    private static long residentKibibytes(long pid) throws Exception {
        return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void listensOnIpv6() throws Exception {
        try (ChildProcess node = start("--host", "::1")) {

            assertThat(node.awaitReady(TIMEOUT)).contains(" ready on [::1]:" + port + " in ");
            CommandRun created = CommandRun.of("topic", "create", "six", "--bootstrap-server", "[::1]:" + port);
            assertThat(created.exitCode()).as(created.err()).isZero();
        }
    }

    @Test
    void endsWithZeroOnSigterm() throws Exception {
        try (ChildProcess node = start()) {
            node.awaitReady(TIMEOUT);
            node.terminate(TIMEOUT);

            assertThat(node.awaitExit(TIMEOUT)).isZero();
        }
    }

    @Test
    void refusesADirectoryThatAnotherProcessHolds() throws Exception {
        Path data = directory.resolve("data");
        try (BrokerProcess first = SluiceNode.prepare(directory, data, Map.of(), List.of())) {
            first.start();

            Commands.Outcome second = refusal(73, "--port", "0", "--admin-port", "0");

            assertThat(second.output()).contains(data.toString(), "process " + first.pid());
        }
    }

    @Test
    void refusesLogsWhoseMetadataIsGoneAndDeletesNone() throws Exception {
        Path data = directory.resolve("data");
        try (ChildProcess node = start()) {
            node.awaitReady(TIMEOUT);
            String address = "127.0.0.1:" + port;
            TopicSetup.create(address, "kept", 1);
            CommandRun sent = CommandRun.withInput("a record\n", "produce", "kept", "--bootstrap-server", address);
            assertThat(sent.exitCode()).as(sent.err()).isZero();
            node.terminate(TIMEOUT);
        }
        Path metadata = data.resolve("metadata");
        Files.move(metadata, directory.resolve("elsewhere"));

        Commands.Outcome refused = refusal(65, "--port", "0", "--admin-port", "0");

        assertThat(refused.output()).contains(metadata.toString(), "Restore the data directory");
        try (Stream<Path> logs = Files.list(data.resolve("logs"))) {
            assertThat(logs.filter(Files::isDirectory)).hasSize(1);
        }
    }

    @Test
    void refusesAPortInUse() throws Exception {
        try (ServerSocket taken = new ServerSocket()) {
            taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));

            Commands.Outcome refused =
                    refusal(73, "--port", Integer.toString(taken.getLocalPort()), "--admin-port", "0");

            assertThat(refused.output()).contains("127.0.0.1:" + taken.getLocalPort(), "--port");
            assertThat(directory.resolve("data")).doesNotExist();
        }
    }

    @Test
    void refusesAnAdminPortInUse() throws Exception {
        try (ServerSocket taken = new ServerSocket()) {
            taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));

            Commands.Outcome refused =
                    refusal(73, "--port", "0", "--admin-port", Integer.toString(taken.getLocalPort()));

            assertThat(refused.output()).contains("127.0.0.1:" + taken.getLocalPort(), "--admin-port");
            assertThat(directory.resolve("data")).doesNotExist();
        }
    }

    @Test
    void refusesADirectoryInUseWhoseLockFileWasRemoved() throws Exception {
        try (ChildProcess node = start()) {
            node.awaitReady(TIMEOUT);
            Files.delete(directory.resolve("data/.lock"));
            for (int i = 0; i < 2; i++) { // the first attempt makes another lock file
                assertThat(refusal(73, "--port", "0", "--admin-port", "0").output())
                        .contains("is in use by another process. Stop it first");
            }
        }
    }

    @Test
    void refusesADirectoryThatCannotBeMade() throws Exception {
        Path file = Files.writeString(directory.resolve("data"), "a file");

        assertThat(refusal(73, "--port", "0", "--admin-port", "0").output())
                .contains(file + " cannot be used: it is a file.");
    }

    @Test
    void refusesALinkToNothing() throws Exception {
        Path nowhere = directory.resolve("nowhere");
        Files.createSymbolicLink(directory.resolve("data"), nowhere);

        assertThat(refusal(73, "--port", "0", "--admin-port", "0").output())
                .contains("it is a link to " + nowhere + ", which does not exist", "--data DIR");
        assertThat(nowhere).doesNotExist();
    }

    @Test
    void refusesAnAddressOfNoInterface() throws Exception {
        assertThat(refusal(73, "--host", "203.0.113.1", "--port", "0", "--admin-port", "0")
                        .output())
                .contains("this machine has no address 203.0.113.1; it has ", "127.0.0.1", "--host H")
                .doesNotContain("--port N");
        assertThat(refusal(64, "--host", "a..b").output()).contains("'a..b' for --host", "127.0.0.1");
    }

    @Test
    void refusesADirectoryThatItMayNotWrite() throws Exception {
        Path data = Files.createDirectory(
                directory.resolve("data"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("r-xr-xr-x")));
        if (System.getProperty("user.name").equals("root")) {
            // Permissions do not bind root; a read-only pseudo file system does.
            List<String> command = new ArrayList<>(
                    List.of(SluiceNode.launcher().toString(), "start", "--data", "/proc/sluice", "--port", "0"));
            command.addAll(List.of("--admin-port", "0"));
            assertThat(refusal(73, command).output()).contains("/proc/sluice");
            return;
        }

        assertThat(refusal(73, "--port", "0", "--admin-port", "0").output()).contains(data.toString());
    }

    @Test
    void refusesANewerFormat() throws Exception {
        Path data = Files.createDirectory(directory.resolve("data"));
        Files.writeString(data.resolve("meta.properties"), "format=99\ncluster.id=MkU3OEVBNTcwNTJENDM2Qg\nnode.id=1\n");

        assertThat(refusal(65, "--port", "0", "--admin-port", "0").output()).contains("format 99");
    }

    @Test
    void refusesAnotherNodesDirectory() throws Exception {
        Path data = Files.createDirectory(directory.resolve("data"));
        Files.writeString(data.resolve("meta.properties"), "format=1\ncluster.id=MkU3OEVBNTcwNTJENDM2Qg\nnode.id=7\n");

        assertThat(refusal(65, "--port", "0", "--admin-port", "0").output()).contains("node 7");
    }

    @Test
    void refusesAnUnknownKeyAndNamesTheNearest() throws Exception {
        assertThat(refusal(64, "--set", "log.retention.houres=1").output())
                .contains("log.retention.houres", "did you mean 'log.retention.hours'?", "docs/config.md");
    }

    @Test
    void refusesAValueOutOfRange() throws Exception {
        assertThat(refusal(64, "--admin-port", "70000").output())
                .contains("Invalid value '70000' for --admin-port: allowed is 0 to 65535.");
        assertThat(refusal(64, "--port", "many").output())
                .contains("Invalid value 'many' for --port: allowed is 0 to 65535.");
        Path file = Files.writeString(directory.resolve("file"), "\nsluice.admin.port=70000\n");
        assertThat(refusal(78, "--config", file.toString()).output())
                .contains(file + ", line 2: Invalid value '70000' for sluice.admin.port: allowed is 0 to 65535.");
    }

    @Test
    void refusesToListenEverywhereWithoutSayingWhichAddressToUse() throws Exception {
        assertThat(refusal(64, "--host", "0.0.0.0").output()).contains("advertised.listeners", "127.0.0.1");
    }

    @Test
    void warnsWhenOthersCanConnect() throws Exception {
        try (ChildProcess node = start("--host", "0.0.0.0", "--advertise", "127.0.0.1:" + port)) {
            node.awaitReady(TIMEOUT);

            assertThat(node.lastOutput()).contains("WARN", "nobody has to say who they are");
        }
    }

    @Test
    void readsAFileAndIsOverriddenByOptions() throws Exception {
        Path file = Files.writeString(
                directory.resolve("node.properties"),
                "listeners=PLAINTEXT://127.0.0.1:1\nsluice.admin.port=" + adminPort + "\n");
        try (ChildProcess node = start(command("--config", file.toString(), "--port", Integer.toString(port)))) {

            assertThat(node.awaitReady(TIMEOUT)).contains("127.0.0.1:" + port);
            assertThat(AdminPage.get(
                                    new InetSocketAddress(InetAddress.getLoopbackAddress(), adminPort), "/health/ready")
                            .status())
                    .isEqualTo(200);
        }
    }

    @Test
    void refusesOnePortForBoth() throws Exception {
        String one = Integer.toString(port);

        assertThat(refusal(64, "--port", one, "--admin-port", one).output()).contains(one, "--admin-port N");
        assertThat(refusal(64, "--port", one, "--advertise", "example.org:0").output())
                .contains("'example.org:0' for --advertise", "1 to 65535");
    }

    @Test
    void blamesAListenerThatItDoesNotKnowOnWhoSetIt() throws Exception {
        assertThat(refusal(64, "--port", "0", "--set", "listeners=SSL://127.0.0.1:19501")
                        .output())
                .contains("--set: Invalid value 'SSL://127.0.0.1:19501' for listeners")
                .doesNotContain("--port");
    }

    @Test
    void refusesAnAdminHostThatIsNotKnown() throws Exception {
        assertThat(refusal(64, "--set", "sluice.admin.host=a..b").output()).contains("knows no host 'a..b'");
    }

    @Test
    void refusesASettingGivenTwice() throws Exception {
        assertThat(refusal(64, "--set", "node.id=1", "--set", "node.id=2").output())
                .contains("--set gives 'node.id' twice");
    }

    @Test
    void refusesBudgetsBeyondTheMachine() throws Exception {
        for (String key : List.of(
                "queued.max.request.bytes",
                "sluice.response.memory.bytes",
                "sluice.request.heap.bytes",
                "log.cleaner.dedupe.buffer.size",
                "sluice.journal.checkpoint.bytes",
                "sluice.journal.max.unreleased.bytes",
                "sluice.low.space.bytes")) {
            assertThat(refusal(64, "--port", "0", "--admin-port", "0", "--set", key + "=9000000000000000000")
                            .output())
                    .contains("Invalid value '9000000000000000000' for " + key + ": allowed is ");
        }
    }

    @Test
    void refusesAJournalDirectoryThatCannotBe() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "a file");

        assertThat(refusal(73, "--port", "0", "--admin-port", "0", "--set", "sluice.journal.dir=" + file.resolve("x"))
                        .output())
                .contains(file.toString(), "sluice.journal.dir");
        Path logs = directory.resolve("data/logs");
        assertThat(refusal(64, "--port", "0", "--admin-port", "0", "--set", "sluice.journal.dir=" + logs)
                        .output())
                .contains("'" + logs + "' for sluice.journal.dir");
    }

    /** With the journal on a disk of its own an older copy of the rest can be put beside it: no topic since then is deleted. */
    @Test
    void refusesAnOlderCopyOfTheDataDirectoryBesideItsJournal() throws Exception {
        Path data = directory.resolve("data");
        Path copy = directory.resolve("copy");
        String[] journal = {"--set", "sluice.journal.dir=" + directory.resolve("journal")};
        createTopicInARunOfItsOwn("early", journal);
        copy(data, copy);
        createTopicInARunOfItsOwn("late", journal);
        Path newest = Files.move(data, directory.resolve("newest"));
        Files.move(copy, data);
        for (int i = 0; i < 2; i++) { // the first attempt must not have made the second look right
            assertThat(refusalOnFreePorts(65, journal).output())
                    .contains("The metadata of " + data + " is older than its logs and journal", "late-0");
        }

        Files.move(data, copy);
        Files.move(newest, data);
        try (ChildProcess node = start(journal)) {
            node.awaitReady(TIMEOUT);
            assertThat(CommandRun.of("topic", "list", "--bootstrap-server", "127.0.0.1:" + port)
                            .out())
                    .contains("early", "late");
        }
    }

    /** As where the volume of the logs is not restored with the others: no record since the copy is cut, no log deleted. */
    @Test
    void refusesAnOlderCatalogueAndJournalBesideNewerLogs() throws Exception {
        Path data = directory.resolve("data");
        Path older = Files.createDirectory(directory.resolve("older"));
        Path newer = Files.createDirectory(directory.resolve("newer"));
        createTopicInARunOfItsOwn("early");
        copyParts(data, older);
        createTopicInARunOfItsOwn("late");
        copyParts(data, newer);
        copyParts(older, data);
        for (int i = 0; i < 2; i++) { // the first attempt must not have made the second look right
            assertThat(refusalOnFreePorts(65).output())
                    .contains("The catalogue and the journal of " + data + " are older than its logs", "early-0");
            assertThat(logOf(data, "late")).isNotEmptyDirectory();
        }

        copyParts(newer, data);
        Files.move(logOf(data, "early"), data.resolve("logs/999-early-0"));
        try (ChildProcess node = start()) {
            node.awaitReady(TIMEOUT);
            String address = "127.0.0.1:" + port;
            assertThat(CommandRun.of("consume", "late", "--count", "1", "--bootstrap-server", address)
                            .out())
                    .contains("a record");
        }
        assertThat(data.resolve("logs/999-early-0.unclaimed/00000000000000000000.log"))
                .content()
                .contains("a record");
    }

    private static Path logOf(Path data, String topic) throws Exception {
        try (Stream<Path> logs = Files.list(data.resolve("logs"))) {
            return logs.filter(path -> path.toString().endsWith("-" + topic + "-0"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static void copyParts(Path from, Path to) throws Exception {
        for (String part : List.of("journal", "catalogue")) {
            if (Files.exists(to.resolve(part))) {
                try (Stream<Path> files = Files.walk(to.resolve(part))) {
                    for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                        Files.delete(file);
                    }
                }
            }
            copy(from.resolve(part), to.resolve(part));
        }
    }

    private void createTopicInARunOfItsOwn(String topic, String... options) throws Exception {
        try (ChildProcess node = start(options)) {
            node.awaitReady(TIMEOUT);
            CommandRun created = CommandRun.of("topic", "create", topic, "--bootstrap-server", "127.0.0.1:" + port);
            assertThat(created.exitCode()).as(created.err()).isZero();
            CommandRun sent =
                    CommandRun.withInput("a record\n", "produce", topic, "--bootstrap-server", "127.0.0.1:" + port);
            assertThat(sent.exitCode()).as(sent.err()).isZero();
            node.terminate(TIMEOUT);
            assertThat(node.awaitExit(TIMEOUT)).isZero();
        }
    }

    private static void copy(Path from, Path to) throws Exception {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file)));
            }
        }
    }

    @Test
    void warnsThatTheAdminPageAsksNobodyWhoTheyAre() throws Exception {
        try (ChildProcess node = start("--set", "sluice.admin.host=0.0.0.0")) {
            node.awaitReady(TIMEOUT);

            assertThat(node.lastOutput()).contains("WARN", "admin page", "no authentication");
        }
        try (ChildProcess node = start("-o", "json")) {
            node.awaitReady(TIMEOUT);

            assertThat(node.lastOutput()).doesNotContain("no authentication");
            for (String line : node.lastOutput().lines().toList()) {
                Map<?, ?> document = Json.read(line, Map.class);
                if (!document.containsKey("status")) {
                    assertThat(java.time.OffsetDateTime.parse((String) document.get("time")))
                            .isNotNull();
                    assertThat(document.get("message")).isInstanceOf(String.class);
                }
            }
        }
    }
}
