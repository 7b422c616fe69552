package io.sluice.testkit.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SystemClock;
import io.sluice.testkit.broker.BrokerKind;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.client.TopicSetup;
import io.sluice.testkit.fuzz.FuzzCoverage.Outcome;
import io.sluice.testkit.process.Await;
import io.sluice.testkit.process.NamedThreads;
import io.sluice.testkit.process.Settings;
import io.sluice.testkit.wire.RawConnection;
import io.sluice.testkit.wire.SimpleRequests;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Garbage and spoiled requests of every API and version against the real process: it does not crash, hang or grow, logs no
 * defect, answers what can be read and closes on what cannot, stops and starts again, and well-behaved clients beside them
 * are not disturbed.
 */
@Tag("fuzz")
class FuzzTest {
    private static final int THREADS = 8;
    /** What the JVM may take more of the heap that the launcher allows; what lives on it is bounded closer. */
    private static final long MAX_GROWTH_MEBIBYTES = 300;

    private static final long MAX_LIVE_GROWTH_MEBIBYTES = 32;
    private static final long MAX_ROUND_MILLIS = 10_000;
    private static final long SLOW_ROUND_SHARE = 100;
    private static final int MAX_DEFECTS = 20;
    private static final int LINES_OF_A_DEFECT = 8;
    private static final int MAX_DESCRIPTORS_MORE = 200;
    private static final int BYSTANDERS = 2;
    private static final Duration STOP_LIMIT = Duration.ofSeconds(10);
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(30);

    @Test
    void survivesFramesThatNoClientWouldSend() throws Exception {
        int frames = Settings.amount("sluice.testkit.fuzz.frames", 30_000, 1_000_000);
        Random random = new Random(Settings.seed("sluice.testkit.fuzz.seed"));
        try (BrokerUnderTest broker = BrokerKind.candidate().start(limits())) {
            Corpus corpus = FuzzSeeds.record(broker);
            LiveRequests.Topic topic = FuzzSeeds.liveTopic(broker);
            assertThat(corpus.gaps()).as("versions without a request to spoil").isEmpty();
            List<Bystander> bystanders = startBystanders(broker);
            FuzzCoverage coverage = new FuzzCoverage();
            Map<ApiKeys, Long> before = requests(broker, corpus);
            long closesBefore = closes(broker);
            // The first part fills caches and lets the JVM compile.
            fuzz(broker, corpus, topic, random, coverage, frames / 5);
            long warmHeap = LiveHeap.mebibytes(broker.pid());
            ProcessUsage warm = ProcessUsage.of(broker.pid());
            fuzz(broker, corpus, topic, random, coverage, frames);
            System.out.println(coverage.table(corpus));
            checkUsage(broker, warm);
            checkHeap(broker, warmHeap);
            bystanders.forEach(Bystander::close);
            checkBystanders(bystanders);
            checkAgainstNode(broker, corpus, coverage, before, closesBefore);
            assertThat(coverage.gaps(corpus)).as("what was reached too seldom").isEmpty();
            checkEnd(broker, bystanders);
        }
    }

    /** Spoiled requests may ask for any number of partitions, or to wait for members that are gone. */
    private static Map<String, String> limits() {
        Map<String, String> limits = new HashMap<>(
                Map.of("group.initial.rebalance.delay.ms", "0", "group.streams.initial.rebalance.delay.ms", "0"));
        if (BrokerKind.candidate() == BrokerKind.SLUICE) {
            limits.put("sluice.max.partitions", "3000");
        }
        return limits;
    }

    private static List<Bystander> startBystanders(BrokerUnderTest broker) throws Exception {
        List<Bystander> bystanders = new ArrayList<>();
        for (int i = 0; i < BYSTANDERS; i++) {
            TopicSetup.create(broker.bootstrapServers(), "bystander-" + i, 1);
            bystanders.add(new Bystander(broker.address(), "bystander-" + i));
        }
        return bystanders;
    }

    private static void fuzz(
            BrokerUnderTest broker,
            Corpus corpus,
            LiveRequests.Topic topic,
            Random random,
            FuzzCoverage coverage,
            long target)
            throws Exception {
        long startNanos = SystemClock.INSTANCE.nanoTime();
        long startCount = coverage.counted();
        ExecutorService threads = NamedThreads.pool("fuzz", THREADS);
        try {
            List<CompletableFuture<Void>> running = new ArrayList<>();
            for (int t = 0; t < THREADS; t++) {
                Random own = new Random(random.nextLong());
                LiveRequests live = new LiveRequests(own, corpus, topic, "fuzz-live-" + t);
                FuzzClient client = new FuzzClient(broker.address(), own, corpus, live, coverage, target);
                running.add(CompletableFuture.runAsync(client, threads));
            }
            CompletableFuture.allOf(running.toArray(CompletableFuture[]::new)).get(60, TimeUnit.MINUTES);
        } finally {
            threads.shutdownNow();
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(SystemClock.INSTANCE.nanoTime() - startNanos);
        System.out.println("fuzz: " + (coverage.counted() - startCount) + " frames in " + millis + " ms");
    }

    private static void checkUsage(BrokerUnderTest broker, ProcessUsage warm) throws Exception {
        assertThat(broker.alive()).as("runs: " + broker.lastOutput()).isTrue();
        ProcessUsage usage = Await.until(
                "descriptors to be returned",
                Duration.ofMinutes(1),
                () -> ProcessUsage.of(broker.pid()),
                now -> now.descriptors() < warm.descriptors() + MAX_DESCRIPTORS_MORE);
        System.out.println("fuzz: " + warm + " became " + usage);
        assertThat(usage.residentMebibytes())
                .as("growth of memory")
                .isLessThan(warm.residentMebibytes() + MAX_GROWTH_MEBIBYTES);
    }

    private static void checkHeap(BrokerUnderTest broker, long warm) throws Exception {
        long now = LiveHeap.mebibytes(broker.pid());
        System.out.println("fuzz: live heap of " + warm + " MiB became " + now + " MiB");
        assertThat(now).as("live heap in MiB").isLessThan(warm + MAX_LIVE_GROWTH_MEBIBYTES);
    }

    private static void checkBystanders(List<Bystander> bystanders) {
        for (Bystander each : bystanders) {
            System.out.println("fuzz: " + each.rounds() + " rounds of a bystander, slowest " + each.slowestMillis()
                    + " ms, " + each.slowRounds() + " of more than a second");
            assertThat(each.failure()).isNull();
            assertThat(each.rounds()).as("rounds of the bystander").isPositive();
            assertThat(each.slowestMillis())
                    .as("slowest round of the bystander")
                    .isLessThan(MAX_ROUND_MILLIS);
            assertThat(each.slowRounds())
                    .as("rounds of more than a second")
                    .isLessThanOrEqualTo(each.rounds() / SLOW_ROUND_SHARE);
        }
    }

    private static Map<ApiKeys, Long> requests(BrokerUnderTest broker, Corpus corpus) throws Exception {
        Map<ApiKeys, Long> requests = new HashMap<>();
        if (broker.kind() == BrokerKind.SLUICE) {
            NodeCounters counters = NodeCounters.of(broker);
            corpus.apis().forEach(api -> requests.put(api, counters.requests(api.name)));
        }
        return requests;
    }

    private static long closes(BrokerUnderTest broker) throws Exception {
        return broker.kind() == BrokerKind.SLUICE ? NodeCounters.of(broker).closes() : 0;
    }

    /** Whatever the clients count as taken, the node must have counted as well. */
    private static void checkAgainstNode(
            BrokerUnderTest broker, Corpus corpus, FuzzCoverage coverage, Map<ApiKeys, Long> before, long closesBefore)
            throws Exception {
        if (broker.kind() != BrokerKind.SLUICE) {
            return;
        }
        Map<ApiKeys, Long> after = requests(broker, corpus);
        long closed = coverage.of(null, Outcome.CLOSED);
        for (ApiKeys api : corpus.apis()) {
            assertThat(after.getOrDefault(api, 0L) - before.getOrDefault(api, 0L))
                    .as("requests of %s that the node has read", api)
                    .isGreaterThanOrEqualTo(coverage.of(api, Outcome.RIGHT, Outcome.WRONG, Outcome.READ));
            closed += coverage.of(api, Outcome.CLOSED);
        }
        assertThat(closes(broker) - closesBefore)
                .as("connections that the node has closed")
                .isGreaterThanOrEqualTo(closed);
        assertThat(defects(broker)).as("defects logged").isEmpty();
    }

    /** It answers a new client, stops in time, starts again and still has every record that it acknowledged. */
    private static void checkEnd(BrokerUnderTest broker, List<Bystander> bystanders) throws Exception {
        checkRecords(broker, bystanders);
        assertThat(broker.stop()).as("time to stop").isLessThan(STOP_LIMIT);
        Duration start = broker.start();
        System.out.println("fuzz: started again in " + start.toMillis() + " ms");
        checkRecords(broker, bystanders);
    }

    private static void checkRecords(BrokerUnderTest broker, List<Bystander> bystanders) throws Exception {
        try (RawConnection connection = RawConnection.open(broker.address(), READ_TIMEOUT)) {
            for (int i = 0; i < bystanders.size(); i++) {
                FetchResponseData answer = connection.call(
                        FetchResponseData.class,
                        SimpleRequests.FETCH_BY_NAME,
                        SimpleRequests.fetch("bystander-" + i, 0, 0, 1_000, 1 << 20));
                assertThat(answer.responses().get(0).partitions().get(0).highWatermark())
                        .as("records of bystander %d", i)
                        .isGreaterThanOrEqualTo(bystanders.get(i).rounds());
            }
        }
    }

    /** Lines of level ERROR, each with the start of its stack trace: a client's mistake is none. */
    private static List<String> defects(BrokerUnderTest broker) throws Exception {
        List<String> lines = Files.readAllLines(broker.outputFile());
        List<String> defects = new ArrayList<>();
        for (int i = 0; i < lines.size() && defects.size() < MAX_DEFECTS; i++) {
            if (lines.get(i).contains(" ERROR ") || lines.get(i).contains("OutOfMemory")) {
                defects.add(String.join("\n", lines.subList(i, Math.min(lines.size(), i + LINES_OF_A_DEFECT))));
            }
        }
        return defects;
    }
}
