package io.sluice.testkit.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.broker.BrokerKind;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.client.TopicSetup;
import io.sluice.testkit.crash.LoopDisk;
import io.sluice.testkit.process.Await;
import io.sluice.testkit.process.Commands;
import io.sluice.testkit.process.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A disk that is full: appends are refused with KAFKA_STORAGE_ERROR, reads go on, it heals, and nothing is lost. */
@Tag("limits")
class FullDiskTest {
    private static final int DISK_MEBIBYTES = 1_000;
    /** What is given back, far above what the node may have taken for its journal meanwhile. */
    private static final String BALLAST = "300M";

    private static final int RECORD_BYTES = 900_000;
    private static final int MAX_RECORDS = 2_000;

    /** An append, and the room on the disk then. */
    private record Attempt(short error, long freeBytes) {}

    /** The mark below which producers are refused is out of the way: the file system itself says no. */
    @Test
    void refusesAndHealsWhenTheDiskIsFull() throws Exception {
        fillAndHeal(Map.of("sluice.low.space.bytes", "0"));
    }

    @Test
    void refusesAndHealsAtTheLowSpaceMark() throws Exception {
        fillAndHeal(Map.of());
    }

    private static void fillAndHeal(Map<String, String> configs) throws Exception {
        Requirement.require("full disk", LoopDisk.unavailable());
        try (LoopDisk disk = LoopDisk.create(DISK_MEBIBYTES);
                BrokerUnderTest broker =
                        BrokerKind.candidate().startOn(disk.mountPoint().resolve("data"), configs)) {
            TopicSetup.create(broker.bootstrapServers(), "full", 1);
            Path ballast = disk.mountPoint().resolve("ballast");
            Commands.run("fallocate", "-l", BALLAST, ballast.toString());
            List<Long> acknowledged;
            try (Fill fill = new Fill(broker, "full", RECORD_BYTES)) {
                fill.send(20);
                List<Short> errors = new ArrayList<>();
                for (int i = 0; i < MAX_RECORDS && errors.size() < 20; i++) {
                    short error = fill.send();
                    if (error != 0) {
                        errors.add(error);
                    }
                }
                assertThat(errors).as("a full disk refuses").isNotEmpty();
                assertThat(errors).containsOnly(Errors.KAFKA_STORAGE_ERROR.code());
                assertThat(fill.read()).as("reads go on").isEqualTo(fill.acknowledged());
                requireFewLines(broker);
                Files.delete(ballast);
                Await.until(
                        "appends to be taken again",
                        Duration.ofMinutes(1),
                        () -> new Attempt(
                                fill.send(),
                                Files.getFileStore(disk.mountPoint()).getUsableSpace()),
                        attempt -> attempt.error == 0);
                fill.send(20);
                assertThat(fill.read()).as("nothing is lost").isEqualTo(fill.acknowledged());
                acknowledged = fill.acknowledged();
            }
            broker.kill9();
            broker.start();
            try (Fill again = new Fill(broker, "full", RECORD_BYTES)) {
                assertThat(again.read()).as("nothing is lost after a restart").isEqualTo(acknowledged);
            }
            System.out.println("limits: full disk healed");
        }
    }

    /** Producers try for as long as it takes, the log must not grow with each try. */
    private static void requireFewLines(BrokerUnderTest broker) throws IOException {
        List<String> refused = Files.readAllLines(broker.outputFile()).stream()
                .filter(line -> line.contains("an append was refused"))
                .toList();
        assertThat(refused).as("lines for at least 20 refusals").hasSizeLessThan(10);
    }
}
