package io.sluice.broker.share;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.simulation.Batches;
import io.sluice.coordinator.share.AcquireLimits;
import io.sluice.coordinator.share.AcquiredRange;
import io.sluice.coordinator.share.FetchedBatch;
import io.sluice.coordinator.share.SharePartition;
import io.sluice.coordinator.share.StatePersister;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.server.share.persister.DeleteShareGroupStateParameters;
import org.apache.kafka.server.share.persister.GroupTopicPartitionData;
import org.apache.kafka.server.share.persister.InitializeShareGroupStateParameters;
import org.apache.kafka.server.share.persister.PartitionFactory;
import org.apache.kafka.server.share.persister.TopicData;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of share partitions in use while their state is made anew: a member that hangs keeps its session, not its group. */
class SharePartitionsTest {
    private static final String GROUP = "g";

    private final ShareNode node = new ShareNode();
    private final StatePersister persister = new StatePersister(node.patientState);

    @BeforeEach
    void appendTenRecords() {
        node.append(0, Batches.of(1, "0", "1", "2", "3", "4", "5", "6", "7", "8", "9"));
    }

    private void initialize(int partition, int epoch, long startOffset) {
        persister
                .initializeState(new InitializeShareGroupStateParameters.Builder()
                        .setGroupTopicPartitionData(new GroupTopicPartitionData<>(
                                GROUP,
                                List.of(new TopicData<>(
                                        node.topicId,
                                        List.of(PartitionFactory.newPartitionStateData(
                                                partition, epoch, startOffset))))))
                        .build())
                .join();
    }

    private void delete(int partition) {
        persister
                .deleteState(new DeleteShareGroupStateParameters.Builder()
                        .setGroupTopicPartitionData(new GroupTopicPartitionData<>(
                                GROUP,
                                List.of(new TopicData<>(
                                        node.topicId, List.of(PartitionFactory.newPartitionIdData(partition))))))
                        .build())
                .join();
    }

    private static List<AcquiredRange> acquire(SharePartition records, String holder) {
        return records.acquire(
                holder, records.nextOffset(), List.of(new FetchedBatch(0, 9, true)), new AcquireLimits(100, false));
    }

    private static List<AcquiredRange> once(long first, long last) {
        return List.of(new AcquiredRange(first, last, (short) 1));
    }

    @Test
    void readsTheStateOfAGroupThatWasDeletedAndMadeAnewWithTheSameEpoch() {
        initialize(0, 0, 0);
        SharePartition former = node.use(GROUP, 0);
        assertThat(acquire(former, "hanging")).isEqualTo(once(0, 9));

        delete(0);
        initialize(0, 0, 0);

        assertThat(acquire(node.use(GROUP, 0), "next")).isEqualTo(once(0, 9));
        assertThat(former.acknowledge("hanging", List.of())).isCompletedWithValue(Errors.NOT_LEADER_OR_FOLLOWER);
    }

    @Test
    void readsTheStateThatAnOperatorSet() {
        initialize(0, 0, 0);
        assertThat(acquire(node.use(GROUP, 0), "hanging")).isEqualTo(once(0, 9));

        initialize(0, 1, 5);

        assertThat(acquire(node.use(GROUP, 0), "next")).isEqualTo(once(5, 9));
    }

    @Test
    void leavesOtherPartitionsAlone() {
        initialize(0, 0, 0);
        SharePartition used = node.use(GROUP, 0);

        initialize(1, 0, 0);
        delete(1);

        assertThat(node.use(GROUP, 0)).isSameAs(used);
    }
}
