package io.sluice.testkit.differential;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SystemClock;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.broker.SluiceNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The cases are full of clients' mistakes: unknown members, groups that nobody comes back to, bytes that are no
 * subscription. None of them is an operator's business.
 */
class QuietLogTest {
    private static final String GROUP_APIS =
            ".*(GROUP|HEARTBEAT|OFFSET_COMMIT|OFFSET_FETCH|OFFSET_DELETE|COORDINATOR).*";
    private static final Duration STOP = Duration.ofSeconds(20);

    @TempDir
    private Path directory;

    @Test
    void clientsMistakesAndAStopFillNoLog() throws Exception {
        try (BrokerUnderTest node =
                SluiceNode.start(directory, directory.resolve("data"), DifferentialTest.WITHOUT_DELAY)) {
            Side side = Side.of(node, SystemClock.INSTANCE.epochMillis());
            for (Case each : AllCases.list()) {
                if (each.api().name().matches(GROUP_APIS)
                        && each.version() == each.api().latestVersion(false)) {
                    Runner.transcript(side, each, 0);
                }
            }
            try (Admin admin = Admin.create(Map.of("bootstrap.servers", node.bootstrapServers()))) {
                admin.deleteTopics(admin.listTopics().names().get()).all().get();
            }

            assertThat(node.stop()).isLessThan(STOP);

            List<String> loud = Files.readAllLines(node.outputFile()).stream()
                    .filter(line -> !line.matches("^\\d{4}-\\S+ (INFO|DEBUG) .*|^Sluice .*"))
                    .toList();
            assertThat(loud).isEmpty();
        }
    }
}
