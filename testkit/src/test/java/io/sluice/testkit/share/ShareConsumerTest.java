package io.sluice.testkit.share;

import static io.sluice.testkit.share.ShareWorld.poll;
import static io.sluice.testkit.share.ShareWorld.pollFor;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SystemClock;
import io.sluice.testkit.wire.RawConnection;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.ShareFetchRequestData;
import org.apache.kafka.common.message.ShareFetchResponseData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class ShareConsumerTest {
    private static final Duration QUIET = Duration.ofSeconds(2);

    private static Set<String> values(List<ConsumerRecord<String, String>> records) {
        return records.stream().map(ConsumerRecord::value).collect(Collectors.toSet());
    }

    @Test
    void deliversEachRecordToOneMemberOnce() throws Exception {
        try (ShareWorld world = new ShareWorld(4, Map.of())) {
            world.produce(2000);
            List<ConsumerRecord<String, String>> first;
            try (KafkaShareConsumer<String, String> member = world.member(false)) {
                first = poll(member, all -> all.size() >= 2000);
                pollFor(member, QUIET).forEach(first::add);
            }
            List<ConsumerRecord<String, String>> second;
            try (KafkaShareConsumer<String, String> member = world.member(false)) {
                second = pollFor(member, QUIET);
            }

            assertThat(first).hasSize(2000);
            assertThat(values(first)).hasSize(2000);
            assertThat(second).isEmpty();
        }
    }

    @Test
    void settlesRecordByRecordAndKeepsItThroughAKill() throws Exception {
        try (ShareWorld world = new ShareWorld(1, Map.of())) {
            world.produce(30);
            try (KafkaShareConsumer<String, String> member = world.member(true)) {
                List<ConsumerRecord<String, String>> records = poll(member, all -> all.size() >= 30);
                for (ConsumerRecord<String, String> record : records) {
                    assertThat(record.deliveryCount()).hasValue((short) 1);
                    member.acknowledge(record, typeOf(record));
                }
                assertThat(member.commitSync().values()).allMatch(failure -> failure.isEmpty());
                world.node.kill9();
                world.node.start();
            }
            try (KafkaShareConsumer<String, String> member = world.member(true)) {
                List<ConsumerRecord<String, String>> again = poll(member, all -> all.size() >= 10);
                again.forEach(member::acknowledge);
                assertThat(member.commitSync().values()).allMatch(failure -> failure.isEmpty());
                List<ConsumerRecord<String, String>> more = pollFor(member, QUIET);

                assertThat(values(again))
                        .containsExactlyInAnyOrder("1", "4", "7", "10", "13", "16", "19", "22", "25", "28");
                assertThat(again).allMatch(record -> record.deliveryCount().orElseThrow() == 2);
                assertThat(more).isEmpty();
            }
        }
    }

    /** Each third is accepted, released, rejected. */
    private static AcknowledgeType typeOf(ConsumerRecord<String, String> record) {
        return switch (Integer.parseInt(record.value()) % 3) {
            case 0 -> AcknowledgeType.ACCEPT;
            case 1 -> AcknowledgeType.RELEASE;
            default -> AcknowledgeType.REJECT;
        };
    }

    @Test
    void givesUpARecordThatIsReleasedTooOften() throws Exception {
        try (ShareWorld world = new ShareWorld(1, Map.of("group.share.delivery.count.limit", "2"))) {
            world.produce(1);
            try (KafkaShareConsumer<String, String> member = world.member(true)) {
                for (short delivery = 1; delivery <= 2; delivery++) {
                    List<ConsumerRecord<String, String>> records = poll(member, all -> !all.isEmpty());
                    assertThat(records).hasSize(1);
                    assertThat(records.get(0).deliveryCount()).hasValue(delivery);
                    member.acknowledge(records.get(0), AcknowledgeType.RELEASE);
                    member.commitSync();
                }

                assertThat(pollFor(member, QUIET)).isEmpty();
            }
        }
    }

    @Test
    void givesTheRecordsOfABrokenConnectionToOthersAtOnce() throws Exception {
        try (ShareWorld world = new ShareWorld(1, Map.of())) {
            try (KafkaShareConsumer<String, String> member = world.member(false)) {
                pollFor(member, QUIET);
            }
            world.produce(5);
            Uuid topicId = world.topicId();
            try (RawConnection broken = RawConnection.open(world.node.address(), Duration.ofSeconds(30))) {
                ShareFetchRequestData fetch = new ShareFetchRequestData()
                        .setGroupId(ShareWorld.GROUP)
                        .setMemberId(Uuid.randomUuid().toString())
                        .setMaxWaitMs(20_000)
                        .setMaxRecords(100)
                        .setBatchSize(100);
                ShareFetchRequestData.FetchTopic topic = new ShareFetchRequestData.FetchTopic().setTopicId(topicId);
                topic.partitions().add(new ShareFetchRequestData.FetchPartition().setPartitionIndex(0));
                fetch.topics().add(topic);
                assertThat(broken.call(ShareFetchResponseData.class, 2, fetch).responses())
                        .hasSize(1);
            }
            try (KafkaShareConsumer<String, String> member = world.member(false)) {
                long start = SystemClock.INSTANCE.nanoTime();
                List<ConsumerRecord<String, String>> records = poll(member, all -> all.size() >= 5);

                assertThat(records).hasSize(5);
                assertThat(records).allMatch(record -> record.deliveryCount().orElseThrow() == 2);
                assertThat(Duration.ofNanos(SystemClock.INSTANCE.nanoTime() - start))
                        .as("well before their locks expire")
                        .isLessThan(Duration.ofSeconds(20));
            }
        }
    }

    @Test
    void sendsWhatWasGivenUpToTheDeadLetterQueue() throws Exception {
        Map<String, String> settings = Map.of(
                "group.share.delivery.count.limit", "2", "errors.deadletterqueue.auto.create.topics.enable", "true");
        try (ShareWorld world = new ShareWorld(1, settings)) {
            world.set(ConfigResource.Type.GROUP, ShareWorld.GROUP, "errors.deadletterqueue.topic.name", "dlq.work");
            world.set(ConfigResource.Type.GROUP, ShareWorld.GROUP, "errors.deadletterqueue.copy.record.enable", "true");
            world.produce(2);
            try (KafkaShareConsumer<String, String> member = world.member(true)) {
                for (int delivery = 1; delivery <= 2; delivery++) {
                    for (ConsumerRecord<String, String> record : poll(member, all -> !all.isEmpty())) {
                        boolean poison = record.value().equals("0");
                        member.acknowledge(record, poison ? AcknowledgeType.RELEASE : AcknowledgeType.REJECT);
                    }
                    assertThat(member.commitSync().values()).allMatch(Optional::isEmpty);
                }
            }

            List<ConsumerRecord<String, String>> dead = world.read("dlq.work", 2);

            assertThat(dead).extracting(ConsumerRecord::value).containsExactlyInAnyOrder("0", "1");
            for (ConsumerRecord<String, String> letter : dead) {
                boolean poison = letter.value().equals("0");
                assertThat(letter.key()).isEqualTo(letter.value());
                assertThat(headers(letter))
                        .isEqualTo(Map.of(
                                "__dlq.errors.topic",
                                ShareWorld.TOPIC,
                                "__dlq.errors.partition",
                                "0",
                                "__dlq.errors.offset",
                                letter.value(),
                                "__dlq.errors.group",
                                ShareWorld.GROUP,
                                "__dlq.errors.delivery.count",
                                poison ? "2" : "1",
                                "__dlq.errors.message",
                                poison
                                        ? "Offset delivery count exceeded the threshold."
                                        : "Offset rejected by client."));
            }
        }
    }

    private static Map<String, String> headers(ConsumerRecord<String, String> record) {
        Map<String, String> headers = new HashMap<>();
        record.headers()
                .forEach(header -> headers.put(header.key(), new String(header.value(), StandardCharsets.UTF_8)));
        return headers;
    }
}
