package io.sluice.testkit.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.broker.BrokerKind;
import io.sluice.testkit.broker.BrokerUnderTest;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** {@code sluice topic …} against a node. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TopicCommandsTest {
    private BrokerUnderTest broker;

    @BeforeAll
    void startBroker() throws Exception {
        broker = BrokerKind.candidate().start(Map.of());
    }

    @AfterAll
    void stopBroker() throws Exception {
        broker.close();
    }

    private CommandRun topic(String command, String... arguments) {
        return CommandRun.of(Arguments.of(broker, List.of("topic", command), arguments));
    }

    @Test
    void createsATopicAndSaysSo() {
        CommandRun created = topic("create", "created", "--partitions", "3", "--config", "retention.ms=60000");

        assertThat(created.exitCode()).isZero();
        assertThat(created.out()).matches("Created topic created with 3 partitions, id \\S{22}\\.\n");
        assertThat(created.err()).isEmpty();
    }

    @Test
    void createsATopicAndTellsAProgram() throws Exception {
        Map<String, Object> created = topic(
                        "create", "created-json", "--partitions", "2", "--replication-factor", "1", "-o", "json")
                .object();

        assertThat(created).containsEntry("name", "created-json").containsEntry("partitions", 2);
        assertThat(created.get("id")).asString().hasSize(22);
        assertThat(created).containsEntry("replicationFactor", 1);
    }

    @Test
    void refusesATopicThatExists() {
        topic("create", "twice");

        CommandRun again = topic("create", "twice");

        assertThat(again.exitCode()).isEqualTo(1);
        assertThat(again.err()).startsWith("sluice: ").contains("twice").hasLineCount(1);
    }

    @Test
    void refusesAnUnknownSetting() {
        CommandRun refused = topic("create", "odd", "--config", "retention.hours=1");

        assertThat(refused.exitCode()).isEqualTo(64);
        assertThat(refused.err())
                .contains("Unknown configuration key 'retention.hours'", "docs/config.md")
                .hasLineCount(1);
    }

    @Test
    void refusesPartitionsThatAreNoNumber() {
        CommandRun refused = topic("create", "odd", "--partitions", "many");

        assertThat(refused.exitCode()).isEqualTo(64);
        assertThat(refused.err()).contains("--partitions", "many", "--help").hasLineCount(1);
    }

    @Test
    void listsTopicsOneALine() {
        topic("create", "listed", "--partitions", "4");

        CommandRun list = topic("list");

        assertThat(list.exitCode()).isZero();
        assertThat(list.lines()).anyMatch(line -> line.startsWith("listed\t4\t1\tfalse\t"));
    }

    @Test
    void listsTopicsAsJson() throws Exception {
        topic("create", "listed-json", "--partitions", "4");

        assertThat(topic("list", "-o", "json").array())
                .anySatisfy(topic -> assertThat(topic)
                        .containsEntry("name", "listed-json")
                        .containsEntry("partitions", 4)
                        .containsEntry("internal", false));
    }

    @Test
    void describesSettingsAndOffsets() {
        topic("create", "described", "--partitions", "2", "--config", "retention.ms=60000");
        CommandRun.withInput("a\nb\nc\n", Arguments.of(broker, List.of("produce", "described"), "--partition", "1"));

        CommandRun described = topic("describe", "described");

        assertThat(described.exitCode()).isZero();
        assertThat(described.lines()).contains("  retention.ms=60000", "described\t0\t1\t[1]\t0\t0\t0");
        assertThat(described.lines()).contains("described\t1\t1\t[1]\t0\t3\t3");
    }

    @Test
    void saysWhatANameMayBeWhereItDescribesTheOthers() {
        topic("create", "legal");

        CommandRun described = topic("describe", "legal", "x y");

        assertThat(described.exitCode()).isEqualTo(64);
        assertThat(described.out()).contains("Topic legal, id ");
        assertThat(described.err())
                .contains("'x y'", "only letters, digits, dots, underscores and dashes")
                .hasLineCount(1);
        CommandRun created = topic("create", "x y");
        assertThat(created.exitCode()).isEqualTo(64);
        assertThat(described.err()).isEqualTo(created.err());
    }

    @Test
    @SuppressWarnings("unchecked") // parsed JSON is maps and lists
    void describesAsJson() throws Exception {
        topic("create", "described-json", "--config", "cleanup.policy=compact");

        Map<String, Object> described =
                topic("describe", "described-json", "-o", "json").array().get(0);

        assertThat((Map<String, String>) described.get("configs"))
                .containsExactly(Map.entry("cleanup.policy", "compact"));
        assertThat((List<Map<String, Object>>) described.get("partitions"))
                .singleElement()
                .satisfies(partition ->
                        assertThat(partition).containsEntry("leader", 1).containsEntry("endOffset", 0));
    }

    @Test
    void saysThatThereIsNoSuchTopic() {
        CommandRun missing = topic("describe", "missing");

        assertThat(missing.exitCode()).isEqualTo(1);
        assertThat(missing.err()).contains("'missing'", "sluice topic list").hasLineCount(1);
    }

    @Test
    void altersPartitionsAndSettings() {
        topic("create", "altered", "--config", "retention.ms=1000");

        CommandRun altered = topic(
                "alter",
                "altered",
                "--partitions",
                "5",
                "--config",
                "segment.ms=700000",
                "--delete-config",
                "retention.ms");

        assertThat(altered.exitCode()).isZero();
        assertThat(altered.lines())
                .containsExactly(
                        "Set segment.ms=700000 on topic altered.",
                        "Unset retention.ms on topic altered.",
                        "Topic altered has 5 partitions now.");
        assertThat(topic("describe", "altered").out())
                .contains("segment.ms=700000", "altered\t4\t")
                .doesNotContain("retention.ms");
    }

    @Test
    void altersAsJson() throws Exception {
        topic("create", "altered-json");

        assertThat(topic("alter", "altered-json", "--partitions", "2", "-o", "json")
                        .object())
                .containsEntry("name", "altered-json")
                .containsEntry("partitions", 2);
    }

    @Test
    void refusesFewerPartitions() {
        topic("create", "shrunk", "--partitions", "3");

        CommandRun refused = topic("alter", "shrunk", "--partitions", "2");

        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err()).contains("3", "2").hasLineCount(1);
    }

    @Test
    void tellsWhatWasAlteredBeforeItFailed() {
        topic("create", "half", "--partitions", "3");

        CommandRun failed = topic("alter", "half", "--config", "retention.ms=60000", "--partitions", "2");

        assertThat(failed.exitCode()).isEqualTo(1);
        assertThat(failed.out()).isEqualTo("Set retention.ms=60000 on topic half.\n");
        assertThat(failed.err()).contains("half").hasLineCount(1);
    }

    @Test
    void wantsSomethingToAlter() {
        assertThat(topic("alter", "anything").exitCode()).isEqualTo(64);
    }

    @Test
    void deletesTopics() {
        topic("create", "deleted");

        CommandRun deleted = topic("delete", "deleted");

        assertThat(deleted.exitCode()).isZero();
        assertThat(deleted.out()).isEqualTo("Deleted topic deleted.\n");
        assertThat(topic("list").out()).doesNotContain("deleted\t");
    }

    @Test
    void deletesAsJson() throws Exception {
        topic("create", "deleted-json");

        assertThat(topic("delete", "deleted-json", "-o", "json").object())
                .containsEntry("deleted", List.of("deleted-json"));
    }

    @Test
    void refusesToDeleteWhatIsNotThere() {
        topic("create", "there");

        CommandRun deleted = topic("delete", "never-was", "there", "nor-was");

        assertThat(deleted.exitCode()).isEqualTo(1);
        assertThat(deleted.out()).isEqualTo("Deleted topic there.\n");
        assertThat(deleted.err()).contains("'never-was'", "'nor-was'").hasLineCount(1);
    }

    @Test
    void wantsACommand() {
        CommandRun bare = CommandRun.of("topic");

        assertThat(bare.exitCode()).isEqualTo(64);
        assertThat(bare.err()).isEqualTo("sluice: No command given. See 'sluice topic --help'.\n");
    }

    @Test
    void deletesAnInternalTopicOnlyByForce() {
        CommandRun.withInput("a\n", Arguments.of(broker, List.of("produce", "grouped")));
        CommandRun.of(Arguments.of(broker, List.of("consume", "grouped"), "--group", "makes-offsets"));
        assertThat(topic("list", "--internal").out()).contains("__consumer_offsets\t");

        CommandRun refused = topic("delete", "grouped", "__consumer_offsets");

        assertThat(refused.exitCode()).isEqualTo(64);
        assertThat(refused.out()).isEmpty();
        assertThat(refused.err()).contains("'__consumer_offsets'", "--force").hasLineCount(1);
        assertThat(topic("list", "--internal").out()).contains("__consumer_offsets\t", "grouped\t");
        assertThat(topic("delete", "__consumer_offsets", "--force").out())
                .isEqualTo("Deleted topic __consumer_offsets.\n");
    }

    @Test
    void refusesToUnsetWhatIsNoSetting() {
        topic("create", "unset", "--config", "retention.ms=60000");

        CommandRun near = topic("alter", "unset", "--delete-config", "retention.m", "--delete-config", "segment.ms");
        CommandRun far = topic("alter", "unset", "--delete-config", "bogus");

        assertThat(near.exitCode()).isEqualTo(64);
        assertThat(near.err())
                .contains("'retention.m'", "did you mean 'retention.ms'?")
                .hasLineCount(1);
        assertThat(far.exitCode()).isEqualTo(64);
        assertThat(far.err()).contains("'bogus'").doesNotContain("?").hasLineCount(1);
        assertThat(topic("alter", "unset", "--delete-config", "segment.ms").exitCode())
                .isZero();
    }

    @Test
    void endsAlikeForEveryWrongValue() {
        topic("create", "valued");

        CommandRun key = topic("alter", "valued", "--config", "retention.m=1");
        CommandRun value = topic("alter", "valued", "--config", "retention.ms=soon");
        CommandRun created = topic("create", "unmade", "--config", "retention.ms=soon");

        assertThat(List.of(key.exitCode(), value.exitCode(), created.exitCode()))
                .containsOnly(64);
        assertThat(key.err())
                .contains("Unknown configuration key 'retention.m'; did you mean 'retention.ms'?")
                .hasLineCount(1);
        assertThat(value.err()).contains("soon", "retention.ms").hasLineCount(1);
        assertThat(topic("describe", "unmade").exitCode()).isEqualTo(1);
    }

    @Test
    void endsAQuestionWithoutAFullStop() {
        CommandRun refused = topic("create", "asked", "--config", "retention.m=1");

        assertThat(refused.err()).contains("did you mean 'retention.ms'?").doesNotContain("?.");
    }
}
