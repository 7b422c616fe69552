package io.sluice.testkit.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.broker.BrokerKind;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.client.TopicSetup;
import io.sluice.testkit.process.Await;
import io.sluice.testkit.process.Settings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * kill -9 at random moments under load: every acknowledged record is there after the restart, in order, and those of
 * idempotent producers once. {@code -Dsluice.testkit.crash.rounds=N} and {@code .seed=N} choose.
 */
@Tag("crash")
class CrashTest {
    private static final int PRODUCERS_OF_EACH_KIND = 8;
    private static final int PARTITIONS = 8;
    private static final int MAX_RUN_MILLIS = 2_000;

    @Test
    void keepsWhatItHasAcknowledgedWhenKilled() throws Exception {
        int rounds = Settings.amount("sluice.testkit.crash.rounds", 5, 100);
        long seed = Settings.seed("sluice.testkit.crash.seed");
        Random random = new Random(seed);
        try (BrokerUnderTest broker = BrokerKind.candidate().start(Map.of());
                Load load = new Load(broker.bootstrapServers(), PRODUCERS_OF_EACH_KIND, PARTITIONS, seed)) {
            for (int round = 1; round <= rounds; round++) {
                Verdict verdict = round(broker, load, "crash-" + round, random);
                System.out.println("crash: round " + round + " of " + rounds + ": " + verdict);
                assertThat(verdict.kept()).as(verdict.toString()).isTrue();
            }
        }
    }

    private static Verdict round(BrokerUnderTest broker, Load load, String topic, Random random) throws Exception {
        // Half of the topics roll their segments often.
        Map<String, String> configs = random.nextBoolean() ? Map.of() : Map.of("segment.bytes", "1048576");
        TopicSetup.create(broker.bootstrapServers(), topic, PARTITIONS, configs);
        Load.Stretch stretch = load.start(topic);
        awaitAcknowledged(stretch.ledger(), 1);
        Await.pause(random.nextInt(MAX_RUN_MILLIS));
        broker.kill9();
        int before = stretch.ledger().size();
        Duration restart = broker.start();
        System.out.println("crash: restarted in " + restart.toMillis() + " ms, " + before + " acknowledged before");
        awaitAcknowledged(stretch.ledger(), before + 100);
        stretch.finish();
        List<String> failures = stretch.ledger().failures();
        assertThat(failures.size())
                .as("sends that failed for good, such as " + failures.stream().findFirst())
                .isZero();
        Verdict verdict = Verdict.of(
                stretch.ledger().acknowledged(), LogReader.read(broker.bootstrapServers(), topic, PARTITIONS));
        TopicSetup.delete(broker.bootstrapServers(), topic);
        return verdict;
    }

    private static void awaitAcknowledged(Ledger ledger, int count) throws Exception {
        Await.until(count + " acknowledgements", Duration.ofMinutes(1), ledger::size, size -> size >= count);
    }
}
