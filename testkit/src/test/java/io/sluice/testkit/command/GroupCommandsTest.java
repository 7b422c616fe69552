package io.sluice.testkit.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.broker.BrokerKind;
import io.sluice.testkit.broker.BrokerUnderTest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** {@code sluice group …} against a node. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GroupCommandsTest {
    private BrokerUnderTest broker;

    @BeforeAll
    void startBroker() throws Exception {
        broker = BrokerKind.candidate().start(Map.of("group.initial.rebalance.delay.ms", "0"));
    }

    @AfterAll
    void stopBroker() throws Exception {
        broker.close();
    }

    private CommandRun run(String... command) {
        return CommandRun.of(Arguments.of(broker, List.of(command)));
    }

    /** A topic of two partitions with five records in the first, and a group that has read three of them. */
    private void prepare(String name) {
        assertThat(run("topic", "create", name, "--partitions", "2").exitCode()).isZero();
        CommandRun.withInput("0\n1\n2\n3\n4\n", Arguments.of(broker, List.of("produce", name), "--partition", "0"));
        assertThat(run("consume", name, "--group", name, "--count", "3").lines())
                .hasSize(3);
    }

    @Test
    void listsGroups() throws Exception {
        prepare("listed");

        assertThat(run("group", "list").lines()).contains("listed\tClassic\tconsumer\tEmpty");
        assertThat(run("group", "list", "-o", "json").array())
                .anySatisfy(group ->
                        assertThat(group).containsEntry("group", "listed").containsEntry("state", "Empty"));
    }

    @Test
    void describesLag() throws Exception {
        prepare("lagging");

        CommandRun described = run("group", "describe", "lagging");

        assertThat(described.exitCode()).isZero();
        assertThat(described.lines().get(0)).isEqualTo("Group lagging: Classic, Empty, 0 members, lag 2");
        assertThat(described.lines()).contains("lagging\tlagging\t0\t3\t5\t2\t-\t-\t-");
        assertThat(run("group", "describe", "lagging", "-o", "json").object()).containsEntry("lag", 2);
    }

    @Test
    @SuppressWarnings("unchecked") // parsed JSON is maps and lists
    void describesMembersOfBothProtocols() throws Exception {
        prepare("members");
        for (String protocol : List.of("classic", "consumer")) {
            String group = "members-" + protocol;
            try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(Map.of(
                    ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                    broker.bootstrapServers(),
                    ConsumerConfig.GROUP_ID_CONFIG,
                    group,
                    ConsumerConfig.GROUP_PROTOCOL_CONFIG,
                    protocol,
                    ConsumerConfig.CLIENT_ID_CONFIG,
                    "reader",
                    ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                    "earliest",
                    ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
                    StringDeserializer.class,
                    ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
                    StringDeserializer.class))) {
                consumer.subscribe(List.of("members"));
                int read = 0;
                while (read < 5) {
                    read += consumer.poll(Duration.ofSeconds(1)).count();
                }

                Map<String, Object> described =
                        run("group", "describe", group, "-o", "json").object();

                assertThat(described).containsEntry("state", "Stable");
                CommandRun reset = run("group", "reset-offsets", group, "--topic", "members", "--to-earliest");
                assertThat(reset.exitCode()).isEqualTo(1);
                assertThat(reset.err())
                        .contains("Group '" + group + "' has members")
                        .hasLineCount(1);
                assertThat((List<Map<String, Object>>) described.get("members"))
                        .singleElement()
                        .satisfies(member -> assertThat(member)
                                .containsEntry("clientId", "reader")
                                .containsEntry("host", "127.0.0.1")
                                .containsEntry("partitions", List.of("members-0", "members-1")));
            }
        }
    }

    @Test
    void resetsToEarliestLatestOffsetAndByShift() {
        prepare("reset");

        assertThat(run("group", "reset-offsets", "reset", "--topic", "reset:0", "--to-earliest")
                        .lines())
                .containsExactly("reset\treset\t0\t3\t0");
        assertThat(run("group", "reset-offsets", "reset", "--topic", "reset:0", "--to-latest")
                        .lines())
                .containsExactly("reset\treset\t0\t0\t5");
        assertThat(run("group", "reset-offsets", "reset", "--topic", "reset:0", "--to-offset", "4")
                        .lines())
                .containsExactly("reset\treset\t0\t5\t4");
        assertThat(run("group", "reset-offsets", "reset", "--topic", "reset:0", "--shift", "-3")
                        .lines())
                .containsExactly("reset\treset\t0\t4\t1");
        assertThat(run("group", "reset-offsets", "reset", "--topic", "reset:0", "--to-offset", "99")
                        .lines())
                .containsExactly("reset\treset\t0\t1\t5");
        assertThat(run("group", "describe", "reset").lines()).contains("reset\treset\t0\t5\t5\t0\t-\t-\t-");
    }

    @Test
    void refusesATopicOrPartitionThatIsNotThereAtOnce() {
        prepare("exact");

        CommandRun topic = run("group", "reset-offsets", "exact", "--topic", "absent:0", "--to-latest");
        CommandRun partition = run("group", "reset-offsets", "exact", "--topic", "exact:7", "--to-latest");

        assertThat(topic.exitCode()).as(topic.err()).isEqualTo(1);
        assertThat(topic.err()).contains("There is no topic 'absent'").hasLineCount(1);
        assertThat(partition.exitCode()).as(partition.err()).isEqualTo(64);
        assertThat(partition.err()).contains("no partition 7", "0 to 1").hasLineCount(1);
    }

    @Test
    void resetsToATime() {
        prepare("reset-time");

        assertThat(run(
                                "group",
                                "reset-offsets",
                                "reset-time",
                                "--topic",
                                "reset-time:0",
                                "--to-time",
                                "2020-01-01T00:00:00Z")
                        .lines())
                .containsExactly("reset-time\treset-time\t0\t3\t0");
        assertThat(run(
                                "group",
                                "reset-offsets",
                                "reset-time",
                                "--topic",
                                "reset-time:0",
                                "--to-time",
                                "2099-01-01T00:00:00Z")
                        .lines())
                .containsExactly("reset-time\treset-time\t0\t0\t5");
    }

    @Test
    void onlyShowsInADryRun() throws Exception {
        prepare("dry");

        Map<String, Object> shown = run("group", "reset-offsets", "dry", "--to-earliest", "--dry-run", "-o", "json")
                .object();

        assertThat(shown).containsEntry("dryRun", true);
        assertThat(run("group", "describe", "dry").lines()).contains("dry\tdry\t0\t3\t5\t2\t-\t-\t-");
    }

    @Test
    void wantsExactlyOneTarget() {
        assertThat(run("group", "reset-offsets", "any").exitCode()).isEqualTo(64);
        assertThat(run("group", "reset-offsets", "any", "--to-latest", "--to-earliest")
                        .exitCode())
                .isEqualTo(64);
        assertThat(run("group", "reset-offsets", "any", "--to-time", "noon").exitCode())
                .isEqualTo(64);
    }

    @Test
    void deletesGroups() throws Exception {
        prepare("doomed");
        prepare("doomed-json");

        assertThat(run("group", "delete", "doomed").out()).isEqualTo("Deleted group doomed.\n");
        assertThat(run("group", "delete", "doomed-json", "-o", "json").object())
                .containsEntry("deleted", List.of("doomed-json"));
        assertThat(run("group", "list").out()).doesNotContain("doomed");
    }

    @Test
    void saysThatThereIsNoSuchGroup() {
        CommandRun described = run("group", "describe", "nobody");
        CommandRun deleted = run("group", "delete", "nobody");

        assertThat(described.exitCode()).isEqualTo(1);
        assertThat(described.err()).contains("nobody").hasLineCount(1);
        assertThat(deleted.exitCode()).isEqualTo(1);
        assertThat(deleted.err()).contains("'nobody'").hasLineCount(1);
    }

    @Test
    void saysThatThereIsNoSuchOffset() throws Exception {
        prepare("beyond");

        CommandRun text = run("group", "reset-offsets", "beyond", "--topic", "beyond:0", "--to-offset", "99");
        CommandRun json = run("group", "reset-offsets", "beyond", "--topic", "beyond:0", "--shift", "-7", "-o", "json");

        assertThat(text.exitCode()).isZero();
        assertThat(text.lines()).containsExactly("beyond\tbeyond\t0\t3\t5");
        assertThat(text.err())
                .isEqualTo("sluice: warning: partition beyond-0 has no offset 99: took 5, the nearest there is.\n");
        assertThat(json.out()).contains("\"after\":0", "\"warning\":\"partition beyond-0 has no offset -2: took 0");
        assertThat(run("group", "reset-offsets", "beyond", "--to-latest").err()).isEmpty();
        assertThat(run("group", "reset-offsets", "beyond", "--to-offset", "-1").exitCode())
                .isEqualTo(64);
    }
}
