package io.sluice.coordinator.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.sluice.coordinator.runtime.CoordinatorLife;
import io.sluice.coordinator.runtime.InMemoryCluster;
import io.sluice.coordinator.runtime.InMemoryLog;
import io.sluice.coordinator.runtime.SteppedTime;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.PartitionLog;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ListTransactionsRequestData;
import org.apache.kafka.common.message.ListTransactionsResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.transaction.TransactionCoordinatorRecordSerde;
import org.apache.kafka.coordinator.transaction.TransactionState;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Many producers of both generations, several for each id, over partitions that take markers late, twice or not at all, while
 * the node is killed, its partitions are handed over, its log stands still, and time passes. Batches are verified as logs do
 * it, and some come when their producers have given them up. What must hold afterwards: each transaction ended once and
 * everywhere the same way, as its producer was told, none is open, and nobody was given the epoch that there is to fence with.
 */
class TransactionSimulationTest {
    private static final int IDS = 6;
    private static final int PRODUCERS_OF_AN_ID = 2;
    private static final int STEPS = 3000;
    private static final int STATE_PARTITIONS = 8;
    private static final int MANY_IDS = 40;
    private static final ListTransactionsRequestData OPEN =
            new ListTransactionsRequestData().setStateFilters(List.of("Ongoing", "PrepareCommit", "PrepareAbort"));

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void eachTransactionEndsOnceAndEverywhereTheSameWay(long seed) {
        new World(seed, IDS, false).run();
    }

    /** Each id comes to the last of its epochs, by its own ends, by time-outs and by producers that take it over. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void alsoWhereAllEpochsAreUsedUp(long seed) {
        new World(seed, MANY_IDS, true).run();
    }

    private static final class World {
        private final Random random;
        private final SteppedTime time = new SteppedTime();
        private final SimulatedPartitions partitions;
        private final AtomicLong producerIds = new AtomicLong(1000);
        private final List<SimulatedProducer> producers = new ArrayList<>();
        private InMemoryCluster cluster = new InMemoryCluster();
        private TransactionsHarness node;
        private final boolean fewEpochs;
        private int held = -1;

        World(long seed, int ids, boolean fewEpochs) {
            this.fewEpochs = fewEpochs;
            this.random = new Random(seed);
            this.partitions = new SimulatedPartitions(new Random(random.nextLong()));
            for (int id = 0; id < ids; id++) {
                for (int number = 0; number < PRODUCERS_OF_AN_ID; number++) {
                    String name = "id-" + id + "/" + number;
                    producers.add(new SimulatedProducer(name, "id-" + id, id % 2 == 0, partitions, random));
                }
            }
            if (fewEpochs) {
                newNode().close();
                for (int id = 0; id < ids; id++) {
                    useUpEpochs("id-" + id, id, ProducerIdentity.LAST_USABLE_EPOCH - 1 - id % 4);
                }
                cluster = cluster.restarted();
            }
            this.node = newNode();
        }

        /** As if the id had been there for long. */
        private void useUpEpochs(String id, long producerId, int epoch) {
            IdState state = new IdState(
                    new ProducerIdentity(producerId, (short) epoch, ProducerIdentity.NO_EPOCH, producerId, -1),
                    TransactionState.EMPTY,
                    Set.of(),
                    30_000,
                    -1,
                    time.epochMillis(),
                    IdState.FIRST_GENERATION);
            CoordinatorRecord record = TransactionRecords.state(id, state);
            TransactionCoordinatorRecordSerde serde = new TransactionCoordinatorRecordSerde();
            MemoryRecords records = MemoryRecords.withRecords(
                    Compression.NONE,
                    new SimpleRecord(time.epochMillis(), serde.serializeKey(record), serde.serializeValue(record)));
            InMemoryLog log = cluster.log("__transaction_state", CoordinatorLife.partitionOf(id, STATE_PARTITIONS));
            AppendResult result = log.append(
                    Unpooled.wrappedBuffer(records.buffer()),
                    log.leaderEpoch(),
                    AppendOrigin.COORDINATOR,
                    PartitionLog.NO_GUARD);
            assertThat(result).isInstanceOf(AppendResult.Appended.class);
            assertThat(log.visibleOffset()).isEqualTo(log.endOffset());
        }

        private TransactionsHarness newNode() {
            TransactionsHarness next = new TransactionsHarness(cluster, time, partitions, producerIds, Map.of());
            next.locate("id-0");
            return next;
        }

        void run() {
            for (int step = 0; step < STEPS; step++) {
                step();
            }
            settle();
            assertThat(partitions.violations()).isEmpty();
            assertThat(partitions.open()).isEmpty();
            int ended = 0;
            for (SimulatedProducer producer : producers) {
                for (String transaction : producer.transactions()) {
                    ended += checkEnd(producer, transaction);
                }
            }
            assertThat(ended).isGreaterThan(STEPS / 100);
            if (fewEpochs) {
                Set<Long> producerIds = new HashSet<>();
                producers.forEach(producer -> producerIds.addAll(producer.producerIds()));
                assertThat(producerIds).as("those that have taken over, too").hasSizeGreaterThan(MANY_IDS);
            }
        }

        private int checkEnd(SimulatedProducer producer, String transaction) {
            Set<Boolean> outcomes = partitions.outcomes(transaction);
            assertThat(outcomes).as("ends of %s", transaction).hasSizeLessThanOrEqualTo(1);
            Boolean promised = producer.promises().get(transaction);
            if (promised != null) {
                // One whose only batch was refused was in no partition.
                assertThat(outcomes).as("what was promised of %s", transaction).isSubsetOf(promised);
            } else if (!producer.wantedCommit(transaction)) {
                assertThat(outcomes).as("nobody committed %s", transaction).doesNotContain(true);
            }
            return outcomes.size();
        }

        private void step() {
            int chance = random.nextInt(1000);
            if (chance < 4) {
                kill();
            } else if (chance < 10) {
                handOver(random.nextInt(STATE_PARTITIONS));
            } else if (chance < 20) {
                holdOrRelease();
            } else if (chance < 60) {
                time.advanceMillis(random.nextInt(8000));
            } else if (chance < 200) {
                partitions.pass(false);
                time.advanceMillis(random.nextInt(50));
            } else {
                SimulatedProducer producer = producers.get(random.nextInt(producers.size()));
                producer.step(node);
                if (held < 0) {
                    TransactionsHarness.until(() -> !producer.isWaiting(), () -> "no answer came");
                }
            }
        }

        private void handOver(int partition) {
            cluster.handOverAndBack(
                    cluster.log("__transaction_state", partition).id());
            held = held == partition ? -1 : held;
        }

        private void holdOrRelease() {
            if (held < 0) {
                held = random.nextInt(STATE_PARTITIONS);
                cluster.log("__transaction_state", held).hold();
            } else {
                cluster.log("__transaction_state", held).release();
                held = -1;
            }
        }

        private void kill() {
            node.close();
            producers.forEach(SimulatedProducer::loseAnswer);
            cluster = cluster.restarted();
            held = -1;
            node = newNode();
        }

        private ListTransactionsResponseData open() {
            return TransactionsHarness.await(node.transactions.list(OPEN));
        }

        /** No new transactions; what is open ends, at the latest with its time. */
        private void settle() {
            if (held >= 0) {
                holdOrRelease();
            }
            partitions.calm();
            TransactionsHarness.until(
                    () -> {
                        time.advanceMillis(2000);
                        ListTransactionsResponseData open = open();
                        return open.errorCode() == Errors.NONE.code()
                                && open.transactionStates().isEmpty();
                    },
                    () -> "still open: " + open());
            node.close();
        }
    }
}
