package io.sluice.broker.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.simulation.InMemoryPartitionLog;
import io.sluice.broker.simulation.RecordingCall;
import io.sluice.storage.log.LogState;
import io.sluice.storage.log.ReadResult;
import java.util.List;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.FetchRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Fetch without sessions. */
class FetchHandlerTest {
    private final FetchWorld world = new FetchWorld();

    @AfterEach
    void everySliceWasReleased() {
        assertThat(world.logs.openSlices()).isZero();
    }

    @ParameterizedTest
    @ValueSource(shorts = {4, 5, 6, 7, 10, 11, 12, 13, 15, 16, 17, 18})
    void givesTheRecordsInEveryVersion(short version) {
        world.createTopic("t", 1);
        world.append("t", 0, "a", "b");
        world.append("t", 0, "c");
        world.version = version;

        PartitionData partition = FetchWorld.only(world.fetch(world.request(world.topic("t", world.partition(0, 0)))));

        assertThat(FetchWorld.values(partition)).containsExactly("a", "b", "c");
        assertThat(partition.errorCode()).isEqualTo(Errors.NONE.code());
        assertThat(partition.highWatermark()).isEqualTo(3);
        assertThat(partition.lastStableOffset()).isEqualTo(3);
        assertThat(partition.logStartOffset()).isEqualTo(version >= 5 ? 0 : -1);
        assertThat(partition.abortedTransactions()).isNull();
    }

    @Test
    void insideABatchTheWholeBatchComes() {
        world.createTopic("t", 1);
        world.append("t", 0, "a", "b", "c");

        assertThat(FetchWorld.values(fetchFrom(1))).containsExactly("a", "b", "c");
    }

    @Test
    void beyondTheEndAndBeforeTheStartAreOutOfRangeAtOnce() {
        world.createTopic("t", 1);
        world.append("t", 0, "a", "b");
        world.log("t", 0).trim(1);

        for (long offset : new long[] {-1, 0, 3, 100}) {
            PartitionData partition = fetchFrom(offset);
            assertThat(partition.errorCode()).as("offset %d", offset).isEqualTo(Errors.OFFSET_OUT_OF_RANGE.code());
            assertThat(partition.highWatermark()).isEqualTo(-1);
        }
    }

    @Test
    void atTheEndItWaitsForTheTimeAsked() {
        world.createTopic("t", 1);
        RecordingCall<FetchRequest> call = world.send(world.request(world.topic("t", world.partition(0, 0))));

        world.advanceMillis(499);
        assertThat(call.isAnswered()).isFalse();
        world.advanceMillis(1);

        PartitionData partition = FetchWorld.only(world.answer(call));
        assertThat(partition.errorCode()).isEqualTo(Errors.NONE.code());
        assertThat(FetchWorld.values(partition)).isEmpty();
        assertThat(world.log("t", 0).listenerCount()).isZero();
        assertThat(world.time.pendingTimers()).isZero();
    }

    @Test
    void whatArrivesWhileItWaitsAnswersIt() {
        world.createTopic("t", 2);
        RecordingCall<FetchRequest> call =
                world.send(world.request(world.topic("t", world.partition(0, 0), world.partition(1, 0))));

        world.append("t", 1, "a");

        List<PartitionData> partitions = FetchWorld.partitions(world.answer(call));
        assertThat(partitions).hasSize(2);
        assertThat(FetchWorld.values(partitions.get(0))).isEmpty();
        assertThat(FetchWorld.values(partitions.get(1))).containsExactly("a");
        assertThat(world.log("t", 0).listenerCount()).isZero();
        assertThat(world.time.pendingTimers()).isZero();
    }

    @Test
    void nothingIsReadBeforeItIsVisible() {
        world.createTopic("t", 1);
        world.logs.setFlushesAtOnce(false);
        RecordingCall<FetchRequest> call = world.send(world.request(world.topic("t", world.partition(0, 0))));

        world.append("t", 0, "a");
        assertThat(call.isAnswered()).isFalse();
        world.logs.flush();

        assertThat(FetchWorld.values(FetchWorld.only(world.answer(call)))).containsExactly("a");
    }

    @Test
    void anOffsetThatIsAppendedButNotVisibleIsNotOutOfRange() {
        world.createTopic("t", 1);
        world.logs.setFlushesAtOnce(false);
        world.append("t", 0, "a");
        world.maxWaitMillis = 0;

        assertThat(fetchFrom(1).errorCode()).isEqualTo(Errors.NONE.code());
    }

    @Test
    void noWaitAndNoMinimumAreAnsweredAtOnce() {
        world.createTopic("t", 1);
        world.maxWaitMillis = 0;
        assertThat(FetchWorld.values(fetchFrom(0))).isEmpty();
        world.maxWaitMillis = 500;
        world.minBytes = 0;
        assertThat(FetchWorld.values(fetchFrom(0))).isEmpty();
    }

    @Test
    void waitsForAsManyBytesAsAskedFor() {
        world.createTopic("t", 1);
        world.minBytes = 400;
        RecordingCall<FetchRequest> call = world.send(world.request(world.topic("t", world.partition(0, 0))));

        world.append("t", 0, "x".repeat(100));
        world.append("t", 0, "x".repeat(100));
        assertThat(call.isAnswered()).isFalse();
        world.append("t", 0, "x".repeat(100));

        assertThat(FetchWorld.values(FetchWorld.only(world.answer(call)))).hasSize(3);
    }

    @Test
    void readsSeldomWhileItWaitsForManyBytes() {
        world.createTopic("t", 1);
        world.minBytes = 100_000;
        RecordingCall<FetchRequest> call = world.send(world.request(world.topic("t", world.partition(0, 0))));

        for (int i = 0; i < 1_000 && !call.isAnswered(); i++) {
            world.append("t", 0, "x".repeat(100));
        }

        assertThat(world.log("t", 0).reads()).isLessThan(5);
        assertThat(FetchWorld.only(world.answer(call)).records().sizeInBytes()).isGreaterThanOrEqualTo(100_000);
    }

    @Test
    void whatAPartitionThatWasQuietBringsCountsAsWell() {
        world.createTopic("t", 2);
        world.append("t", 0, "a");
        world.minBytes = 400;
        RecordingCall<FetchRequest> call =
                world.send(world.request(world.topic("t", world.partition(0, 0), world.partition(1, 0))));
        assertThat(call.isAnswered()).isFalse();

        world.append("t", 1, "x".repeat(500));

        assertThat(call.isAnswered()).isTrue();
        assertThat(FetchWorld.partitions(world.answer(call)))
                .extracting(data -> FetchWorld.values(data).size())
                .containsExactly(1, 1);
    }

    @Test
    void holdsNoMemoryForTheAnswerWhileItWaits() {
        world.createTopic("t", 1);
        world.append("t", 0, "a");
        world.minBytes = 10_000;
        RecordingCall<FetchRequest> call = world.send(world.request(world.topic("t", world.partition(0, 0))));
        assertThat(call.isAnswered()).isFalse();
        assertThat(call.reservedBytes()).isZero();

        world.append("t", 0, "x".repeat(20_000));

        assertThat(call.reservedBytes()).isGreaterThanOrEqualTo(20_000);
        assertThat(FetchWorld.values(FetchWorld.only(world.answer(call)))).hasSize(2);
    }

    @Test
    void letsGoOfItsRequestWhileItWaitsUnlessTooManyPartitionsWait() {
        world.createTopic("t", 3);
        FetchRequestData.FetchTopic asked =
                world.topic("t", world.partition(0, 0), world.partition(1, 0), world.partition(2, 0));
        assertThat(world.handler.mayWait(FetchHandler.MAX_WAITING_PARTITIONS - 3))
                .isTrue();

        RecordingCall<FetchRequest> first = world.send(world.request(asked));
        RecordingCall<FetchRequest> second = world.send(world.request(asked));
        assertThat(first.hasLetGoOfRequest()).isTrue();
        assertThat(second.hasLetGoOfRequest()).isFalse();

        world.advanceMillis(500);
        world.answer(first);
        world.answer(second);
        assertThat(world.send(world.request(asked)).hasLetGoOfRequest()).isTrue();
    }

    @Test
    void givesWhatThereIsWhenTheTimeIsUp() {
        world.createTopic("t", 1);
        world.append("t", 0, "a");
        world.minBytes = 10_000;
        RecordingCall<FetchRequest> call = world.send(world.request(world.topic("t", world.partition(0, 0))));
        assertThat(call.isAnswered()).isFalse();

        world.advanceMillis(500);

        assertThat(FetchWorld.values(FetchWorld.only(world.answer(call)))).containsExactly("a");
    }

    @Test
    void aTinyLimitGivesOneBatchOfTheFirstPartitionAndNothingOfTheOthers() {
        world.createTopic("t", 3);
        for (int i = 1; i < 3; i++) {
            world.append("t", i, "a");
            world.append("t", i, "b");
        }
        world.maxBytes = 1;

        List<PartitionData> partitions = FetchWorld.partitions(world.fetch(
                world.request(world.topic("t", world.partition(0, 0), world.partition(1, 0), world.partition(2, 0)))));

        assertThat(partitions).extracting(FetchWorld::values).containsExactly(List.of(), List.of("a"), List.of());
        assertThat(partitions).extracting(PartitionData::highWatermark).containsExactly(0L, 2L, 2L);
    }

    @Test
    void thePartitionsOwnLimitHolds() {
        world.createTopic("t", 2);
        for (int i = 0; i < 2; i++) {
            world.append("t", i, "x".repeat(100));
            world.append("t", i, "x".repeat(100));
        }
        world.partitionMaxBytes = 250;

        List<PartitionData> partitions = FetchWorld.partitions(
                world.fetch(world.request(world.topic("t", world.partition(0, 0), world.partition(1, 0)))));

        assertThat(partitions)
                .extracting(partition -> FetchWorld.values(partition).size())
                .containsExactly(1, 1);
    }

    @Test
    void unknownTopicsAndPartitions() {
        world.createTopic("t", 1);
        FetchResponseData byName = world.fetch(
                world.request(world.topic("missing", world.partition(0, 0)), world.topic("t", world.partition(5, 0))));
        assertErrors(byName, Errors.UNKNOWN_TOPIC_OR_PARTITION, Errors.UNKNOWN_TOPIC_OR_PARTITION);

        var unknown = world.topic("t", world.partition(0, 0));
        world.version = 13;
        FetchResponseData byId = world.fetch(world.request(
                unknown.duplicate().setTopicId(new org.apache.kafka.common.Uuid(9, 9)),
                world.topic("t", world.partition(5, 0))));
        assertErrors(byId, Errors.UNKNOWN_TOPIC_ID, Errors.UNKNOWN_TOPIC_OR_PARTITION);
    }

    @Test
    void leaderEpochsAreCompared() {
        world.createTopic("t", 1);
        world.log("t", 0).beginEpoch(5);
        world.version = 16;
        var newer = world.partition(0, 0).setCurrentLeaderEpoch(6);
        var older = world.partition(0, 0).setCurrentLeaderEpoch(4);
        world.maxWaitMillis = 0;

        assertErrors(world.fetch(world.request(world.topic("t", newer))), Errors.UNKNOWN_LEADER_EPOCH);
        FetchResponseData fenced = world.fetch(world.request(world.topic("t", older)));
        assertErrors(fenced, Errors.FENCED_LEADER_EPOCH);
        assertThat(FetchWorld.only(fenced).currentLeader().leaderEpoch()).isEqualTo(5);
        assertErrors(
                world.fetch(world.request(world.topic("t", world.partition(0, 0).setCurrentLeaderEpoch(5)))),
                Errors.NONE);
    }

    @Test
    void aDivergingEpochIsTold() {
        world.createTopic("t", 1);
        world.append("t", 0, "a", "b");
        world.log("t", 0).beginEpoch(3);
        world.append("t", 0, "c");

        PartitionData diverged = FetchWorld.only(
                world.fetch(world.request(world.topic("t", world.partition(0, 3).setLastFetchedEpoch(1)))));

        assertThat(diverged.divergingEpoch().epoch()).isZero();
        assertThat(diverged.divergingEpoch().endOffset()).isEqualTo(2);
        assertThat(FetchWorld.values(diverged)).isEmpty();
    }

    @Test
    void readCommittedStopsAtTheLastStableOffsetAndNamesAbortedTransactions() {
        world.createTopic("t", 1);
        world.append("t", 0, "a");
        world.append("t", 0, "b");
        world.log("t", 0).setLastStableOffset(1, List.of(new ReadResult.AbortedTransaction(7, 0)));
        world.isolation = 1;

        PartitionData partition = fetchFrom(0);

        assertThat(FetchWorld.values(partition)).containsExactly("a");
        assertThat(partition.highWatermark()).isEqualTo(2);
        assertThat(partition.lastStableOffset()).isEqualTo(1);
        assertThat(partition.abortedTransactions())
                .extracting(FetchResponseData.AbortedTransaction::producerId)
                .containsExactly(7L);
        world.maxWaitMillis = 0;
        assertThat(FetchWorld.values(fetchFrom(1))).isEmpty();
        world.isolation = 0;
        assertThat(FetchWorld.values(fetchFrom(0))).containsExactly("a", "b");
    }

    @Test
    void damagedDataIsNotServed() {
        world.createTopic("t", 2);
        world.append("t", 0, "a");
        world.append("t", 1, "b");
        world.log("t", 0).corruptFrom(0);

        FetchResponseData response =
                world.fetch(world.request(world.topic("t", world.partition(0, 0), world.partition(1, 0))));

        assertErrors(response, Errors.CORRUPT_MESSAGE, Errors.NONE);
        assertThat(FetchWorld.values(FetchWorld.partitions(response).get(1))).containsExactly("b");
    }

    @Test
    void logsThatAreNotServed() {
        world.createTopic("t", 3);
        world.log("t", 0).become(LogState.RECOVERING);
        world.log("t", 1).become(LogState.DELETED);
        world.append("t", 2, "c");
        world.log("t", 2).become(LogState.FAILED);

        FetchResponseData response = world.fetch(
                world.request(world.topic("t", world.partition(0, 0), world.partition(1, 0), world.partition(2, 0))));

        assertErrors(response, Errors.NOT_LEADER_OR_FOLLOWER, Errors.UNKNOWN_TOPIC_OR_PARTITION, Errors.NONE);
        assertThat(FetchWorld.values(FetchWorld.partitions(response).get(2))).containsExactly("c");
    }

    @Test
    void aDeletedTopicAnswersWhoeverWaits() {
        world.createTopic("t", 1);
        RecordingCall<FetchRequest> call = world.send(world.request(world.topic("t", world.partition(0, 0))));

        world.cluster.deleteTopic("t");

        assertErrors(world.answer(call), Errors.UNKNOWN_TOPIC_OR_PARTITION);
    }

    @Test
    void zstdTopicsAreHiddenFromClientsThatCannotReadThem() {
        world.createTopic("t", 1, "compression.type", "zstd");
        world.version = 9;
        assertThat(fetchFrom(0).errorCode()).isEqualTo(Errors.UNSUPPORTED_COMPRESSION_TYPE.code());
        world.version = 10;
        world.maxWaitMillis = 0;
        assertThat(fetchFrom(0).errorCode()).isEqualTo(Errors.NONE.code());
    }

    @Test
    void otherBrokersReplicasAreTurnedAway() {
        world.createTopic("t", 1);
        world.append("t", 0, "a");

        FetchResponseData response = world.fetch(
                world.request(world.topic("t", world.partition(0, 0))).setReplicaId(2));

        assertErrors(response, Errors.NOT_LEADER_OR_FOLLOWER);
    }

    @Test
    void readsThatTakeTimeAreWaitedForInOrder() {
        world.createTopic("t", 3);
        for (int i = 0; i < 3; i++) {
            world.append("t", i, "v" + i);
        }
        world.logs.setDelaysReads(true);
        RecordingCall<FetchRequest> call = world.send(
                world.request(world.topic("t", world.partition(0, 0), world.partition(1, 0), world.partition(2, 0))));
        assertThat(call.isAnswered()).isFalse();

        world.logs.completeReads();

        assertThat(FetchWorld.partitions(world.answer(call)))
                .extracting(FetchWorld::values)
                .containsExactly(List.of("v0"), List.of("v1"), List.of("v2"));
    }

    @Test
    void aClosedConnectionEndsTheWait() {
        world.createTopic("t", 1);
        RecordingCall<FetchRequest> call = world.send(world.request(world.topic("t", world.partition(0, 0))));

        world.connection.close();

        assertThat(call.isNothing()).isTrue();
        assertThat(world.log("t", 0).listenerCount()).isZero();
        assertThat(world.time.pendingTimers()).isZero();
    }

    @Test
    void aClosedConnectionEndsTheReading() {
        world.createTopic("t", 2);
        world.append("t", 0, "a");
        world.append("t", 1, "b");
        world.logs.setDelaysReads(true);
        RecordingCall<FetchRequest> call =
                world.send(world.request(world.topic("t", world.partition(0, 0), world.partition(1, 0))));

        world.connection.close();
        world.logs.completeReads();

        assertThat(call.isNothing()).isTrue();
    }

    @Test
    void oneTaskForEachConnectionHoweverManyFetches() {
        world.createTopic("t", 1);
        world.append("t", 0, "a");
        for (int i = 0; i < 20; i++) {
            fetchFrom(0);
        }

        assertThat(world.connection.closeTaskCount()).isEqualTo(1);
    }

    @Test
    void withoutMemoryForAnswersItWaitsAndAnswersWithoutRecords() {
        world.createTopic("t", 1);
        world.append("t", 0, "a");
        world.responseMemory = 0;
        RecordingCall<FetchRequest> call = world.send(world.request(world.topic("t", world.partition(0, 0))));
        assertThat(call.isAnswered()).isFalse();

        world.advanceMillis(500);

        PartitionData partition = FetchWorld.only(world.answer(call));
        assertThat(FetchWorld.values(partition)).isEmpty();
        assertThat(partition.highWatermark()).isEqualTo(1);
        assertThat(world.log("t", 0).reads()).isZero();
    }

    @Test
    void littleMemoryForAnswersLimitsWhatIsRead() {
        world.createTopic("t", 1);
        InMemoryPartitionLog log = world.log("t", 0);
        for (int i = 0; i < 10; i++) {
            world.append("t", 0, "x".repeat(100));
        }
        world.responseMemory = (int) log.sizeInBytes() / 2;

        assertThat(FetchWorld.values(fetchFrom(0))).hasSize(5);
    }

    @Test
    void countsWhatWasSent() throws java.io.IOException {
        world.createTopic("t", 1);
        world.append("t", 0, "a", "b");
        world.append("t", 0, "c");
        int bytes = ((MemoryRecords) fetchFrom(0).records()).sizeInBytes();

        java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
        world.metrics.writeText(out);
        assertThat(out.toString(java.nio.charset.StandardCharsets.UTF_8))
                .contains("sluice_topic_out_bytes_total{topic=\"t\"} " + bytes + ".0")
                .contains("sluice_topic_out_records_total{topic=\"t\"} 3.0");
    }

    private PartitionData fetchFrom(long offset) {
        return FetchWorld.only(world.fetch(world.request(world.topic("t", world.partition(0, offset)))));
    }

    private static void assertErrors(FetchResponseData response, Errors... errors) {
        assertThat(FetchWorld.partitions(response))
                .extracting(partition -> Errors.forCode(partition.errorCode()))
                .containsExactly(errors);
    }
}
