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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an operator reads off {@code /metrics} of a node that works: the figures are there, and they move. */
class MetricsPageTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final String LAG = "sluice_group_lag_records{group=\"readers\",partition=\"0\",topic=\"measured\"}";

    @TempDir
    private Path directory;

    private static AdminPage scrape(BrokerUnderTest node) throws IOException {
        return AdminPage.get(node.adminAddress(), "/metrics");
    }

    private static void produce(BrokerUnderTest node, String lines) {
        CommandRun sent =
                CommandRun.withInput(lines, Arguments.of(node, List.of("produce", "measured"), "--partition", "0"));
        assertThat(sent.exitCode()).as(sent.err()).isZero();
    }

    private static void consume(BrokerUnderTest node, int count) {
        CommandRun read = CommandRun.of(Arguments.of(
                node, List.of("consume", "measured"), "--group", "readers", "--count", Integer.toString(count)));
        assertThat(read.exitCode()).as(read.err()).isZero();
    }

    @Test
    void showsTrafficLatencyFlushesMemoryDescriptorsAndLagAndMoves() throws Exception {
        try (BrokerUnderTest node = SluiceNode.start(
                directory, directory.resolve("data"), Map.of("group.initial.rebalance.delay.ms", "0"))) {
            CommandRun created = CommandRun.of(Arguments.of(node, List.of("topic", "create", "measured")));
            assertThat(created.exitCode()).as(created.err()).isZero();
            produce(node, "a\nb\nc\nd\ne\n");
            consume(node, 3);
            AdminPage before =
                    Await.until("the lag to show", TIMEOUT, () -> scrape(node), page -> page.series(LAG) == 2);

            assertTraffic(before, 5);
            assertProcess(before);

            produce(node, "f\ng\n");
            AdminPage after = scrape(node);

            assertTraffic(after, 7);
            assertThat(after.series(LAG)).isEqualTo(4);
            for (String growing : List.of(
                    "sluice_publish_seconds_count",
                    "sluice_topic_publish_seconds_count{topic=\"measured\"}",
                    "sluice_journal_group_bytes_count",
                    "sluice_journal_group_wait_seconds_count",
                    "sluice_journal_flush_seconds_count",
                    "sluice_journal_flush_seconds_sum")) {
                assertThat(after.series(growing)).as(growing).isGreaterThan(before.series(growing));
            }
        }
    }

    private static void assertTraffic(AdminPage page, double produced) {
        assertThat(page.series("sluice_topic_in_records_total{topic=\"measured\"}"))
                .isEqualTo(produced);
        assertThat(page.series("sluice_topic_in_bytes_total{topic=\"measured\"}"))
                .isGreaterThan(61);
        assertThat(page.series("sluice_topic_out_records_total{topic=\"measured\"}"))
                .isEqualTo(5);
        assertThat(page.series("sluice_topic_out_bytes_total{topic=\"measured\"}"))
                .isGreaterThan(61);
    }

    private static void assertProcess(AdminPage page) {
        double descriptors = page.series("sluice_process_open_descriptors");
        assertThat(descriptors).isGreaterThan(10);
        assertThat(page.series("sluice_process_max_descriptors")).isGreaterThan(descriptors);
        double direct = page.series("sluice_memory_direct_used_bytes");
        assertThat(direct).isPositive();
        assertThat(page.series("sluice_memory_direct_limit_bytes")).isGreaterThan(direct);
    }
}
