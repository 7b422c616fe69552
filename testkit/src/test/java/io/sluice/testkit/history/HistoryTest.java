package io.sluice.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.broker.BrokerKind;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.client.TopicSetup;
import io.sluice.testkit.history.HistoryChecker.Finding;
import io.sluice.testkit.process.Await;
import io.sluice.testkit.process.NamedThreads;
import io.sluice.testkit.process.Settings;
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
 * A history of plain and transactional producers and of readers, with kill -9 every few seconds, in which the checker finds
 * nothing; and finds each defect that is planted into it. {@code -Dsluice.testkit.history.operations=N} and {@code .seed=N}
 * choose.
 */
@Tag("history")
class HistoryTest {
    private static final int PARTITIONS = 6;
    private static final int WRITERS_OF_EACH_KIND = 4;
    private static final int READERS = 2;
    private static final int SHORTEST_LIFE_MILLIS = 1_500;
    private static final int MORE_LIFE_MILLIS = 3_000;
    private static final int LIMIT_MINUTES = 60;

    @Test
    void holdsUnderKills() throws Exception {
        int operations = Settings.amount("sluice.testkit.history.operations", 20_000, 1_000_000);
        long seed = Settings.seed("sluice.testkit.history.seed");
        try (BrokerUnderTest broker = BrokerKind.candidate().start(Map.of())) {
            TopicSetup.create(broker.bootstrapServers(), "history", PARTITIONS, Map.of());
            History history = record(broker, operations, seed);
            System.out.println("history: " + history.written().size() + " records written, "
                    + history.end().size() + " there in the end, "
                    + history.readers().stream().mapToInt(List::size).sum() + " read on the way");
            assertThat(HistoryChecker.check(history)).isEmpty();
            for (Planted planted : Planted.values()) {
                assertThat(HistoryChecker.check(planted.in(history, new Random(seed))))
                        .as("planted: " + planted)
                        .extracting(Finding::anomaly)
                        .contains(planted.anomaly());
            }
        }
    }

    private static History record(BrokerUnderTest broker, int operations, long seed) throws Exception {
        String bootstrap = broker.bootstrapServers();
        List<HistoryWriter> writers = new ArrayList<>();
        for (int i = 0; i < 2 * WRITERS_OF_EACH_KIND; i++) {
            int records = operations / (2 * WRITERS_OF_EACH_KIND);
            writers.add(new HistoryWriter(bootstrap, "history", PARTITIONS, i, i % 2 == 0, records, seed));
        }
        ExecutorService threads = NamedThreads.pool("history", writers.size() + READERS);
        try {
            CompletableFuture<Void> writing = all(writers, threads);
            List<HistoryReader> readers = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                readers.add(new HistoryReader(bootstrap, "history", PARTITIONS, writing::isDone));
            }
            CompletableFuture<Void> reading = all(readers, threads);
            killWhile(broker, writing, writers, operations, new Random(seed));
            writing.get(LIMIT_MINUTES, TimeUnit.MINUTES);
            reading.get(LIMIT_MINUTES, TimeUnit.MINUTES);
            HistoryReader end = new HistoryReader(bootstrap, "history", PARTITIONS, () -> true);
            end.run();
            return new History(
                    writers.stream()
                            .flatMap(writer -> writer.written().stream())
                            .toList(),
                    readers.stream().map(HistoryReader::seen).toList(),
                    end.seen());
        } finally {
            threads.shutdownNow();
        }
    }

    private static CompletableFuture<Void> all(List<? extends Runnable> tasks, ExecutorService threads) {
        return CompletableFuture.allOf(tasks.stream()
                .map(task -> CompletableFuture.runAsync(task, threads))
                .toArray(CompletableFuture[]::new));
    }

    private static void killWhile(
            BrokerUnderTest broker,
            CompletableFuture<Void> writing,
            List<HistoryWriter> writers,
            int operations,
            Random random)
            throws Exception {
        int kills = 0;
        Await.until(
                "the first quarter of the records",
                Duration.ofMinutes(5),
                () -> sent(writers),
                sent -> 4 * sent >= operations);
        while (!writing.isDone()) {
            Await.pause(kills == 0 ? 0 : SHORTEST_LIFE_MILLIS + random.nextInt(MORE_LIFE_MILLIS));
            if (!writing.isDone()) {
                broker.kill9();
                broker.start();
                kills++;
            }
        }
        System.out.println("history: killed " + kills + " times, " + sent(writers) + " records sent");
        assertThat(kills).isPositive();
    }

    private static int sent(List<HistoryWriter> writers) {
        return writers.stream().mapToInt(HistoryWriter::sent).sum();
    }
}
