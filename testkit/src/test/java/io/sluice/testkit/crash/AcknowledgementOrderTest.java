package io.sluice.testkit.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.broker.SluiceBuild;
import io.sluice.testkit.broker.SluiceNode;
import io.sluice.testkit.client.TopicSetup;
import io.sluice.testkit.process.Commands;
import io.sluice.testkit.process.NamedThreads;
import io.sluice.testkit.process.Requirement;
import io.sluice.testkit.process.Settings;
import io.sluice.testkit.wire.RawConnection;
import io.sluice.testkit.wire.SimpleRequests;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.common.message.ProduceResponseData;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The system calls of the real process: no acknowledgement leaves before the write that holds its record is flushed. */
@Tag("trace")
class AcknowledgementOrderTest {
    private static final int CONNECTIONS = 4;
    private static final String CALLS = "trace=openat,read,readv,recvfrom,recvmsg,write,writev,pwrite64,pwritev,"
            + "pwritev2,sendto,sendmsg,fsync,fdatasync";

    @Test
    void noAcknowledgementLeavesBeforeItsRecordIsFlushed() throws Exception {
        int records = Settings.amount("sluice.testkit.trace.records", 50, 1_000);
        SystemCallTrace calls = trace(SluiceBuild.SHIPPED, records);
        assertThat(calls.answered()).as("markers answered").hasSize(CONNECTIONS * records);
        assertThat(calls.tooEarly()).isEmpty();
    }

    @Test
    void noticesANodeThatAcknowledgesBeforeTheFlush() throws Exception {
        int records = Settings.amount("sluice.testkit.trace.planted", 10, 100);
        SystemCallTrace calls = trace(SluiceBuild.ACKNOWLEDGING_EARLY, records);
        assertThat(calls.answered()).as("markers answered").hasSize(CONNECTIONS * records);
        assertThat(calls.tooEarly()).hasSizeGreaterThan(CONNECTIONS * records / 2);
    }

    private static SystemCallTrace trace(SluiceBuild build, int records) throws Exception {
        Requirement.require(
                "system-call trace",
                Commands.exists("strace") ? Optional.empty() : Optional.of("install it with: apt-get install strace"));
        Path trace = Files.createDirectories(Settings.target().resolve("trace")).resolve("strace.out");
        List<String> strace = List.of(
                "strace", "-f", "--seccomp-bpf", "-qq", "-yy", "-s", "16384", "-e", CALLS, "-o", trace.toString());
        try (BrokerUnderTest broker = SluiceNode.startUnder(build, strace, Map.of())) {
            TopicSetup.create(broker.bootstrapServers(), "traced", 2);
            produce(broker, records);
            // strace passes no signal on; it ends when what it watches ends.
            ProcessHandle.of(broker.pid()).orElseThrow().descendants().forEach(ProcessHandle::destroy);
            broker.stop();
        }
        SystemCallTrace calls = new SystemCallTrace();
        try (Stream<String> lines = Files.lines(trace, java.nio.charset.StandardCharsets.ISO_8859_1)) {
            lines.forEach(calls::onLine);
        }
        Files.delete(trace);
        System.out.println("trace: " + build + ": " + calls.answered().size() + " acknowledgements, "
                + calls.tooEarly().size() + " too early");
        return calls;
    }

    private static void produce(BrokerUnderTest broker, int records) throws Exception {
        ExecutorService threads = NamedThreads.pool("traced", CONNECTIONS);
        List<CompletableFuture<Void>> running = new ArrayList<>();
        for (int c = 0; c < CONNECTIONS; c++) {
            int number = c;
            running.add(CompletableFuture.runAsync(() -> produce(broker, number, records), threads));
        }
        CompletableFuture.allOf(running.toArray(CompletableFuture[]::new)).get(5, TimeUnit.MINUTES);
        threads.shutdownNow();
    }

    /** One request in flight; acks is 1 and all in turn. */
    private static void produce(BrokerUnderTest broker, int number, int records) {
        try (RawConnection connection = RawConnection.open(broker.address(), Duration.ofSeconds(60))) {
            for (int i = 0; i < records; i++) {
                short acks = (short) (i % 2 == 0 ? 1 : -1);
                String value = "marker-" + number + "-" + i + ";";
                ProduceResponseData answer = connection.call(
                        ProduceResponseData.class,
                        SimpleRequests.PRODUCE_BY_NAME,
                        SimpleRequests.produce("traced", i % 2, acks, value));
                SimpleRequests.requireNoError(answer);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
