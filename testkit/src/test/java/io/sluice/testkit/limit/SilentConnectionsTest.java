package io.sluice.testkit.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.broker.SluiceNode;
import io.sluice.testkit.fuzz.ProcessUsage;
import io.sluice.testkit.process.Await;
import io.sluice.testkit.process.ChildProcess;
import io.sluice.testkit.process.Requirement;
import io.sluice.testkit.process.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
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
                BrokerUnderTest broker = SluiceNode.startUnder(
                        namespace.prefix(), Map.of("connections.max.idle.ms", Integer.toString(IDLE_MILLIS)))) {
            long before = ProcessUsage.of(broker.pid()).descriptors();
            long open = openAndCut(namespace, broker, count);
            assertThat(open).isGreaterThanOrEqualTo(before + count);
            ProcessUsage after = Await.until(
                    "the descriptors of " + count + " silent connections",
                    Duration.ofMillis(IDLE_MILLIS).plusSeconds(60),
                    () -> ProcessUsage.of(broker.pid()),
                    now -> now.descriptors() <= before + MORE_DESCRIPTORS);
            System.out.println("limits: " + open + " descriptors became " + after.descriptors());
            try (ChildProcess another = startClients(namespace, broker, "127.0.0.1", 1)) {
                another.awaitReady(Duration.ofSeconds(30));
            }
        }
    }

    /** The clients are stopped after the cut: nothing that they do is heard any more. */
    private static long openAndCut(NetworkNamespace namespace, BrokerUnderTest broker, int count) throws Exception {
        try (ChildProcess clients = startClients(namespace, broker, NetworkNamespace.CLIENT_ADDRESS, count)) {
            clients.awaitReady(Duration.ofMinutes(2));
            long open = ProcessUsage.of(broker.pid()).descriptors();
            namespace.cut();
            return open;
        }
    }

    private static ChildProcess startClients(NetworkNamespace namespace, BrokerUnderTest broker, String own, int count)
            throws Exception {
        String classPath = SilentClients.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath();
        List<String> command = new ArrayList<>(namespace.prefix());
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-cp",
                classPath,
                SilentClients.class.getName(),
                own,
                broker.address().getAddress().getHostAddress(),
                Integer.toString(broker.address().getPort()),
                Integer.toString(count)));
        return ChildProcess.start(
                "silent clients",
                command,
                Map.of(),
                Pattern.compile("^open " + count),
                Settings.target().resolve("silent-clients.log"));
    }
}
