package io.sluice.coordinator.library;

import static io.sluice.coordinator.library.GroupsHarness.await;
import static io.sluice.coordinator.library.GroupsHarness.call;
import static io.sluice.coordinator.library.GroupsHarness.firstError;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.metadata.TopicImage;
import io.sluice.coordinator.runtime.CoordinatorLocation;
import io.sluice.coordinator.runtime.InMemoryLog;
import io.sluice.coordinator.runtime.LogLoader;
import io.sluice.coordinator.runtime.MetadataTranslator;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.LogState;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of groups when the logs of the offsets topic are full, not open, or broken. */
class CoordinatorLogsTest {
    private static final AppendResult.Refused FULL =
            new AppendResult.Refused(AppendResult.Refusal.FULL, "the journal's buffer is full");

    private GroupsHarness node = new GroupsHarness();
    private TopicImage topic = node.cluster.create("t", 1);

    @BeforeEach
    void commitOnce() {
        node.locate("g");
        assertThat(node.commit("g", topic, 5)).isZero();
    }

    @AfterEach
    void close() {
        node.close();
    }

    /** The clock stands still: nobody waits for anything. */
    @Test
    void aFullLogAsksClientsToTryAgainAndKeepsNobodyElseWaiting() {
        JoinGroupResponseData member = node.stableMember("other");
        node.logOf("g").refuse(FULL);

        for (int i = 0; i < 3; i++) {
            assertThat(firstError(await(node.commitLater("g", "", -1, topic, 6))))
                    .isEqualTo(Errors.COORDINATOR_NOT_AVAILABLE.code());
            assertThat(node.heartbeat("other", member.memberId(), member.generationId()))
                    .isZero();
        }
        node.logOf("g").refuse(null);
        assertThat(node.commit("g", topic, 7)).isZero();
        assertThat(node.committed("g", topic)).isEqualTo(7);
    }

    @Test
    void aStopDoesNotWaitForRoom() {
        InMemoryLog log = node.logOf("g");
        assertThat(log.listeners()).isPositive();
        log.refuse(FULL);
        var refused = node.commitLater("g", "", -1, topic, 6);
        node.close();
        assertThat(log.listeners()).as("the library has stopped").isZero();
        assertThat(refused.toCompletableFuture()).isDone();
    }

    @Test
    void aLargerBatchIsTakenAsSoonAsTheTopicAllowsIt() {
        node.cluster.configure("__consumer_offsets", Map.of("max.message.bytes", "1000"));
        assertThat(commitWithMetadata("x".repeat(2_000))).isEqualTo(Errors.UNKNOWN_SERVER_ERROR);
        node.cluster.configure("__consumer_offsets", Map.of("max.message.bytes", "10000"));
        assertThat(commitWithMetadata("x".repeat(2_000))).isEqualTo(Errors.NONE);
    }

    private Errors commitWithMetadata(String metadata) {
        OffsetCommitRequestData request = new OffsetCommitRequestData()
                .setGroupId("g")
                .setGenerationIdOrMemberEpoch(-1)
                .setTopics(List.of(new OffsetCommitRequestData.OffsetCommitRequestTopic()
                        .setName(topic.name())
                        .setTopicId(MetadataTranslator.uuid(topic.id()))
                        .setPartitions(List.of(new OffsetCommitRequestData.OffsetCommitRequestPartition()
                                .setCommittedOffset(1)
                                .setCommittedMetadata(metadata)))));
        return Errors.forCode(
                (short) firstError(await(node.groups.commitOffsets(call(ApiKeys.OFFSET_COMMIT), request))));
    }

    @Test
    void aLogThatIsNotOpenIsNamedAndServedOnceItIs() {
        node = node.restart();
        InMemoryLog log = node.logOf("g");
        node.cluster.keepUnopened(log.id());

        assertThat(await(node.groups.locate("g")))
                .isInstanceOfSatisfying(
                        CoordinatorLocation.Unavailable.class,
                        unavailable -> assertThat(unavailable.detail()).contains("is not open on this node"));
        assertThat(eventually(() -> fetchError("g") == Errors.NOT_COORDINATOR)).isTrue();
        assertThat(node.commit(groupOn((log.id().partition() + 1) % 8), topic, 8))
                .isZero();
        assertThat(fetchError("g")).isEqualTo(Errors.NOT_COORDINATOR);

        node.cluster.openAtLast(log.id());
        node.locate("g");
        assertThat(node.committed("g", topic)).isEqualTo(5);
    }

    @Test
    void aLogThatFailedToOpenIsNotWaitedFor() {
        node = node.restart();
        node.logOf("g").become(LogState.FAILED);
        assertThat(await(node.groups.locate("g"))).isInstanceOf(CoordinatorLocation.Unavailable.class);
        assertThat(eventually(() -> fetchError("g") == Errors.NOT_COORDINATOR)).isTrue();
    }

    @Test
    void aLogThatRecoversForMinutesIsGivenUpUntilItServes() {
        node = node.restart();
        InMemoryLog log = node.logOf("g");
        log.become(LogState.RECOVERING);
        node.locate("g");
        assertThat(eventually(() -> fetchError("g") == Errors.COORDINATOR_LOAD_IN_PROGRESS))
                .isTrue();
        long longest = TimeUnit.NANOSECONDS.toMillis(LogLoader.LONGEST_PAUSE_NANOS);
        assertThat(eventually(() -> {
                    node.time.advanceMillis(longest);
                    return fetchError("g") == Errors.NOT_COORDINATOR;
                }))
                .isTrue();

        log.become(LogState.SERVING);
        node.cluster.openAtLast(log.id());
        assertThat(node.committed("g", topic)).isEqualTo(5);
    }

    @Test
    void aDefectInALoadEndsItAndKeepsNobodyElseFromLoading() {
        for (int i = 0; i < 8; i++) {
            assertThat(node.commit(groupOn(i), topic, i)).isZero();
        }
        node = node.restart();
        for (int i = 0; i < 4; i++) {
            node.cluster.log("__consumer_offsets", i).breakReads();
        }
        assertThat(node.committed(groupOn(7), topic)).isEqualTo(7);
        for (int i = 0; i < 4; i++) {
            String broken = groupOn(i);
            assertThat(eventually(() -> fetchError(broken) == Errors.NOT_COORDINATOR))
                    .isTrue();
        }
    }

    /** The clock stands still: nothing is tried again. What Kafka's clients are told then is what Kafka tells them. */
    @Test
    void missingRecordsEndALoadAtOnceAndHideNoOtherGroups() {
        node = node.restart();
        node.logOf("g").loseRecords();
        String other = groupOn((node.logOf("g").id().partition() + 1) % 8);
        assertThat(node.commit(other, topic, 1)).isZero();

        assertThat(eventually(() -> fetchError("g") == Errors.NOT_COORDINATOR)).isTrue();
        assertThat(eventually(() -> listedGroups().equals(List.of(other)))).isTrue();
    }

    /** Empty also while not all partitions are loaded. */
    private List<String> listedGroups() {
        return await(node.groups.listGroups(call(ApiKeys.LIST_GROUPS), new ListGroupsRequestData())).groups().stream()
                .map(ListGroupsResponseData.ListedGroup::groupId)
                .toList();
    }

    /** A group that is kept in this partition of eight. */
    private static String groupOn(int partition) {
        return IntStream.range(0, 1000)
                .mapToObj(number -> "g" + number)
                .filter(name -> Utils.abs(name.hashCode()) % 8 == partition)
                .findFirst()
                .orElseThrow();
    }

    /** The error of a fetch, NONE where there is none. */
    private Errors fetchError(String group) {
        return await(node.groups
                .fetchOffsets(
                        call(ApiKeys.OFFSET_FETCH),
                        new OffsetFetchRequestData.OffsetFetchRequestGroup()
                                .setGroupId(group)
                                .setTopics(List.of()),
                        false)
                .handle((answer, thrown) ->
                        thrown == null ? Errors.forCode(answer.errorCode()) : Errors.forException(causeOf(thrown))));
    }

    private static Throwable causeOf(Throwable thrown) {
        return thrown.getCause() == null ? thrown : thrown.getCause();
    }

    /** Asks until the answer is yes; every question passes through the library's thread, so this is no busy guess. */
    private static boolean eventually(BooleanSupplier question) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(GroupsHarness.TIMEOUT_SECONDS);
        while (System.nanoTime() < deadline) {
            if (question.getAsBoolean()) {
                return true;
            }
        }
        return false;
    }
}
