package io.sluice.testkit.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SystemClock;
import io.sluice.testkit.broker.BrokerKind;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.client.TopicSetup;
import io.sluice.testkit.process.Await;
import io.sluice.testkit.process.Commands;
import io.sluice.testkit.process.Requirement;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A process that has used up its descriptors: appends are refused with an error to try again, and it heals. */
@Tag("limits")
class MissingDescriptorsTest {
    private static final int RECORD_BYTES = 100_000;
    private static final int MAX_RECORDS = 500;
    /** Longer than a journal is borne that fails for another reason. */
    private static final Duration LONG = Duration.ofSeconds(45);

    /** The soft limit, below the hard one that stays. */
    private static void limit(BrokerUnderTest node, int descriptors) throws Exception {
        Commands.run("prlimit", "--pid", Long.toString(node.pid()), "--nofile=" + descriptors + ":");
    }

    @Test
    void refusesForAsLongAsThereAreNoneAndHeals() throws Exception {
        Requirement.require(
                "missing descriptors", Commands.exists("prlimit") ? Optional.empty() : Optional.of("no prlimit"));
        try (BrokerUnderTest node = BrokerKind.candidate()
                .start(Map.of("sluice.journal.file.bytes", "1048576", "sluice.journal.checkpoint.bytes", "4194304"))) {
            TopicSetup.create(node.bootstrapServers(), "held", 1);
            List<Long> acknowledged;
            try (Fill fill = new Fill(node, "held", RECORD_BYTES)) {
                fill.send(5);
                limit(node, 16); // fewer than are open
                List<Short> errors = new ArrayList<>();
                for (int i = 0; i < MAX_RECORDS && errors.size() < 5; i++) {
                    short error = fill.send();
                    if (error != 0) {
                        errors.add(error);
                    }
                }
                assertThat(errors).as("the next file cannot be made").isNotEmpty();
                long since = SystemClock.INSTANCE.nanoTime();
                Await.until(
                        "a long time without",
                        LONG.multipliedBy(2),
                        () -> {
                            errors.add(fill.send());
                            return SystemClock.INSTANCE.nanoTime() - since;
                        },
                        passed -> passed > LONG.toNanos());
                assertThat(Set.copyOf(errors))
                        .as("an error to try again, until the end")
                        .isSubsetOf(Errors.KAFKA_STORAGE_ERROR.code(), Errors.REQUEST_TIMED_OUT.code())
                        .contains(Errors.KAFKA_STORAGE_ERROR.code());
                assertThat(fill.read()).as("reads go on").isEqualTo(fill.acknowledged());

                limit(node, 4_096);
                Await.until("appends to be taken again", Duration.ofMinutes(1), fill::send, error -> error == 0);
                fill.send(50);
                assertThat(fill.read()).as("nothing is lost").isEqualTo(fill.acknowledged());
                acknowledged = fill.acknowledged();
            }
            assertThat(Files.readString(node.outputFile()))
                    .contains("too many open files", "Raise the limit")
                    .doesNotContain("Mount point not found", "journal failed");
            node.kill9();
            node.start();
            try (Fill again = new Fill(node, "held", RECORD_BYTES)) {
                assertThat(again.read()).as("nothing is lost after a restart").isEqualTo(acknowledged);
            }
        }
    }
}
