package io.sluice.testkit.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.broker.BrokerKind;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.client.TopicSetup;
import io.sluice.testkit.command.AdminPage;
import io.sluice.testkit.fuzz.Bystander;
import io.sluice.testkit.fuzz.ProcessUsage;
import io.sluice.testkit.process.Await;
import io.sluice.testkit.process.NamedThreads;
import io.sluice.testkit.process.Settings;
import io.sluice.testkit.wire.RawConnection;
import io.sluice.testkit.wire.SimpleRequests;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clients that ask for data and stop reading: the node's memory stays bounded, others are served, the clients are closed. */
@Tag("limits")
class StalledReaderTest {
    private static final int FETCHES = 64;
    private static final int RECORD_BYTES = 512 << 10;
    private static final int MAX_GROWTH_OF_ONE_MEBIBYTES = 128;
    private static final int MAX_GROWTH_OF_ALL_MEBIBYTES = 400;

    private static final int LONG_STALL_SECONDS = 60;
    /** Segments and the like that the node may have opened meanwhile. */
    private static final int OTHER_DESCRIPTORS = 5;

    private final int stallSeconds = Settings.amount("sluice.testkit.limits.stall", 8, 300);

    @Test
    void closesAClientThatStopsReading() throws Exception {
        stall(1, MAX_GROWTH_OF_ONE_MEBIBYTES);
    }

    @Test
    void staysWithinTheBudgetWithManyWhoStopReading() throws Exception {
        stall(Settings.amount("sluice.testkit.limits.readers", 60, 200), MAX_GROWTH_OF_ALL_MEBIBYTES);
    }

    private void stall(int clients, int maxGrowthMebibytes) throws Exception {
        try (BrokerUnderTest broker = BrokerKind.candidate().start(timeouts())) {
            TopicSetup.create(broker.bootstrapServers(), "large", 1);
            TopicSetup.create(broker.bootstrapServers(), "bystander", 1);
            try (Fill fill = new Fill(broker, "large", RECORD_BYTES)) {
                fill.send(200);
                fill.read();
            }
            try (Bystander bystander = new Bystander(broker.address(), "bystander")) {
                ProcessUsage before = ProcessUsage.of(broker.pid());
                List<RawConnection> stalled = open(broker, clients);
                ProcessUsage most = watch(broker, stallSeconds);
                System.out.println("limits: " + clients + " stalled readers: " + before + " became " + most
                        + ", the bystander's slowest round took " + bystander.slowestMillis() + " ms");
                assertThat(most.residentMebibytes()).isLessThan(before.residentMebibytes() + maxGrowthMebibytes);
                Await.until(
                        "a line in the log", Duration.ofSeconds(90), () -> linesAboutIt(broker), count -> count > 0);
                awaitClosedByNode(broker, clients);
                end(stalled);
                awaitDescriptors(broker, before, clients);
                assertThat(bystander.failure()).isNull();
            }
        }
    }

    /** Of one client that cannot be seen: the node's own come and go. */
    private static void awaitDescriptors(BrokerUnderTest broker, ProcessUsage before, int clients) throws Exception {
        if (clients > OTHER_DESCRIPTORS) {
            Await.until(
                    "the descriptors to be given back",
                    Duration.ofSeconds(90),
                    () -> ProcessUsage.of(broker.pid()).descriptors(),
                    count -> count <= before.descriptors() + OTHER_DESCRIPTORS);
        }
    }

    /** The log may count what repeats instead of saying it again. */
    private static long linesAboutIt(BrokerUnderTest broker) throws IOException {
        try (Stream<String> lines = Files.lines(broker.outputFile())) {
            return lines.filter(line -> line.contains("does not read its answers"))
                    .count();
        }
    }

    /** All of them for this reason and no other, while they still read nothing. */
    private static void awaitClosedByNode(BrokerUnderTest broker, int clients) throws Exception {
        if (broker.kind() == BrokerKind.SLUICE) {
            Await.until(
                    "connections closed for not reading",
                    Duration.ofSeconds(90),
                    () -> AdminPage.get(broker.adminAddress(), "/metrics")
                            .series("sluice_net_connections_closed_total{reason=\"not_reading\"}"),
                    closed -> closed == clients);
        }
    }

    /** What is on its way takes a minute to come through so small a window: that it does is seen in long runs. */
    private void end(List<RawConnection> stalled) throws Exception {
        if (stallSeconds >= LONG_STALL_SECONDS) {
            drainAll(stalled);
        }
        for (RawConnection each : stalled) {
            each.close();
        }
    }

    /** All at once, since what is on its way comes in tiny parts to a client that had so small a window. */
    private static void drainAll(List<RawConnection> stalled) throws Exception {
        ExecutorService threads = NamedThreads.pool("drain", stalled.size());
        try {
            List<Future<?>> draining = new ArrayList<>();
            for (RawConnection each : stalled) {
                draining.add(threads.submit(() -> {
                    drainUntilClosed(each);
                    each.close();
                    return null;
                }));
            }
            for (Future<?> each : draining) {
                each.get(2, TimeUnit.MINUTES);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** What was on its way comes, then the end. */
    private static void drainUntilClosed(RawConnection connection) throws IOException {
        connection.socket().setSoTimeout(60_000);
        // What is on its way comes through a small window in tiny parts.
        connection.socket().setReceiveBufferSize(1 << 20);
        byte[] buffer = new byte[1 << 20];
        try {
            int read = 0;
            while (read >= 0) {
                read = connection.socket().getInputStream().read(buffer);
            }
        } catch (SocketException e) {
            // Reset: closed with answers that nobody took.
            return;
        }
    }

    private Map<String, String> timeouts() {
        Map<String, String> configs = new HashMap<>();
        if (BrokerKind.candidate() == BrokerKind.SLUICE && stallSeconds < LONG_STALL_SECONDS) {
            configs.put("sluice.connection.stall.timeout.ms", Integer.toString(stallSeconds * 1_000));
        }
        return configs;
    }

    /** Asks for much and reads nothing. */
    private static List<RawConnection> open(BrokerUnderTest broker, int clients) throws IOException {
        List<RawConnection> stalled = new ArrayList<>();
        for (int c = 0; c < clients; c++) {
            RawConnection connection = RawConnection.open(broker.address(), Duration.ofSeconds(30));
            connection.socket().setReceiveBufferSize(4 << 10);
            for (int i = 0; i < FETCHES; i++) {
                connection.send(SimpleRequests.FETCH_BY_NAME, SimpleRequests.fetch("large", 0, i, 500, 50 << 20));
            }
            stalled.add(connection);
        }
        return stalled;
    }

    /** The most memory seen. */
    private static ProcessUsage watch(BrokerUnderTest broker, int seconds) throws Exception {
        ProcessUsage most = ProcessUsage.of(broker.pid());
        for (int i = 0; i < 4 * seconds; i++) {
            Await.pause(250);
            ProcessUsage now = ProcessUsage.of(broker.pid());
            most = now.residentMebibytes() > most.residentMebibytes() ? now : most;
        }
        return most;
    }
}
