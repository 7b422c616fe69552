package io.sluice.testkit.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.broker.SluiceNode;
import io.sluice.testkit.process.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real clients push their metrics to a real node as an operator asks, and an operator reads them on {@code /metrics}. */
class ClientTelemetryTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    /** A client that closes without a last push counts as gone after a minute. */
    private static final Duration SILENCE_AND_SOME = Duration.ofSeconds(150);

    private static final String TOPIC = "measured";

    @TempDir
    private Path directory;

    @Test
    void whatAProducerAndAConsumerMeasureIsShownUntilTheyClose() throws Exception {
        try (BrokerUnderTest node = SluiceNode.start(
                        directory, directory.resolve("data"), Map.of("group.initial.rebalance.delay.ms", "0"));
                Admin admin = Admin.create(config(node, "operator", false))) {
            admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all().get(30, TimeUnit.SECONDS);
            subscribe(admin, "metrics", "org.apache.kafka.producer.,org.apache.kafka.consumer.");
            subscribe(admin, "interval.ms", "300");
            subscribe(admin, "match", "client_software_name=apache-kafka-java,client_id=pushing-.*");
            KafkaProducer<String, String> producer = new KafkaProducer<>(
                    config(node, "pushing-producer", true), new StringSerializer(), new StringSerializer());
            KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                    config(node, "pushing-consumer", true), new StringDeserializer(), new StringDeserializer());
            Uuid producerId;
            Uuid consumerId;
            try (producer;
                    consumer) {
                consumer.subscribe(List.of(TOPIC));
                producer.send(new ProducerRecord<>(TOPIC, "k", "v")).get(30, TimeUnit.SECONDS);
                producerId = producer.clientInstanceId(TIMEOUT);
                String sent = series("producer_record_send_total", "pushing-producer", producerId);
                AdminPage first = await(node, consumer, sent, 1);
                assertThat(first.body()).contains("# TYPE sluice_client_producer_record_send_total counter");
                assertThat(first.body()).contains("# TYPE sluice_client_producer_record_queue_time_avg gauge");

                producer.send(new ProducerRecord<>(TOPIC, "k", "w")).get(30, TimeUnit.SECONDS);
                await(node, consumer, sent, 2);
                Await.until(
                        "the consumer to push",
                        TIMEOUT,
                        () -> pollAndLook(node, consumer),
                        page -> page.body()
                                .contains("sluice_client_consumer_poll_idle_ratio_avg{client_id=\"pushing-consumer\""));
                consumerId = consumer.clientInstanceId(TIMEOUT);
                AdminPage both = AdminPage.get(node.adminAddress(), "/metrics");
                assertThat(both.series("sluice_telemetry_clients")).isEqualTo(2);
                assertThat(both.series("sluice_telemetry_series")).isGreaterThan(20);
                assertThat(both.series("sluice_telemetry_pushes_total")).isGreaterThan(2);
            }
            Await.until(
                    "the series to be gone",
                    SILENCE_AND_SOME,
                    () -> AdminPage.get(node.adminAddress(), "/metrics"),
                    page -> !page.body().contains(producerId.toString())
                            && !page.body().contains(consumerId.toString()));
        }
    }

    @Test
    void aClientThatNobodyAskedForAnythingPushesNothing() throws Exception {
        try (BrokerUnderTest node = SluiceNode.start(directory, directory.resolve("data"), Map.of());
                KafkaProducer<String, String> producer = new KafkaProducer<>(
                        config(node, "unasked", true), new StringSerializer(), new StringSerializer())) {
            Uuid id = producer.clientInstanceId(TIMEOUT);
            assertThat(id).isNotEqualTo(Uuid.ZERO_UUID);
            AdminPage page = AdminPage.get(node.adminAddress(), "/metrics");
            assertThat(page.series("sluice_telemetry_instances")).isEqualTo(1);
            assertThat(page.series("sluice_telemetry_clients")).isZero();
            assertThat(page.body()).doesNotContain("sluice_client_");
        }
    }

    /** The consumer works while it polls only. */
    private static AdminPage pollAndLook(BrokerUnderTest node, KafkaConsumer<String, String> consumer)
            throws IOException {
        ConsumerRecords<String, String> unused = consumer.poll(Duration.ofMillis(20));
        return AdminPage.get(node.adminAddress(), "/metrics");
    }

    private static AdminPage await(
            BrokerUnderTest node, KafkaConsumer<String, String> consumer, String series, double least)
            throws Exception {
        return Await.until(
                series + " to be shown",
                TIMEOUT,
                () -> pollAndLook(node, consumer),
                page -> page.series(series) >= least);
    }

    private static String series(String name, String clientId, Uuid id) {
        return "sluice_client_" + name + "{client_id=\"" + clientId + "\",client_instance_id=\"" + id + "\"}";
    }

    private static void subscribe(Admin admin, String key, String value) throws Exception {
        ConfigResource subscription = new ConfigResource(ConfigResource.Type.CLIENT_METRICS, "all");
        AlterConfigOp set = new AlterConfigOp(new ConfigEntry(key, value), AlterConfigOp.OpType.SET);
        admin.incrementalAlterConfigs(Map.of(subscription, List.of(set))).all().get(30, TimeUnit.SECONDS);
    }

    private static Map<String, Object> config(BrokerUnderTest node, String clientId, boolean pushes) {
        return Map.of(
                "bootstrap.servers",
                "127.0.0.1:" + node.address().getPort(),
                "client.id",
                clientId,
                "group.id",
                "readers",
                "auto.offset.reset",
                "earliest",
                "enable.metrics.push",
                pushes);
    }
}
