package io.sluice.testkit.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.broker.BrokerKind;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.client.TopicSetup;
import io.sluice.testkit.process.Await;
import io.sluice.testkit.process.Requirement;
import io.sluice.testkit.process.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A power cut at a random moment: the process is stopped, its disk copied as it is without what only memory holds, and a
 * node started on the copy. Every acknowledged record is there. (Kafka with its default settings fails this test.)
 */
@Tag("powercut")
class PowerCutTest {
    private static final int PRODUCERS_OF_EACH_KIND = 4;
    private static final int PARTITIONS = 8;
    private static final int MAX_RUN_MILLIS = 3_000;
    private static final int DISK_MEBIBYTES = 3_000;

    @Test
    void keepsWhatItHasAcknowledgedWithoutPower() throws Exception {
        Requirement.require("power cut", LoopDisk.unavailable());
        int rounds = Settings.amount("sluice.testkit.powercut.rounds", 2, 20);
        Random random = new Random(Settings.seed("sluice.testkit.powercut.seed"));
        for (int round = 1; round <= rounds; round++) {
            Verdict verdict = round(BrokerKind.candidate(), random);
            System.out.println("powercut: round " + round + " of " + rounds + ": " + verdict);
            assertThat(verdict.kept()).as(verdict.toString()).isTrue();
        }
    }

    @Test
    void noticesANodeThatAcknowledgesBeforeTheFlush() throws Exception {
        Requirement.require("power cut", LoopDisk.unavailable());
        String finding = finding(new Random(Settings.seed("sluice.testkit.powercut.seed")));
        System.out.println("powercut: " + BrokerKind.ACKNOWLEDGING_EARLY + ": " + finding);
        assertThat(finding).containsPattern("missing [1-9]|Cannot recover ");
    }

    /** Either records are missing afterwards, or the node refuses a directory that lacks what was there before. */
    private static String finding(Random random) throws Exception {
        try {
            return round(BrokerKind.ACKNOWLEDGING_EARLY, random).toString();
        } catch (IllegalStateException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static Verdict round(BrokerKind kind, Random random) throws Exception {
        String topic = "powercut";
        try (LoopDisk disk = LoopDisk.create(DISK_MEBIBYTES);
                BrokerUnderTest broker = kind.startOn(disk.mountPoint().resolve("data"), Map.of())) {
            Map<String, String> configs = random.nextBoolean() ? Map.of() : Map.of("segment.bytes", "1048576");
            TopicSetup.create(broker.bootstrapServers(), topic, PARTITIONS, configs);
            Ledger ledger = loadUntilStopped(broker, topic, random);
            try (LoopDisk copy = disk.copy()) {
                broker.kill9();
                return recover(copy.mountPoint().resolve("data"), topic, ledger);
            }
        }
    }

    /** Returns what was acknowledged before the process was stopped. */
    private static Ledger loadUntilStopped(BrokerUnderTest broker, String topic, Random random) throws Exception {
        Load load = new Load(broker.bootstrapServers(), PRODUCERS_OF_EACH_KIND, PARTITIONS, random.nextLong());
        Load.Stretch stretch = load.start(topic);
        Ledger ledger = stretch.ledger();
        Await.until("acknowledgements", Duration.ofMinutes(1), ledger::size, size -> size >= 100);
        Await.pause(random.nextInt(MAX_RUN_MILLIS));
        broker.signal("STOP");
        // Acknowledgements that left before the stop are still on their way to the producers.
        Await.pause(200);
        stretch.abandon();
        load.close();
        return ledger;
    }

    private static Verdict recover(Path data, String topic, Ledger ledger) throws Exception {
        try (BrokerUnderTest recovered = BrokerKind.candidate().startOn(data, Map.of())) {
            return Verdict.of(ledger.acknowledged(), LogReader.read(recovered.bootstrapServers(), topic, PARTITIONS));
        }
    }
}
