package io.sluice.broker.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.netty.util.ResourceLeakDetector;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A session over ten thousand partitions: what it costs to have it, and to ask it again when little has changed. */
class LargeFetchSessionTest {
    private static final int PARTITIONS = 10_000;
    /** Heap for one partition at the session's beginning, request and answer of the test's own codec included. */
    private static final long MAX_BYTES_A_PARTITION = 2_000;

    private final FetchWorld world = new FetchWorld();
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final ResourceLeakDetector.Level leakLevel = ResourceLeakDetector.getLevel();

    @BeforeEach
    void answersComeAtOnce() {
        // Looking for leaks takes a stack trace for each write to a buffer.
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
        world.maxWaitMillis = 0;
        world.createTopic("large", PARTITIONS);
        world.createTopic("small", 10);
    }

    @AfterEach
    void everySliceWasReleased() {
        ResourceLeakDetector.setLevel(leakLevel);
        assertThat(world.logs.openSlices()).isZero();
    }

    private int begin(String topic, int partitions) {
        List<FetchRequestData.FetchPartition> all = IntStream.range(0, partitions)
                .mapToObj(number -> world.partition(number, 0))
                .toList();
        FetchResponseData first = world.fetch(
                world.inSession(0, 0, world.topic(topic, all.toArray(FetchRequestData.FetchPartition[]::new))));
        assertThat(FetchWorld.partitions(first)).hasSize(partitions);
        return first.sessionId();
    }

    /** One record in each of some partitions, and the session asked: what that allocates on this thread. */
    private long bytesToFetch(String topic, int id, int epoch, List<Integer> changed) {
        changed.forEach(number -> world.append(topic, number, "news"));
        long before = threads.getCurrentThreadAllocatedBytes();
        FetchResponseData answer = world.fetch(world.inSession(id, epoch));
        long bytes = threads.getCurrentThreadAllocatedBytes() - before;
        assertThat(FetchWorld.partitions(answer))
                .extracting(FetchResponseData.PartitionData::partitionIndex)
                .containsExactlyInAnyOrderElementsOf(changed);
        takeAll(topic, id, epoch + 1, answer);
        return bytes;
    }

    /** Goes on behind what was served, so that it is not served again. */
    private void takeAll(String topic, int id, int epoch, FetchResponseData answer) {
        List<FetchRequestData.FetchPartition> next = new ArrayList<>();
        FetchWorld.partitions(answer)
                .forEach(partition -> next.add(world.partition(partition.partitionIndex(), partition.highWatermark())));
        FetchResponseData quiet = world.fetch(
                world.inSession(id, epoch, world.topic(topic, next.toArray(FetchRequestData.FetchPartition[]::new))));
        assertThat(FetchWorld.partitions(quiet)).isEmpty();
    }

    @Test
    void takesABoundedAmountOfMemoryForEachPartition() {
        begin("small", 10);
        long before = threads.getCurrentThreadAllocatedBytes();

        begin("large", PARTITIONS);

        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(PARTITIONS * MAX_BYTES_A_PARTITION);
    }

    @Test
    void askingAgainCostsWhatHasChangedHoweverLargeTheSessionIs() {
        int small = begin("small", 10);
        int large = begin("large", PARTITIONS);
        bytesToFetch("small", small, 1, List.of(1));
        bytesToFetch("large", large, 1, List.of(1));

        long inSmall = bytesToFetch("small", small, 3, List.of(7));
        long lookups = world.cluster.lookups();
        long inLarge = bytesToFetch("large", large, 3, List.of(7_777));

        assertThat(inLarge).isLessThan(inSmall * 3 / 2);
        assertThat(world.cluster.lookups() - lookups).isLessThan(10);
    }

    @Test
    void costGrowsWithTheNumberOfPartitionsThatChanged() {
        int id = begin("large", PARTITIONS);
        bytesToFetch("large", id, 1, List.of(1));
        long lookups = world.cluster.lookups();

        bytesToFetch(
                "large",
                id,
                3,
                IntStream.range(0, 100).map(i -> i * 100).boxed().toList());

        assertThat(world.cluster.lookups() - lookups).isBetween(100L, 400L);
    }

    @Test
    void aQuietSessionLooksAtNothing() {
        int id = begin("large", PARTITIONS);
        world.fetch(world.inSession(id, 1));
        long lookups = world.cluster.lookups();

        for (int epoch = 2; epoch < 12; epoch++) {
            assertThat(FetchWorld.partitions(world.fetch(world.inSession(id, epoch))))
                    .isEmpty();
        }

        assertThat(world.cluster.lookups()).isEqualTo(lookups);
    }
}
