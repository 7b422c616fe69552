package io.sluice.testkit.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.broker.SluiceNode;
import io.sluice.testkit.client.TopicSetup;
import io.sluice.testkit.fuzz.Bystander;
import io.sluice.testkit.fuzz.ProcessUsage;
import io.sluice.testkit.process.Await;
import io.sluice.testkit.process.ChildProcess;
import io.sluice.testkit.process.Requirement;
import io.sluice.testkit.process.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Connections whose other end is gone without a word: after the idle time-out every descriptor is back. */
@Tag("limits")
class SilentConnectionsTest {
    private static final int IDLE_MILLIS = 10_000;
    private static final int MORE_DESCRIPTORS = 20;

    @Test
    void returnsTheDescriptorsOfConnectionsThatFellSilent() throws Exception {
        Requirement.require("silent connections", NetworkNamespace.unavailable());
        int count = Settings.amount("sluice.testkit.limits.silent", 500, 5_000);
        try (NetworkNamespace namespace = NetworkNamespace.create();
                BrokerUnderTest broker = SluiceNode.startOnHost(
                        namespace.outerAddress(), Map.of("connections.max.idle.ms", Integer.toString(IDLE_MILLIS)))) {
            TopicSetup.create(broker.bootstrapServers(), "bystander", 1);
            try (Bystander bystander = new Bystander(broker.address(), "bystander")) {
                Await.until("the bystander", Duration.ofSeconds(30), bystander::rounds, rounds -> rounds > 10);
                long before = ProcessUsage.of(broker.pid()).descriptors();
                try (ChildProcess clients = startClients(namespace, broker, count)) {
                    clients.awaitReady(Duration.ofMinutes(2));
                    long open = ProcessUsage.of(broker.pid()).descriptors();
                    assertThat(open).isGreaterThanOrEqualTo(before + count - MORE_DESCRIPTORS);
                    namespace.cut();
                    Await.until(
                            "the descriptors of " + count + " silent connections",
                            Duration.ofMillis(IDLE_MILLIS).plusSeconds(60),
                            () -> ProcessUsage.of(broker.pid()).descriptors(),
                            now -> now <= before + MORE_DESCRIPTORS);
                    System.out.println("limits: " + open + " descriptors became "
                            + ProcessUsage.of(broker.pid()).descriptors());
                }
                assertThat(bystander.failure()).isNull();
            }
        }
    }

    private static ChildProcess startClients(NetworkNamespace namespace, BrokerUnderTest broker, int count)
            throws Exception {
        String classPath = SilentClients.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath();
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-cp",
                classPath,
                SilentClients.class.getName(),
                broker.address().getAddress().getHostAddress(),
                Integer.toString(broker.address().getPort()),
                Integer.toString(count));
        return ChildProcess.start(
                "silent clients",
                namespace.inside(command),
                Map.of(),
                Pattern.compile("^open " + count),
                Settings.target().resolve("silent-clients.log"));
    }
}
