package io.sluice.testkit.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.broker.BrokerKind;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.client.TopicSetup;
import io.sluice.testkit.differential.RequestCorpus;
import io.sluice.testkit.process.Await;
import io.sluice.testkit.process.NamedThreads;
import io.sluice.testkit.process.Settings;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Garbage and spoiled requests against the real process: it does not crash, hang or grow, logs no defect, and a
 * well-behaved client beside them is not disturbed.
 */
@Tag("fuzz")
class FuzzTest {
    private static final int THREADS = 3;
    private static final long MAX_GROWTH_MEBIBYTES = 120;
    private static final long MAX_ROUND_MILLIS = 10_000;
    private static final int MAX_DEFECTS = 20;
    private static final int LINES_OF_A_DEFECT = 8;
    private static final int MAX_DESCRIPTORS_MORE = 200;

    @Test
    void survivesFramesThatNoClientWouldSend() throws Exception {
        int frames = Settings.amount("sluice.testkit.fuzz.frames", 30_000, 1_000_000);
        Random random = new Random(Settings.seed("sluice.testkit.fuzz.seed"));
        try (BrokerUnderTest broker = BrokerKind.candidate().start(limits())) {
            List<byte[]> corpus = RequestCorpus.record(broker);
            TopicSetup.create(broker.bootstrapServers(), "bystander", 1);
            try (Bystander bystander = new Bystander(broker.address(), "bystander")) {
                // The first part fills caches and lets the JVM compile.
                fuzz(broker, corpus, random, frames / 5);
                ProcessUsage warm = ProcessUsage.of(broker.pid());
                fuzz(broker, corpus, random, frames - frames / 5);
                check(broker, bystander, warm);
            }
        }
    }

    /** Spoiled requests may ask for any number of partitions; a real node has this limit too. */
    private static Map<String, String> limits() {
        return BrokerKind.candidate() == BrokerKind.SLUICE ? Map.of("sluice.max.partitions", "3000") : Map.of();
    }

    private static void fuzz(BrokerUnderTest broker, List<byte[]> corpus, Random random, int frames) throws Exception {
        ExecutorService threads = NamedThreads.pool("fuzz", THREADS);
        try {
            List<CompletableFuture<Void>> running = new ArrayList<>();
            for (int t = 0; t < THREADS; t++) {
                Mutation mutation = new Mutation(new Random(random.nextLong()), corpus);
                FuzzClient client = new FuzzClient(broker.address(), mutation, frames / THREADS);
                running.add(CompletableFuture.runAsync(client, threads));
            }
            CompletableFuture.allOf(running.toArray(CompletableFuture[]::new)).get(60, TimeUnit.MINUTES);
        } finally {
            threads.shutdownNow();
        }
    }

    private static void check(BrokerUnderTest broker, Bystander bystander, ProcessUsage warm) throws Exception {
        assertThat(broker.alive()).as("runs: " + broker.lastOutput()).isTrue();
        assertThat(bystander.failure()).isNull();
        assertThat(bystander.rounds()).as("rounds of the bystander").isPositive();
        assertThat(bystander.slowestMillis())
                .as("slowest round of the bystander")
                .isLessThan(MAX_ROUND_MILLIS);
        ProcessUsage usage = Await.until(
                "descriptors to be returned",
                Duration.ofMinutes(1),
                () -> ProcessUsage.of(broker.pid()),
                now -> now.descriptors() < warm.descriptors() + MAX_DESCRIPTORS_MORE);
        System.out.println("fuzz: " + bystander.rounds() + " rounds of the bystander, slowest "
                + bystander.slowestMillis() + " ms; " + warm + " became " + usage);
        assertThat(usage.residentMebibytes())
                .as("growth of memory")
                .isLessThan(warm.residentMebibytes() + MAX_GROWTH_MEBIBYTES);
        if (broker.kind() == BrokerKind.SLUICE) {
            assertThat(defects(broker)).as("defects logged").isEmpty();
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
