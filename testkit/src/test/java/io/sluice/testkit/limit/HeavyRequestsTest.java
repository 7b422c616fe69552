package io.sluice.testkit.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SystemClock;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.broker.SluiceNode;
import io.sluice.testkit.client.TopicSetup;
import io.sluice.testkit.command.AdminPage;
import io.sluice.testkit.fuzz.Bystander;
import io.sluice.testkit.fuzz.ProcessUsage;
import io.sluice.testkit.process.Await;
import io.sluice.testkit.process.Settings;
import io.sluice.testkit.wire.RawConnection;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.MetadataRequestData;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Requests of the longest lists that a node with a small heap takes, several at once: it does not run out of memory, and
 * others are served.
 */
@Tag("limits")
class HeavyRequestsTest {
    private static final int HEAP_MEBIBYTES = 96;
    /** Half of an eighth. */
    private static final long MAX_HEAP_OF_ONE = ((long) HEAP_MEBIBYTES << 20) / 16;

    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final long MAX_ROUND_MILLIS = 25_000;

    @Test
    void aSmallHeapIsEnoughForManyOfThemAtOnce() throws Exception {
        int clients = Settings.amount("sluice.testkit.limits.heavy", 4, 24);
        List<HeavyRequest> requests = HeavyRequest.all(MAX_HEAP_OF_ONE);
        List<String> heap = List.of("env", "SLUICE_JAVA_OPTS=-Xmx" + HEAP_MEBIBYTES + "m");
        try (BrokerUnderTest broker = SluiceNode.startUnder(heap, Map.of("sluice.max.partitions", "2000"))) {
            TopicSetup.create(broker.bootstrapServers(), "bystander", 1);
            try (Bystander bystander = new Bystander(broker.address(), "bystander")) {
                for (HeavyRequest each : requests) {
                    sendAtOnce(broker, each, clients);
                    assertThat(broker.alive())
                            .as("runs after %s: %s", each.name(), broker.lastOutput())
                            .isTrue();
                }
                requireTooLargeIsClosed(broker);
                System.out.println("limits: " + ProcessUsage.of(broker.pid()) + ", the bystander's slowest of "
                        + bystander.rounds() + " rounds took " + bystander.slowestMillis() + " ms");
                assertThat(bystander.failure()).isNull();
                assertThat(bystander.slowestMillis()).isLessThan(MAX_ROUND_MILLIS);
            }
            Await.until(
                    "the heap of the requests to be given back",
                    TIMEOUT,
                    () -> AdminPage.get(broker.adminAddress(), "/metrics").series("sluice_net_request_heap_bytes"),
                    bytes -> bytes == 0);
            assertThat(Files.readString(broker.outputFile())).doesNotContain("OutOfMemory", " ERROR ");
        }
    }

    private static void sendAtOnce(BrokerUnderTest broker, HeavyRequest request, int clients) throws Exception {
        long startNanos = SystemClock.INSTANCE.nanoTime();
        List<RawConnection> connections = new ArrayList<>();
        int answered = 0;
        long bytes = 0;
        try {
            for (int i = 0; i < clients; i++) {
                RawConnection connection = RawConnection.open(broker.address(), TIMEOUT);
                connections.add(connection);
                connection.sendFrame(request.frame());
            }
            for (RawConnection connection : connections) {
                byte[] answer = connection.receiveFrame().orElse(new byte[0]);
                answered += answer.length > 0 ? 1 : 0;
                bytes = answer.length;
            }
        } finally {
            for (RawConnection connection : connections) {
                connection.close();
            }
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(SystemClock.INSTANCE.nanoTime() - startNanos);
        System.out.println("limits: " + clients + " times " + request.name() + " of " + request.frame().length
                + " bytes, counted as " + request.heapBytes() + ": " + answered + " answered in " + millis
                + " ms with " + bytes + " bytes, " + ProcessUsage.of(broker.pid()));
        assertThat(answered).as("answers to " + request.name()).isEqualTo(request.isRefused() ? 0 : clients);
    }

    /** Five hundred thousand names are more than this heap takes. */
    private static void requireTooLargeIsClosed(BrokerUnderTest broker) throws Exception {
        MetadataRequestData request = new MetadataRequestData().setAllowAutoTopicCreation(false);
        for (int i = 0; i < 500_000; i++) {
            request.topics().add(new MetadataRequestData.MetadataRequestTopic().setName("t"));
        }
        try (RawConnection connection = RawConnection.open(broker.address(), TIMEOUT)) {
            connection.sendFrame(RawConnection.encode(9, "heavy", 1, request));
            assertThat(connection.receiveFrame())
                    .as("answer to what is too large")
                    .isEmpty();
        }
    }
}
