package io.sluice.testkit.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.broker.BrokerKind;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.broker.SluiceNode;
import io.sluice.testkit.process.Await;
import io.sluice.testkit.process.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code sluice consume} that is interrupted, gives up, or outlives its node; the group's first join takes three seconds. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConsumeInterruptTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private BrokerUnderTest broker;

    @BeforeAll
    void startBroker() throws Exception {
        broker = BrokerKind.candidate().start(Map.of("group.initial.rebalance.delay.ms", "3000"));
        assertThat(run("topic", "create", "t", "--partitions", "2").exitCode()).isZero();
    }

    @AfterAll
    void stopBroker() throws Exception {
        broker.close();
    }

    private CommandRun run(String... words) {
        return CommandRun.of(Arguments.of(broker, List.of(words)));
    }

    private void produce(String topic, String input) {
        CommandRun produced = CommandRun.withInput(input, Arguments.of(broker, List.of("produce", topic)));
        assertThat(produced.err()).isEmpty();
    }

    private ChildProcess consumer(String name, Pattern ready, String... words) throws Exception {
        List<String> command =
                new java.util.ArrayList<>(List.of(SluiceNode.launcher().toString()));
        command.addAll(List.of(Arguments.of(broker, List.of(words))));
        return ChildProcess.start(name, command, Map.of(), ready, directory.resolve(name));
    }

    /** Members that the group has; none where there is no such group. */
    private int members(String group) throws Exception {
        CommandRun described = run("group", "describe", group, "-o", "json");
        return described.exitCode() == 1
                ? 0
                : ((List<?>) Objects.requireNonNull(described.object().get("members"))).size();
    }

    private void awaitNoMembers(String group) throws Exception {
        Await.until(
                "group " + group + " to have no members",
                Duration.ofSeconds(10),
                () -> members(group),
                count -> count == 0);
    }

    /** The moments are those of the start: connecting, joining, waiting for the others, being a member. */
    @ParameterizedTest
    @ValueSource(ints = {300, 600, 900, 1_200, 1_600, 2_000, 2_600, 3_500, 4_500})
    void leavesItsGroupWheneverItIsInterrupted(int afterMillis) throws Exception {
        String group = "early-" + afterMillis;
        int exit;
        try (ChildProcess consumer =
                consumer(group, Pattern.compile("never"), "consume", "t", "--group", group, "--follow")) {
            Await.pause(afterMillis);

            // Not INT, which a shell may have told the whole build to ignore; both end the command in the same way.
            consumer.signal("TERM");

            exit = consumer.awaitExit(PATIENCE);
            assertThat(consumer.lastOutput()).isEmpty();
        }
        assertThat(exit).isEqualTo(143);
        awaitNoMembers(group);
    }

    @Test
    void leavesAGroupThatItIsTheFirstOfWhileTheGroupWaitsForOthers() throws Exception {
        try (ChildProcess consumer =
                consumer("joining", Pattern.compile("never"), "consume", "t", "--group", "joining", "--follow")) {
            Await.until("a member that joins", PATIENCE, () -> members("joining"), count -> count == 1);

            consumer.signal("TERM");

            assertThat(consumer.awaitExit(PATIENCE)).isEqualTo(143);
        }
        awaitNoMembers("joining");
    }

    @Test
    void leavesItsGroupWhenItGivesUp() throws Exception {
        CommandRun gaveUp = run("consume", "t", "--group", "hasty", "--timeout", "1");

        assertThat(gaveUp.exitCode()).isEqualTo(69);
        assertThat(gaveUp.err()).contains("gave this member no partition").hasLineCount(1);
        assertThat(members("hasty")).isZero();
        assertThat(run("consume", "t", "--group", "hasty").exitCode()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void followsOnWhereItWasWhenItsNodeComesBack(boolean asGroup) throws Exception {
        String topic = asGroup ? "outlived-grouped" : "outlived";
        assertThat(run("topic", "create", topic, "--partitions", "1").exitCode())
                .isZero();
        produce(topic, "first\n");
        String[] words = asGroup
                ? new String[] {"consume", topic, "--follow", "--from-beginning", "--group", "outliving"}
                : new String[] {"consume", topic, "--follow", "--from-beginning"};
        try (ChildProcess follower = consumer(topic, Pattern.compile("^first$"), words)) {
            follower.awaitReady(PATIENCE);
            broker.kill9();
            awaitLine(follower, "cannot be reached");
            broker.start();
            awaitLine(follower, "answers again");
            produce(topic, "second\n");
            awaitLine(follower, "second");

            follower.signal("TERM");

            assertThat(follower.awaitExit(PATIENCE)).isEqualTo(143);
            assertThat(follower.lastOutput().lines())
                    .satisfiesExactly(
                            line -> assertThat(line).isEqualTo("first"),
                            line -> assertThat(line)
                                    .startsWith("sluice: warning: The node at " + broker.bootstrapServers()
                                            + " cannot be reached (")
                                    .endsWith(" It is tried again until it answers."),
                            line -> assertThat(line)
                                    .isEqualTo("sluice: The node answers again. Reading goes on where it was."),
                            line -> assertThat(line).isEqualTo("second"));
        }
    }

    private static void awaitLine(ChildProcess process, String text) throws Exception {
        Await.until("a line with '" + text + "'", PATIENCE, process::lastOutput, output -> output.contains(text));
    }
}
