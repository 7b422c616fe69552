package io.sluice.broker.group;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.GroupProtocol;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Unchanged consumers and the admin client, in both group protocols, over sockets. */
class RealConsumersTest {
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final Duration POLL = Duration.ofMillis(20);

    private final GroupsFixture node = new GroupsFixture();
    private final List<KafkaConsumer<byte[], byte[]>> consumers = new ArrayList<>();

    @AfterEach
    void close() {
        consumers.forEach(consumer ->
                consumer.close(org.apache.kafka.clients.consumer.CloseOptions.timeout(Duration.ofSeconds(5))));
        node.close();
    }

    private KafkaConsumer<byte[], byte[]> consumer(GroupProtocol protocol, String instanceId) {
        Map<String, Object> config = new HashMap<>();
        config.put("bootstrap.servers", "127.0.0.1:" + node.port());
        config.put("group.id", "g");
        config.put("group.protocol", protocol.name().toLowerCase(Locale.ROOT));
        config.put("enable.auto.commit", "false");
        config.put("auto.offset.reset", "earliest");
        if (!instanceId.isEmpty()) {
            config.put("group.instance.id", instanceId);
        }
        if (protocol == GroupProtocol.CLASSIC) {
            config.put("session.timeout.ms", "10000");
            config.put("heartbeat.interval.ms", "300");
        }
        KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        consumers.add(consumer);
        return consumer;
    }

    /** Polls every consumer in turn until the condition holds. */
    private boolean pollUntil(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TIMEOUT_NANOS;
        while (System.nanoTime() < deadline) {
            consumers.forEach(consumer -> consumer.poll(POLL));
            if (condition.getAsBoolean()) {
                return true;
            }
        }
        return false;
    }

    private boolean isSharedEvenly(int partitionsEach) {
        Set<TopicPartition> assigned = new HashSet<>();
        for (KafkaConsumer<byte[], byte[]> consumer : consumers) {
            if (consumer.assignment().size() != partitionsEach) {
                return false;
            }
            assigned.addAll(consumer.assignment());
        }
        return assigned.size() == partitionsEach * consumers.size();
    }

    @ParameterizedTest
    @EnumSource(GroupProtocol.class)
    void threeMembersShareATopicAndTwoTakeOverFromTheThird(GroupProtocol protocol) {
        node.cluster.create("t", 6);
        for (int i = 0; i < 3; i++) {
            consumer(protocol, "").subscribe(List.of("t"));
        }
        assertThat(pollUntil(() -> isSharedEvenly(2))).isTrue();

        consumers.remove(2).close();

        assertThat(pollUntil(() -> isSharedEvenly(3))).isTrue();
    }

    @ParameterizedTest
    @EnumSource(GroupProtocol.class)
    void commitsAreFoundByTheNextMember(GroupProtocol protocol) {
        node.cluster.create("t", 2);
        TopicPartition partition = new TopicPartition("t", 0);
        KafkaConsumer<byte[], byte[]> first = consumer(protocol, "");
        first.subscribe(List.of("t"));
        assertThat(pollUntil(() -> isSharedEvenly(2))).isTrue();

        first.commitSync(Map.of(partition, new OffsetAndMetadata(17, "note")));
        consumers.remove(first);
        first.close();
        KafkaConsumer<byte[], byte[]> second = consumer(protocol, "");
        second.subscribe(List.of("t"));
        assertThat(pollUntil(() -> isSharedEvenly(2))).isTrue();

        assertThat(second.position(partition)).isEqualTo(17);
        assertThat(second.committed(Set.of(partition))).containsEntry(partition, new OffsetAndMetadata(17, "note"));
    }

    @ParameterizedTest
    @EnumSource(GroupProtocol.class)
    void aStaticMemberComesBackToItsPartitionsWithoutARebalance(GroupProtocol protocol) {
        node.cluster.create("t", 4);
        RecordingListener listener = new RecordingListener();
        KafkaConsumer<byte[], byte[]> other = consumer(protocol, "other");
        other.subscribe(List.of("t"), listener);
        KafkaConsumer<byte[], byte[]> leaving = consumer(protocol, "leaving");
        leaving.subscribe(List.of("t"));
        assertThat(pollUntil(() -> isSharedEvenly(2))).isTrue();
        Set<TopicPartition> before = Set.copyOf(leaving.assignment());
        int revocationsBefore = listener.revoked;

        consumers.remove(leaving);
        leaving.close();
        KafkaConsumer<byte[], byte[]> back = consumer(protocol, "leaving");
        back.subscribe(List.of("t"));

        assertThat(pollUntil(() -> isSharedEvenly(2))).isTrue();
        assertThat(back.assignment()).isEqualTo(before);
        assertThat(listener.revoked).isEqualTo(revocationsBefore);
    }

    private static final class RecordingListener implements ConsumerRebalanceListener {
        private int revoked;

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            revoked += partitions.size();
        }

        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {}
    }

    @Test
    void aPatternFollowsTopicsThatAreCreatedLater() {
        node.cluster.create("orders-1", 1);
        node.cluster.create("other", 1);
        KafkaConsumer<byte[], byte[]> consumer = consumer(GroupProtocol.CONSUMER, "");
        consumer.subscribe(new SubscriptionPattern("orders-.*"));
        Set<TopicPartition> one = Set.of(new TopicPartition("orders-1", 0));
        assertThat(pollUntil(() -> consumer.assignment().equals(one))).isTrue();

        node.cluster.create("orders-2", 1);

        Set<TopicPartition> two = Set.of(new TopicPartition("orders-1", 0), new TopicPartition("orders-2", 0));
        assertThat(pollUntil(() -> consumer.assignment().equals(two))).isTrue();
    }

    @ParameterizedTest
    @EnumSource(GroupProtocol.class)
    void theAdminClientSeesAndChangesGroups(GroupProtocol protocol) throws ExecutionException, InterruptedException {
        node.cluster.create("t", 2);
        KafkaConsumer<byte[], byte[]> consumer = consumer(protocol, "");
        consumer.subscribe(List.of("t"));
        assertThat(pollUntil(() -> isSharedEvenly(2))).isTrue();
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        IntStream.range(0, 2)
                .forEach(
                        partition -> offsets.put(new TopicPartition("t", partition), new OffsetAndMetadata(partition)));
        consumer.commitSync(offsets);

        try (Admin admin = Admin.create(Map.of("bootstrap.servers", "127.0.0.1:" + node.port()))) {
            assertThat(admin.listGroups().all().get())
                    .extracting(GroupListing::groupId)
                    .containsExactly("g");
            ConsumerGroupDescription described = Objects.requireNonNull(
                    admin.describeConsumerGroups(List.of("g")).all().get().get("g"));
            assertThat(described.members()).hasSize(1);
            assertThat(described.groupState()).isEqualTo(GroupState.STABLE);
            assertThat(admin.listConsumerGroupOffsets("g")
                            .partitionsToOffsetAndMetadata()
                            .get())
                    .hasSize(2);

            consumers.remove(consumer);
            consumer.close();
            admin.alterConsumerGroupOffsets("g", Map.of(new TopicPartition("t", 0), new OffsetAndMetadata(99)))
                    .all()
                    .get();
            admin.deleteConsumerGroupOffsets("g", Set.of(new TopicPartition("t", 1)))
                    .all()
                    .get();
            assertThat(admin.listConsumerGroupOffsets("g")
                            .partitionsToOffsetAndMetadata()
                            .get())
                    .containsOnly(Map.entry(new TopicPartition("t", 0), new OffsetAndMetadata(99)));
            admin.deleteConsumerGroups(List.of("g")).all().get();
            assertThat(admin.listGroups().all().get()).isEmpty();
        }
    }
}
