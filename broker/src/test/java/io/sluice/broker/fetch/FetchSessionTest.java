package io.sluice.broker.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.simulation.RecordingCall;
import io.sluice.broker.simulation.RecordingConnection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Fetch sessions (KIP-227). */
class FetchSessionTest {
    private final FetchWorld world = new FetchWorld();

    @BeforeEach
    void answersComeAtOnce() {
        world.maxWaitMillis = 0;
        world.createTopic("t", 3);
    }

    @AfterEach
    void everySliceWasReleased() {
        assertThat(world.logs.openSlices()).isZero();
    }

    @Test
    void aNewSessionIsToldEverythingThenOnlyWhatChanged() {
        world.append("t", 1, "a");

        FetchResponseData first = begin();
        int id = first.sessionId();
        assertThat(id).isPositive();
        assertThat(partitionNumbers(first)).containsExactly(0, 1, 2);

        FetchResponseData second = world.fetch(world.inSession(id, 1, world.topic("t", world.partition(1, 1))));
        assertThat(second.sessionId()).isEqualTo(id);
        assertThat(FetchWorld.partitions(second)).isEmpty();

        world.append("t", 2, "b");
        FetchResponseData third = world.fetch(world.inSession(id, 2));
        assertThat(partitionNumbers(third)).containsExactly(2);
        assertThat(FetchWorld.values(FetchWorld.only(third))).containsExactly("b");
    }

    @Test
    void whatTheClientHasNotTakenIsToldAgain() {
        world.append("t", 0, "a");
        int id = begin().sessionId();

        for (int epoch = 1; epoch < 4; epoch++) {
            FetchResponseData again = world.fetch(world.inSession(id, epoch));
            assertThat(FetchWorld.values(FetchWorld.only(again))).containsExactly("a");
        }
    }

    @Test
    void aMovedStartIsNews() {
        world.append("t", 0, "a");
        int id = begin().sessionId();
        world.fetch(world.inSession(id, 1, world.topic("t", world.partition(0, 1))));

        world.log("t", 0).trim(1);

        FetchResponseData response = world.fetch(world.inSession(id, 2));
        assertThat(FetchWorld.only(response).logStartOffset()).isEqualTo(1);
        assertThat(FetchWorld.partitions(world.fetch(world.inSession(id, 3)))).isEmpty();
    }

    @Test
    void forgottenPartitionsStop() {
        int id = begin().sessionId();

        world.fetch(world.inSession(id, 1).setForgottenTopicsData(forget(0, 2)));
        world.append("t", 0, "a");
        world.append("t", 1, "b");

        assertThat(partitionNumbers(world.fetch(world.inSession(id, 2)))).containsExactly(1);
        assertThat(world.log("t", 0).listenerCount()).isZero();
    }

    @Test
    void addedPartitionsAreTold() {
        FetchResponseData first = world.fetch(world.inSession(0, 0, world.topic("t", world.partition(0, 0))));
        world.append("t", 2, "c");

        FetchResponseData second =
                world.fetch(world.inSession(first.sessionId(), 1, world.topic("t", world.partition(2, 0))));

        assertThat(partitionNumbers(second)).containsExactly(2);
    }

    @Test
    void aSessionThatForgetsEverythingEnds() {
        int id = begin().sessionId();

        FetchResponseData last = world.fetch(world.inSession(id, 1).setForgottenTopicsData(forget(0, 1, 2)));

        assertThat(last.sessionId()).isZero();
        assertThat(last.errorCode()).isEqualTo(Errors.NONE.code());
        assertError(world.fetch(world.inSession(id, 2)), Errors.FETCH_SESSION_ID_NOT_FOUND);
    }

    @Test
    void aWrongEpochIsRefusedAndTheSessionGoesOn() {
        int id = begin().sessionId();

        assertError(world.fetch(world.inSession(id, 5)), Errors.INVALID_FETCH_SESSION_EPOCH);
        assertError(world.fetch(world.inSession(id, 1)), Errors.NONE);
        assertError(world.fetch(world.inSession(id, 1)), Errors.INVALID_FETCH_SESSION_EPOCH);
    }

    @Test
    void anUnknownSessionIsRefused() {
        assertError(world.fetch(world.inSession(77, 1)), Errors.FETCH_SESSION_ID_NOT_FOUND);
    }

    @Test
    void theFinalEpochClosesTheSession() {
        int id = begin().sessionId();

        FetchResponseData last = world.fetch(world.inSession(id, -1, world.topic("t", world.partition(0, 0))));

        assertThat(last.sessionId()).isZero();
        assertThat(partitionNumbers(last)).containsExactly(0);
        assertError(world.fetch(world.inSession(id, 1)), Errors.FETCH_SESSION_ID_NOT_FOUND);
        assertThat(world.log("t", 0).listenerCount()).isZero();
    }

    @Test
    void aConnectionRemembersNoSessionThatIsOver() {
        int id = 0;
        for (int i = 0; i < 100; i++) {
            id = world.fetch(world.inSession(id, 0, world.topic("t", world.partition(0, 0))))
                    .sessionId();
        }
        assertThat(world.handler.sessionsOfConnections()).as("replaced").isEqualTo(1);
        world.fetch(world.inSession(id, -1));
        assertThat(world.handler.sessionsOfConnections()).as("closed").isZero();

        int emptied = begin().sessionId();
        world.fetch(world.inSession(emptied, 1).setForgottenTopicsData(forget(0, 1, 2)));
        assertThat(world.handler.sessionsOfConnections()).as("emptied").isZero();
    }

    @Test
    void aNewSessionReplacesTheOneItNames() {
        int id = begin().sessionId();

        FetchResponseData next = world.fetch(world.inSession(id, 0, world.topic("t", world.partition(0, 0))));

        assertThat(next.sessionId()).isPositive().isNotEqualTo(id);
        assertError(world.fetch(world.inSession(id, 1)), Errors.FETCH_SESSION_ID_NOT_FOUND);
    }

    @Test
    void namesAndIdsDoNotMixInOneSession() {
        int id = begin().sessionId();
        world.version = 13;

        assertError(world.fetch(world.inSession(id, 1)), Errors.FETCH_SESSION_TOPIC_ID_ERROR);
    }

    @Test
    void sessionsByTopicIdFollowTheTopic() {
        world.version = 13;
        int id = begin().sessionId();
        world.cluster.deleteTopic("t");

        FetchResponseData response = world.fetch(world.inSession(id, 1));

        assertThat(FetchWorld.partitions(response))
                .extracting(partition -> Errors.forCode(partition.errorCode()))
                .containsOnly(Errors.UNKNOWN_TOPIC_OR_PARTITION)
                .hasSize(3);
    }

    @Test
    void sessionsByNameFindATopicThatWasCreatedAgain() {
        int id = begin().sessionId();
        world.cluster.deleteTopic("t");
        world.fetch(world.inSession(id, 1));
        world.createTopic("t", 3);
        world.append("t", 1, "new");

        FetchResponseData response = world.fetch(world.inSession(id, 2));

        assertThat(partitionNumbers(response)).containsExactlyInAnyOrder(0, 1, 2);
        assertThat(FetchWorld.partitions(response))
                .filteredOn(partition -> partition.partitionIndex() == 1)
                .extracting(FetchWorld::values)
                .containsExactly(List.of("new"));
    }

    @Test
    void waitsForNewsOfAnyPartition() {
        int id = begin().sessionId();
        world.maxWaitMillis = 500;
        RecordingCall<FetchRequest> call = world.send(world.inSession(id, 1));
        assertThat(call.isAnswered()).isFalse();

        world.append("t", 2, "c");

        assertThat(FetchWorld.values(FetchWorld.only(world.answer(call)))).containsExactly("c");
    }

    @Test
    void servedPartitionsGoToTheEnd() {
        for (int i = 0; i < 3; i++) {
            world.append("t", i, "v" + i);
        }
        world.maxBytes = 1;
        int id = begin().sessionId();

        assertThat(partitionsWithRecords(world.fetch(world.inSession(id, 1)))).containsExactly(1);
        assertThat(partitionsWithRecords(world.fetch(world.inSession(id, 2)))).containsExactly(2);
        assertThat(partitionsWithRecords(world.fetch(world.inSession(id, 3)))).containsExactly(0);
    }

    @Test
    void quietPartitionsAreNotLookedAt() {
        world.createTopic("many", 2_000);
        FetchRequestData.FetchPartition[] partitions = new FetchRequestData.FetchPartition[2_000];
        for (int i = 0; i < partitions.length; i++) {
            partitions[i] = world.partition(i, 0);
        }
        int id = world.fetch(world.inSession(0, 0, world.topic("many", partitions)))
                .sessionId();
        world.append("many", 1_234, "a");
        long lookedUp = world.cluster.lookups();

        FetchResponseData response = world.fetch(world.inSession(id, 1));

        assertThat(partitionNumbers(response)).containsExactly(1_234);
        assertThat(world.cluster.lookups() - lookedUp).isLessThan(5);
    }

    @Test
    void aSecondRequestTakesTheSessionFromOneThatWaits() {
        int id = begin().sessionId();
        world.maxWaitMillis = 500;
        RecordingCall<FetchRequest> first = world.send(world.inSession(id, 1));
        world.connection = new RecordingConnection(2);

        RecordingCall<FetchRequest> second = world.send(world.inSession(id, 2));

        assertError(world.answer(first), Errors.INVALID_FETCH_SESSION_EPOCH);
        assertThat(second.isAnswered()).isFalse();
        world.append("t", 0, "a");
        assertThat(FetchWorld.values(FetchWorld.only(world.answer(second)))).containsExactly("a");
    }

    @Test
    void sessionsEndWithTheirConnection() {
        int id = begin().sessionId();

        world.connection.close();
        world.connection = new RecordingConnection(2);

        assertThat(world.log("t", 0).listenerCount()).isZero();
        assertError(world.fetch(world.inSession(id, 1)), Errors.FETCH_SESSION_ID_NOT_FOUND);
    }

    @Test
    void aFullCacheKeepsYoungSessionsAndServesTheOthersWithout() {
        for (int i = 0; i < FetchWorld.SLOTS; i++) {
            assertThat(begin().sessionId()).isPositive();
        }

        FetchResponseData without = begin();

        assertThat(without.sessionId()).isZero();
        assertThat(partitionNumbers(without)).containsExactly(0, 1, 2);
    }

    @Test
    void aSessionLongUnusedGivesWay() {
        int oldest = begin().sessionId();
        begin();
        begin();
        world.time.advanceNanos(FetchSessionCache.SAFE_NANOS + 1);

        assertThat(begin().sessionId()).isPositive();

        assertError(world.fetch(world.inSession(oldest, 1)), Errors.FETCH_SESSION_ID_NOT_FOUND);
        assertThat(world.log("t", 0).listenerCount()).isEqualTo(FetchWorld.SLOTS);
    }

    @Test
    void aLargerSessionTakesThePlaceOfAnOldSmallOne() {
        int small = world.fetch(world.inSession(0, 0, world.topic("t", world.partition(0, 0))))
                .sessionId();
        int large = begin().sessionId();
        int large2 = begin().sessionId();
        world.time.advanceNanos(TimeUnit.SECONDS.toNanos(90));
        for (int id : new int[] {small, large, large2}) {
            assertError(world.fetch(world.inSession(id, 1)), Errors.NONE);
        }
        world.time.advanceNanos(TimeUnit.SECONDS.toNanos(90));

        assertThat(world.fetch(world.inSession(0, 0, world.topic("t", world.partition(0, 0))))
                        .sessionId())
                .as("no larger than the smallest")
                .isZero();
        assertThat(begin().sessionId()).isPositive();
        assertError(world.fetch(world.inSession(small, 2)), Errors.FETCH_SESSION_ID_NOT_FOUND);
        assertError(world.fetch(world.inSession(large, 2)), Errors.NONE);
    }

    @Test
    void anEmptyNewSessionIsASession() {
        FetchResponseData response = world.fetch(world.inSession(0, 0));

        assertThat(response.sessionId()).isPositive();
        assertThat(FetchWorld.partitions(response)).isEmpty();
    }

    private FetchResponseData begin() {
        return world.fetch(world.inSession(
                0, 0, world.topic("t", world.partition(0, 0), world.partition(1, 0), world.partition(2, 0))));
    }

    private static List<FetchRequestData.ForgottenTopic> forget(Integer... partitions) {
        return List.of(new FetchRequestData.ForgottenTopic().setTopic("t").setPartitions(List.of(partitions)));
    }

    private static List<Integer> partitionNumbers(FetchResponseData response) {
        return FetchWorld.partitions(response).stream()
                .map(FetchResponseData.PartitionData::partitionIndex)
                .toList();
    }

    private static List<Integer> partitionsWithRecords(FetchResponseData response) {
        return FetchWorld.partitions(response).stream()
                .filter(partition -> partition.records().sizeInBytes() > 0)
                .map(FetchResponseData.PartitionData::partitionIndex)
                .toList();
    }

    private static void assertError(FetchResponseData response, Errors error) {
        assertThat(Errors.forCode(response.errorCode())).isEqualTo(error);
    }
}
