package io.sluice.testkit.share;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SystemClock;
import io.sluice.testkit.fuzz.ProcessUsage;
import io.sluice.testkit.process.NamedThreads;
import io.sluice.testkit.process.Settings;
import io.sluice.testkit.wire.RawConnection;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ShareFetchRequestData;
import org.apache.kafka.common.message.ShareFetchRequestData.AcknowledgementBatch;
import org.apache.kafka.common.message.ShareFetchRequestData.FetchPartition;
import org.apache.kafka.common.message.ShareFetchRequestData.FetchTopic;
import org.apache.kafka.common.message.ShareFetchResponseData;
import org.apache.kafka.common.message.ShareFetchResponseData.AcquiredRecords;
import org.apache.kafka.common.message.ShareFetchResponseData.PartitionData;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A thousand members of one group on four partitions, which the protocol allows whatever the number of partitions: each gets
 * some soon, every record goes to one of them, and none comes back.
 */
@Tag("limits")
@Timeout(1200)
class ManyMembersTest {
    private static final int MEMBERS = 1000;
    private static final int PARTITIONS = 4;
    private static final int AT_A_TIME = 10;
    private static final int VERSION = 2;
    private static final byte ACCEPT = 1;

    private final int records = Settings.amount("sluice.testkit.limits.share.records", 40_000, 1_000_000);

    private record Place(int partition, long offset) {}

    private final Set<Place> delivered = ConcurrentHashMap.newKeySet();
    private final AtomicInteger deliveries = new AtomicInteger();
    private final Set<Integer> served = ConcurrentHashMap.newKeySet();
    /** Nobody who comes late can be served of what is gone by then: records come when all have asked once. */
    private final CountDownLatch present = new CountDownLatch(MEMBERS);

    private volatile long startNanos;
    private volatile long lastFirstNanos;

    @Test
    void servesAThousandMembersFairly() throws Exception {
        try (ShareWorld world = new ShareWorld(PARTITIONS, Map.of("group.share.max.size", "1000"))) {
            beginGroup(world);
            Uuid topicId = world.topicId();
            ExecutorService threads = NamedThreads.pool("share-member", MEMBERS);
            try {
                List<Future<?>> members = new ArrayList<>();
                for (int i = 0; i < MEMBERS; i++) {
                    int number = i;
                    members.add(threads.submit(() -> {
                        consume(world, number, topicId);
                        return null;
                    }));
                }
                assertThat(present.await(100, TimeUnit.SECONDS)).isTrue();
                startNanos = SystemClock.INSTANCE.nanoTime();
                world.produce(records);
                for (Future<?> member : members) {
                    member.get(1000, TimeUnit.SECONDS);
                }
            } finally {
                threads.shutdownNow();
            }

            System.out.println("limits: " + records + " records to " + MEMBERS + " members, each served once after "
                    + TimeUnit.NANOSECONDS.toMillis(lastFirstNanos - startNanos) + " ms, all after "
                    + TimeUnit.NANOSECONDS.toMillis(SystemClock.INSTANCE.nanoTime() - startNanos) + " ms, "
                    + ProcessUsage.of(world.node.pid()));
            assertThat(delivered).hasSize(records);
            assertThat(deliveries).hasValue(records);
            assertThat(served).hasSize(MEMBERS);
            assertThat(Duration.ofNanos(lastFirstNanos - startNanos)).isLessThan(Duration.ofSeconds(10));
        }
    }

    /** The group's state comes into being with its first member. */
    private static void beginGroup(ShareWorld world) {
        try (KafkaShareConsumer<String, String> member = world.member(false)) {
            ShareWorld.pollFor(member, Duration.ofSeconds(4));
        }
    }

    private void consume(ShareWorld world, int number, Uuid topicId) throws IOException {
        String memberId = new Uuid(99, number).toString();
        try (RawConnection connection = RawConnection.open(world.node.address(), Duration.ofSeconds(60))) {
            List<PartitionData> got = List.of();
            for (int epoch = 0; deliveries.get() < records || !got.isEmpty(); epoch++) {
                ShareFetchRequestData request = request(memberId, epoch, topicId, number % PARTITIONS, got);
                got = note(number, connection.call(ShareFetchResponseData.class, VERSION, request));
                if (epoch == 0) {
                    present.countDown();
                }
            }
        }
    }

    private static ShareFetchRequestData request(
            String memberId, int epoch, Uuid topicId, int partition, List<PartitionData> got) {
        ShareFetchRequestData request = new ShareFetchRequestData()
                .setGroupId(ShareWorld.GROUP)
                .setMemberId(memberId)
                .setShareSessionEpoch(epoch)
                .setMaxWaitMs(500)
                .setMaxRecords(AT_A_TIME)
                .setBatchSize(AT_A_TIME)
                .setMinBytes(1)
                .setMaxBytes(1 << 20)
                .setShareAcquireMode((byte) 1);
        FetchTopic topic = new FetchTopic().setTopicId(topicId);
        if (epoch == 0) {
            topic.partitions().add(new FetchPartition().setPartitionIndex(partition));
        }
        for (PartitionData data : got) {
            topic.partitions()
                    .add(new FetchPartition()
                            .setPartitionIndex(data.partitionIndex())
                            .setAcknowledgementBatches(data.acquiredRecords().stream()
                                    .map(acquired -> new AcknowledgementBatch()
                                            .setFirstOffset(acquired.firstOffset())
                                            .setLastOffset(acquired.lastOffset())
                                            .setAcknowledgeTypes(List.of(ACCEPT)))
                                    .toList()));
        }
        request.topics().add(topic);
        return request;
    }

    private List<PartitionData> note(int number, ShareFetchResponseData answer) {
        assertThat(answer.errorCode()).isZero();
        List<PartitionData> got = new ArrayList<>();
        answer.responses()
                .forEach(topic -> topic.partitions().forEach(partition -> {
                    assertThat(partition.errorCode()).isZero();
                    assertThat(partition.acknowledgeErrorCode()).isZero();
                    if (!partition.acquiredRecords().isEmpty()) {
                        got.add(partition);
                        partition
                                .acquiredRecords()
                                .forEach(acquired -> note(number, partition.partitionIndex(), acquired));
                    }
                }));
        return got;
    }

    private void note(int number, int partition, AcquiredRecords acquired) {
        if (served.add(number)) {
            lastFirstNanos = SystemClock.INSTANCE.nanoTime();
        }
        for (long offset = acquired.firstOffset(); offset <= acquired.lastOffset(); offset++) {
            delivered.add(new Place(partition, offset));
            deliveries.incrementAndGet();
        }
    }
}
