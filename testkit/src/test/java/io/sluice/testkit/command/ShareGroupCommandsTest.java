package io.sluice.testkit.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.broker.BrokerKind;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.process.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** {@code sluice group …} with a share group. */
class ShareGroupCommandsTest {
    private static final String GROUP = "sharers";
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private @Nullable BrokerUnderTest broker;

    private BrokerUnderTest broker() {
        return Objects.requireNonNull(broker);
    }

    private CommandRun run(String... command) {
        return CommandRun.of(Arguments.of(broker(), List.of(command)));
    }

    @Test
    void describesResetsAndDeletesIt() throws Exception {
        try (BrokerUnderTest started = BrokerKind.candidate().start(Map.of())) {
            broker = started;
            assertThat(run("topic", "create", "work").exitCode()).isZero();
            CommandRun.withInput("0\n1\n2\n3\n4\n", Arguments.of(broker(), List.of("produce", "work")));
            beginEarliest();
            try (KafkaShareConsumer<String, String> member = member()) {
                member.subscribe(List.of("work"));
                Await.until(
                        "five records",
                        TIMEOUT,
                        () -> member.poll(Duration.ofMillis(200)).count(),
                        n -> n == 5);
                member.commitSync(TIMEOUT);

                assertThat(run("group", "list").lines()).contains("sharers\tShare\tshare\tStable");
                assertThat(run("group", "describe", GROUP).lines())
                        .contains(
                                "Group sharers: Share, Stable, 1 member, lag 0", "sharers\twork\t0\t5\t5\t0\t-\t-\t-");
                assertThat(run("group", "describe", GROUP, "-o", "json").out()).contains("\"partitions\":[\"work-0\"]");
                assertThat(run("group", "reset-offsets", GROUP, "--to-earliest").exitCode())
                        .isEqualTo(1);
            }

            assertThat(run("group", "reset-offsets", GROUP, "--to-offset", "2").lines())
                    .containsExactly("sharers\twork\t0\t5\t2");
            assertThat(run("group", "describe", GROUP).lines())
                    .contains("Group sharers: Share, Empty, 0 members, lag 3", "sharers\twork\t0\t2\t5\t3\t-\t-\t-");
            assertThat(run("group", "delete", GROUP).out()).isEqualTo("Deleted group sharers.\n");
            assertThat(run("group", "describe", GROUP).exitCode()).isEqualTo(1);
        }
    }

    private KafkaShareConsumer<String, String> member() {
        return new KafkaShareConsumer<>(
                Map.of("bootstrap.servers", broker().bootstrapServers(), "group.id", GROUP),
                new StringDeserializer(),
                new StringDeserializer());
    }

    private void beginEarliest() throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker().bootstrapServers()))) {
            admin.incrementalAlterConfigs(Map.of(
                            new ConfigResource(ConfigResource.Type.GROUP, GROUP),
                            List.of(new AlterConfigOp(
                                    new ConfigEntry("share.auto.offset.reset", "earliest"), AlterConfigOp.OpType.SET))))
                    .all()
                    .get(60, TimeUnit.SECONDS);
        }
    }
}
