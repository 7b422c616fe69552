package io.sluice.broker.administration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.base.time.SimulatedTime;
import io.sluice.broker.fixture.RecordedLog;
import io.sluice.broker.topic.StreamsTopicCreation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopic;
import org.apache.kafka.common.message.CreateTopicsRequestData.CreatableTopicConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StreamsTopicCreationTest {
    private static final long BACK_OFF_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final AdministrationWorld world = new AdministrationWorld(Map.of("sluice.max.partitions", "50"));
    private final SimulatedTime time = new SimulatedTime(0);
    private final StreamsTopicCreation creation = new StreamsTopicCreation(
            world.creator, () -> world.configs.current().values(), time);

    private int settled;

    @AfterEach
    void close() {
        world.close();
    }

    private static CreatableTopic topic(String name, int partitions) {
        return new CreatableTopic().setName(name).setNumPartitions(partitions).setReplicationFactor((short) -1);
    }

    private static CreatableTopic topic(String name, String key, String value) {
        CreatableTopic topic = topic(name, 1);
        topic.configs().add(new CreatableTopicConfig().setName(key).setValue(value));
        return topic;
    }

    /** Creations are done one after the other: when a topic asked for later is there, those before it are decided. */
    private void settle() throws Exception {
        try (Admin admin = world.admin()) {
            admin.createTopics(List.of(new NewTopic("after-" + settled++, 1, (short) 1)))
                    .all()
                    .get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void createsWhatIsAskedForWithItsSizeAndSettings() throws Exception {
        creation.begin(List.of(topic("words", 3), topic("totals", "cleanup.policy", "compact")), BACK_OFF_NANOS);
        settle();

        assertThat(world.requireTopic("words").partitions()).hasSize(3);
        assertThat(world.requireTopic("totals").configs()).containsEntry("cleanup.policy", "compact");
        assertThat(creation.failures(List.of("words", "totals"))).isEmpty();
    }

    @Test
    void tellsWhyAndTriesAgainOnlyAfterAWhile() throws Exception {
        creation.begin(List.of(topic("many", 51)), BACK_OFF_NANOS);
        settle();
        assertThat(creation.failures(List.of("many", "other")))
                .containsOnlyKeys("many")
                .hasEntrySatisfying("many", why -> assertThat(why).contains("sluice.max.partitions"));

        creation.begin(List.of(topic("many", 2)), BACK_OFF_NANOS);
        settle();
        assertThat(world.images.current().topic("many")).isNull();

        time.advanceNanos(BACK_OFF_NANOS);
        assertThat(creation.failures(List.of("many"))).isEmpty();
        creation.begin(List.of(topic("many", 2)), BACK_OFF_NANOS);
        settle();
        assertThat(world.requireTopic("many").partitions()).hasSize(2);
    }

    @Test
    void theLogTellsOfWhatIsRefused() throws Exception {
        try (RecordedLog log = new RecordedLog("io.sluice.broker.topic")) {
            creation.begin(List.of(topic("many", 51), topic("wrong", 0), topic("words", 1)), BACK_OFF_NANOS);
            settle();

            time.advanceNanos(TimeUnit.SECONDS.toNanos(60));
            creation.begin(List.of(topic("wrong", 0)), BACK_OFF_NANOS);
            settle();

            assertThat(log.lines())
                    .satisfiesExactly(
                            line -> assertThat(line)
                                    .startsWith("INFO ")
                                    .contains("topic=\"many\"", "sluice.max.partitions"),
                            line -> assertThat(line)
                                    .startsWith("INFO ")
                                    .contains("topic=\"wrong\"", "Number of partitions", "alsoSinceLastLine=\"1\""));
        }
    }

    @Test
    void theLogWarnsOfWhatFails() throws Exception {
        try (RecordedLog log = new RecordedLog("io.sluice.broker.topic")) {
            world.store.close();
            creation.begin(List.of(topic("words", 1)), BACK_OFF_NANOS);
            assertThatThrownBy(this::settle).hasCauseInstanceOf(KafkaStorageException.class);

            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .startsWith("WARN ")
                    .contains("topic=\"words\"", "cannot reserve log ids");
        }
    }

    @Test
    void aTopicThatIsThereAlreadyIsNoFailure() throws Exception {
        creation.begin(List.of(topic("there", 1)), BACK_OFF_NANOS);
        settle();
        creation.begin(List.of(topic("there", 1)), BACK_OFF_NANOS);
        settle();

        assertThat(creation.failures(List.of("there"))).isEmpty();
    }

    @Test
    void remembersNoMoreFailuresThanAThousandAndNoLongOnes() {
        List<CreatableTopic> wrong = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 1_200; i++) {
            wrong.add(topic("wrong-" + i, 0));
            names.add("wrong-" + i);
        }
        wrong.add(topic("x".repeat(10_000), 1));
        names.add("x".repeat(10_000));

        try (RecordedLog log = new RecordedLog("io.sluice.broker.topic")) {
            creation.begin(wrong, BACK_OFF_NANOS);
            assertThat(log.lines()).hasSize(1);
        }

        Map<String, String> failures = creation.failures(names);
        assertThat(failures).hasSize(1_000).doesNotContainKey("wrong-0");
        assertThat(failures.values()).allSatisfy(why -> assertThat(why).hasSizeLessThan(400));
    }
}
