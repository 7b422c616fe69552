package io.sluice.testkit.client;

import io.sluice.testkit.broker.BrokerKind;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.process.Requirement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Clients of several languages and ages, unchanged, against the candidate. One that is not on the machine is reported as
 * skipped by name; with CI=true that is a failure.
 */
@Tag("clients")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ForeignClientTest {
    private BrokerUnderTest broker;

    @BeforeAll
    void startBroker() throws Exception {
        broker = BrokerKind.candidate().start(Map.of("group.initial.rebalance.delay.ms", "0"));
    }

    @AfterAll
    void stopBroker() throws Exception {
        broker.close();
    }

    static List<ForeignClient> clients() {
        return List.of(
                new JavaClient("kafka-clients 0.11", "kafka-clients-0.11", "none,gzip,snappy,lz4", "classic"),
                new JavaClient("kafka-clients 2.8", "kafka-clients-2.8", "none,gzip,snappy,lz4,zstd", "classic"),
                new JavaClient(
                        "kafka-clients 3.9", "kafka-clients-3.9", "none,gzip,snappy,lz4,zstd", "classic,consumer"),
                new JavaClient(
                        "kafka-clients 4.4", "kafka-clients-4.4", "none,gzip,snappy,lz4,zstd", "classic,consumer"),
                new Kcat(),
                ScriptClient.kafkaPython(),
                ScriptClient.kafkajs());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("clients")
    void producesConsumesAndSharesPartitions(ForeignClient client) throws Exception {
        Requirement.require(client.name(), client.missing());
        client.exercise(broker.bootstrapServers(), client.name().replaceAll("[^A-Za-z0-9.]", "-"));
        System.out.println("foreign client: " + client.name() + " works");
    }
}
