package io.sluice.testkit.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.broker.BrokerKind;
import io.sluice.testkit.broker.BrokerUnderTest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** {@code sluice client list} against a node. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClientListCommandTest {
    private BrokerUnderTest broker;

    @BeforeAll
    void startBroker() throws Exception {
        broker = BrokerKind.SLUICE.start(Map.of());
    }

    @AfterAll
    void stopBroker() throws Exception {
        broker.close();
    }

    private KafkaConsumer<String, String> reader(String clientId, String topic) {
        KafkaConsumer<String, String> consumer = new KafkaConsumer<>(Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                broker.bootstrapServers(),
                ConsumerConfig.CLIENT_ID_CONFIG,
                clientId,
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "earliest",
                ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
                StringDeserializer.class,
                ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
                StringDeserializer.class));
        consumer.assign(List.of(new TopicPartition(topic, 0)));
        return consumer;
    }

    private void prepare(String topic) {
        assertThat(CommandRun.of(Arguments.of(broker, List.of("topic", "create", topic)))
                        .exitCode())
                .isZero();
        assertThat(CommandRun.withInput("a\n", Arguments.of(broker, List.of("produce", topic)))
                        .exitCode())
                .isZero();
    }

    @Test
    void listsWhoIsConnectedAndToWhat() {
        prepare("watched");
        try (KafkaConsumer<String, String> consumer = reader("watcher", "watched")) {
            assertThat(consumer.poll(Duration.ofSeconds(20)).count()).isEqualTo(1);

            CommandRun listed = CommandRun.of(Arguments.of(broker, List.of("client", "list")));

            assertThat(listed.exitCode()).as(listed.err()).isZero();
            assertThat(listed.lines())
                    .anyMatch(line ->
                            line.matches("watcher\tapache-kafka-java\t4\\.\\S+\t127\\.0\\.0\\.1:\\d+\tPLAINTEXT\t"
                                    + "\\d{4}-\\d\\d-\\d\\dT\\S+Z\twatched"));
        }
    }

    @Test
    void listsAsJson() throws Exception {
        prepare("watched-json");
        try (KafkaConsumer<String, String> consumer = reader("json-watcher", "watched-json")) {
            assertThat(consumer.poll(Duration.ofSeconds(20)).count()).isEqualTo(1);

            List<Map<String, Object>> listed = CommandRun.of(
                            Arguments.of(broker, List.of("client", "list"), "-o", "json"))
                    .array();

            assertThat(listed)
                    .anySatisfy(client -> assertThat(client)
                            .containsEntry("clientId", "json-watcher")
                            .containsEntry("softwareName", "apache-kafka-java")
                            .containsEntry("topics", List.of("watched-json")));
        }
    }

    @Test
    void asksTheAdminPortGiven() {
        String admin = "127.0.0.1:" + broker.adminAddress().getPort();

        assertThat(CommandRun.of("client", "list", "--admin", admin).exitCode()).isZero();
    }

    @Test
    void saysThatNoAdminPortAnswers() throws Exception {
        int closed = io.sluice.testkit.process.Ports.free(1).get(0);

        CommandRun listed = CommandRun.of("client", "list", "--admin", "127.0.0.1:" + closed);

        assertThat(listed.exitCode()).isEqualTo(69);
        assertThat(listed.err()).contains("127.0.0.1:" + closed, "--admin").hasLineCount(1);
    }
}
