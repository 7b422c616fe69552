package io.sluice.coordinator.library;

import static io.sluice.coordinator.library.GroupsHarness.await;
import static io.sluice.coordinator.library.GroupsHarness.awaitError;
import static io.sluice.coordinator.library.GroupsHarness.call;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.metadata.TopicImage;
import io.sluice.coordinator.group.GroupCall;
import io.sluice.coordinator.runtime.CoordinatorLife;
import io.sluice.coordinator.runtime.CoordinatorLocation;
import io.sluice.coordinator.runtime.InMemoryCluster;
import io.sluice.coordinator.runtime.LogLoader;
import io.sluice.coordinator.runtime.MetadataFeed;
import io.sluice.coordinator.runtime.SteppedTime;
import io.sluice.storage.log.LogState;
import java.net.InetAddress;
import java.util.AbstractMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData.DescribedGroup;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LibraryGroupsTest {
    private GroupsHarness node;

    @BeforeEach
    void start() {
        node = newNode(Map.of());
    }

    /** A node of its own; its logs do everything at once. */
    GroupsHarness newNode(Map<String, String> configs) {
        return new GroupsHarness(new InMemoryCluster(), new SteppedTime(), configs);
    }

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void createsTheOffsetsTopicWithEightPartitionsOnFirstNeed() {
        assertThat(node.cluster.current().topic("__consumer_offsets")).isNull();

        node.locate("first");

        assertThat(node.cluster.current().topic("__consumer_offsets"))
                .isNotNull()
                .extracting(topic -> topic.partitions().size())
                .isEqualTo(8);
    }

    @Test
    void staysIdleUntilSomebodyNeedsAGroup() {
        node.time.advanceMillis(60_000);

        ListGroupsResponseData listed =
                await(node.groups.listGroups(call(ApiKeys.LIST_GROUPS), new ListGroupsRequestData()));

        assertThat(listed.groups()).isEmpty();
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().startsWith("group-coordinator"));
    }

    @Test
    void sendsAClientThatDidNotLookForTheCoordinatorToDoSo() {
        assertThat(awaitError(
                        node.groups.joinGroup(call(ApiKeys.JOIN_GROUP), GroupsHarness.joinRequest("g", "", "range"))))
                .isEqualTo(Errors.NOT_COORDINATOR);
    }

    @Test
    void aMemberJoinsSynchronisesAndBeats() {
        node.locate("g");

        JoinGroupResponseData joined = node.joinNew("g");
        SyncGroupResponseData synced = node.sync("g", joined, true);

        assertThat(joined.leader()).isEqualTo(joined.memberId());
        assertThat(synced.assignment()).containsExactly(1, 2, 3);
        assertThat(node.heartbeat("g", joined.memberId(), joined.generationId()))
                .isZero();
    }

    @Test
    void answersACommitOnlyWhenItIsDurable() {
        TopicImage topic = node.cluster.create("t", 1);
        node.locate("g");
        assertThat(node.commit("g", topic, 1)).isZero();
        node.logOf("g").hold();

        CompletableFuture<OffsetCommitResponseData> later =
                node.commitLater("g", "", -1, topic, 2).toCompletableFuture();
        // The read behind it passes through the same thread, so the commit has been appended when it is answered.
        long committedMeanwhile = node.committed("g", topic);
        boolean answeredBefore = later.isDone();
        node.logOf("g").release();

        assertThat(committedMeanwhile).isEqualTo(1);
        assertThat(answeredBefore).isFalse();
        assertThat(GroupsHarness.firstError(await(later))).isZero();
        assertThat(node.committed("g", topic)).isEqualTo(2);
    }

    @Test
    void answersAJoinOnlyWhenTheGroupIsDurable() {
        node.locate("g");
        JoinGroupResponseData joined = node.joinNew("g");
        node.logOf("g").hold();

        CompletableFuture<SyncGroupResponseData> later =
                CompletableFuture.supplyAsync(() -> node.sync("g", joined, true));
        node.committed("g", node.cluster.create("t", 1));
        boolean answeredBefore = later.isDone();
        node.logOf("g").release();

        assertThat(answeredBefore).isFalse();
        assertThat(await(later).errorCode()).isZero();
    }

    @Test
    void keepsGroupsAndOffsetsOverARestart() {
        TopicImage topic = node.cluster.create("t", 1);
        node.locate("g");
        JoinGroupResponseData joined = node.stableMember("g");
        assertThat(GroupsHarness.firstError(
                        await(node.commitLater("g", joined.memberId(), joined.generationId(), topic, 42))))
                .isZero();

        node = node.restart();

        assertThat(node.committed("g", topic)).isEqualTo(42);
        assertThat(node.heartbeat("g", joined.memberId(), joined.generationId()))
                .isZero();
    }

    @Test
    void forgetsOverARestartWhatWasNeverAnswered() {
        TopicImage topic = node.cluster.create("t", 1);
        node.locate("g");
        assertThat(node.commit("g", topic, 7)).isZero();
        node.logOf("g").hold();
        CompletableFuture<OffsetCommitResponseData> never =
                node.commitLater("g", "", -1, topic, 8).toCompletableFuture();
        node.committed("g", topic);

        node = node.restart();

        assertThat(GroupsHarness.firstError(await(never))).isEqualTo(Errors.NOT_COORDINATOR.code());
        assertThat(node.committed("g", topic)).isEqualTo(7);
    }

    @Test
    void startsByItselfInTheBackgroundWhereThereAreGroups() {
        TopicImage topic = node.cluster.create("t", 1);
        node.locate("g");
        node.commit("g", topic, 3);
        node = node.restart();

        node.time.advanceMillis(TimeUnit.NANOSECONDS.toMillis(CoordinatorLife.START_DELAY_NANOS));

        ListGroupsResponseData listed = node.settled(
                () -> node.groups.listGroups(call(ApiKeys.LIST_GROUPS), new ListGroupsRequestData()),
                ListGroupsResponseData::errorCode);
        assertThat(listed.groups()).extracting("groupId").containsExactly("g");
    }

    @Test
    void loadsALogWhoseEndTheCleanerHasEmptied() {
        TopicImage topic = node.cluster.create("t", 1);
        node.locate("g");
        node.commit("g", topic, 5);
        long end = node.logOf("g").endOffset();
        node.commit("g", topic, 6);
        node.logOf("g").clean(end);

        node = node.restart();

        assertThat(node.committed("g", topic)).isEqualTo(5);
        assertThat(node.commit("g", topic, 9)).isZero();
        assertThat(node.committed("g", topic)).isEqualTo(9);
    }

    @Test
    void keepsTryingWhileReadsFailForTheMoment() {
        TopicImage topic = node.cluster.create("t", 1);
        node.locate("g");
        node.commit("g", topic, 5);
        node = node.restart();
        node.logOf("g").failReads(1);
        node.groups.locate("g");

        assertThat(eventually(() -> {
                    short error = await(node.groups.joinGroup(
                                    call(ApiKeys.JOIN_GROUP), GroupsHarness.joinRequest("g", "", "range")))
                            .errorCode();
                    assertThat(error)
                            .isIn(Errors.COORDINATOR_LOAD_IN_PROGRESS.code(), Errors.MEMBER_ID_REQUIRED.code());
                    node.time.advanceMillis(50);
                    return error == Errors.MEMBER_ID_REQUIRED.code();
                }))
                .isTrue();
        assertThat(node.committed("g", topic)).isEqualTo(5);
    }

    @Test
    void loadsOthersWhileSomeCannotBeRead() {
        TopicImage topic = node.cluster.create("t", 1);
        node.locate(groupOn(0));
        node.commit(groupOn(0), topic, 3);
        node.commit(groupOn(1), topic, 4);
        node.commit(groupOn(7), topic, 5);
        node = node.restart();
        node.logOf(groupOn(0)).failReads(1);
        node.logOf(groupOn(1)).failReads(1);

        assertThat(node.committed(groupOn(7), topic)).isEqualTo(5);

        assertThat(eventually(() -> {
                    // The pause of a load begins when its read has failed, on a thread of its own.
                    node.time.advanceMillis(50);
                    return isLoaded(groupOn(0)) && isLoaded(groupOn(1));
                }))
                .isTrue();
        assertThat(node.committed(groupOn(0), topic)).isEqualTo(3);
        assertThat(node.committed(groupOn(1), topic)).isEqualTo(4);
    }

    @Test
    void givesUpALogThatCannotBeReadForMinutes() {
        TopicImage topic = node.cluster.create("t", 1);
        node.locate("g");
        node.commit("g", topic, 5);
        node = node.restart();
        node.logOf("g").failReads(Integer.MAX_VALUE);
        assertThat(eventually(() -> fetchError("g") == Errors.COORDINATOR_LOAD_IN_PROGRESS))
                .isTrue();

        long longest = TimeUnit.NANOSECONDS.toMillis(LogLoader.LONGEST_PAUSE_NANOS);
        assertThat(eventually(() -> {
                    node.time.advanceMillis(longest);
                    return fetchError("g") == Errors.NOT_COORDINATOR;
                }))
                .isTrue();
    }

    private boolean isLoaded(String group) {
        return await(node.groups
                .fetchOffsets(
                        call(ApiKeys.OFFSET_FETCH),
                        new OffsetFetchRequestData.OffsetFetchRequestGroup()
                                .setGroupId(group)
                                .setTopics(List.of()),
                        false)
                .handle((answer, thrown) -> thrown == null && answer.errorCode() == Errors.NONE.code()));
    }

    private Errors fetchError(String group) {
        return awaitError(node.groups.fetchOffsets(
                call(ApiKeys.OFFSET_FETCH),
                new OffsetFetchRequestData.OffsetFetchRequestGroup().setGroupId(group),
                false));
    }

    /** A group that is kept in this partition of eight. */
    private static String groupOn(int partition) {
        return IntStream.range(0, 1000)
                .mapToObj(number -> "g" + number)
                .filter(name -> Utils.abs(name.hashCode()) % 8 == partition)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void servesNoGroupFromADamagedLog() {
        TopicImage topic = node.cluster.create("t", 1);
        node.locate("g");
        node.commit("g", topic, 5);
        node = node.restart();
        node.logOf("g").damage();

        assertThat(eventually(() -> awaitError(node.groups.fetchOffsets(
                                call(ApiKeys.OFFSET_FETCH),
                                new OffsetFetchRequestData.OffsetFetchRequestGroup().setGroupId("g"),
                                false))
                        == Errors.NOT_COORDINATOR))
                .isTrue();
    }

    @Test
    void wallClockJumpsOfAnHourExpireNothing() {
        TopicImage topic = node.cluster.create("t", 1);
        node.locate("g");
        JoinGroupResponseData joined = node.stableMember("g");
        node.commitLater("g", joined.memberId(), joined.generationId(), topic, 1);

        node.time.jumpWallClockMillis(TimeUnit.HOURS.toMillis(1));
        node.time.advanceMillis(9_000);
        short afterForward = node.heartbeat("g", joined.memberId(), joined.generationId());
        node.time.jumpWallClockMillis(-TimeUnit.HOURS.toMillis(2));
        node.time.advanceMillis(9_000);
        short afterBack = node.heartbeat("g", joined.memberId(), joined.generationId());

        assertThat(afterForward).isZero();
        assertThat(afterBack).isZero();
        assertThat(node.committed("g", topic)).isEqualTo(1);
    }

    @Test
    void aMemberThatFallsSilentIsExpiredByTheMonotonicClock() {
        node.locate("g");
        JoinGroupResponseData joined = node.stableMember("g");
        node.heartbeat("g", joined.memberId(), joined.generationId());

        node.time.advanceMillis(10_001);

        assertThat(eventually(() -> await(node.groups.describeGroups(call(ApiKeys.DESCRIBE_GROUPS), List.of("g")))
                        .get(0)
                        .members()
                        .isEmpty()))
                .isTrue();
        assertThat(node.heartbeat("g", joined.memberId(), joined.generationId()))
                .isEqualTo(Errors.UNKNOWN_MEMBER_ID.code());
    }

    @Test
    void offsetsOfAnEmptyGroupExpireAfterTheRetention() {
        node.close();
        node = newNode(Map.of("offsets.retention.minutes", "1", "offsets.retention.check.interval.ms", "1000"));
        TopicImage topic = node.cluster.create("t", 1);
        node.locate("g");
        node.commit("g", topic, 5);

        node.time.advanceMillis(50_000);
        long kept = node.committed("g", topic);

        assertThat(kept).isEqualTo(5);
        assertThat(eventually(() -> {
                    // The next check is set when the one before has run, on the library's thread.
                    node.time.advanceMillis(11_000);
                    return node.committed("g", topic) == -1;
                }))
                .isTrue();
    }

    @Test
    void deletingATopicRemovesItsOffsets() {
        TopicImage topic = node.cluster.create("t", 1);
        node.locate("g");
        node.commit("g", topic, 5);

        node.cluster.delete("t");
        node.time.advanceMillis(TimeUnit.NANOSECONDS.toMillis(MetadataFeed.INTERVAL_NANOS));

        assertThat(eventuallyNothing("g", topic)).isTrue();
    }

    @Test
    void offsetsOfATopicDeletedWhileNobodyLookedDoNotReturnWithItsName() {
        TopicImage topic = node.cluster.create("t", 1);
        TopicImage other = node.cluster.create("other", 1);
        node.locate("g");
        node.commit("g", topic, 5);
        node.commit("g", other, 6);
        node.close();
        InMemoryCluster later = node.cluster.restarted();
        later.delete("t");
        later.create("t", 1);

        node = new GroupsHarness(later, node.time);

        assertThat(eventually(() -> node.committedByName("g", "t") == -1)).isTrue();
        assertThat(node.committed("g", other)).isEqualTo(6);
    }

    @Test
    void aFailedLogTurnsWaitingCommitsAway() {
        TopicImage topic = node.cluster.create("t", 1);
        node.locate("g");
        node.commit("g", topic, 5);
        node.logOf("g").hold();
        CompletableFuture<OffsetCommitResponseData> unknown =
                node.commitLater("g", "", -1, topic, 6).toCompletableFuture();
        node.committed("g", topic);

        node.logOf("g").become(LogState.FAILED);

        assertThat(GroupsHarness.firstError(await(unknown))).isEqualTo(Errors.NOT_COORDINATOR.code());
        assertThat(await(node.groups.locate("g"))).isInstanceOf(CoordinatorLocation.Unavailable.class);
    }

    @Test
    void followsOwnershipAwayAndBack() {
        TopicImage topic = node.cluster.create("t", 1);
        node.locate("g");
        node.commit("g", topic, 5);

        node.cluster.handOverAndBack(node.logOf("g").id());

        assertThat(node.committed("g", topic)).isEqualTo(5);
        assertThat(node.commit("g", topic, 6)).isZero();
    }

    @Test
    void servesConsumerGroupsAndTheirPatterns() {
        TopicImage topic = node.cluster.create("orders-1", 3);
        node.locate("g");
        ConsumerGroupHeartbeatRequestData join = new ConsumerGroupHeartbeatRequestData()
                .setGroupId("g")
                .setMemberId("m1")
                .setMemberEpoch(0)
                .setRebalanceTimeoutMs(10_000)
                .setSubscribedTopicRegex("orders-.*")
                .setTopicPartitions(List.of());

        ConsumerGroupHeartbeatResponseData joined = node.consumerHeartbeat(join);

        assertThat(joined.errorCode()).isZero();
        assertThat(joined.memberEpoch()).isPositive();
        assertThat(assignedWithin("g", joined)).containsExactlyInAnyOrder(0, 1, 2);
        assertThat(topic.partitions()).hasSize(3);
    }

    @Test
    void settingsOfGroupsAreWalkedThroughOnlyWhenSomeWereChanged() {
        AtomicInteger walks = new AtomicInteger();
        Map<String, Map<String, String>> counting = new AbstractMap<>() {
            @Override
            public Set<Map.Entry<String, Map<String, String>>> entrySet() {
                walks.incrementAndGet();
                return Map.of("other", Map.of("consumer.session.timeout.ms", "50000"))
                        .entrySet();
            }
        };
        node.cluster.setGroupConfigs(counting);
        node.locate("g");
        node.consumerHeartbeat(subscribing("g", "t0"));
        int before = walks.get();

        for (int i = 1; i < 5; i++) {
            node.cluster.create("t" + i, 1);
            node.consumerHeartbeat(subscribing("g" + i, "t" + i));
        }

        assertThat(before).isPositive();
        assertThat(walks).hasValue(before);
    }

    @Test
    void aMemberFindsATopicThatWasCreatedJustNow() {
        node.locate("g");
        node.consumerHeartbeat(subscribing("other", "early"));
        node.cluster.create("t1", 1);
        node.cluster.create("t2", 2);

        ConsumerGroupHeartbeatResponseData joined = node.consumerHeartbeat(subscribing("g", "t2"));

        assertThat(joined.assignment().topicPartitions()).hasSize(1);
        assertThat(joined.assignment().topicPartitions().get(0).partitions()).containsExactlyInAnyOrder(0, 1);
    }

    private static ConsumerGroupHeartbeatRequestData subscribing(String group, String topic) {
        return new ConsumerGroupHeartbeatRequestData()
                .setGroupId(group)
                .setMemberId("m1")
                .setMemberEpoch(0)
                .setRebalanceTimeoutMs(10_000)
                .setSubscribedTopicNames(List.of(topic))
                .setTopicPartitions(List.of());
    }

    @Test
    void aMemberThatHasJustJoinedIsDescribed() {
        short withoutMemberIdRound = 3;
        GroupCall old = new GroupCall(
                ApiKeys.JOIN_GROUP.id,
                withoutMemberIdRound,
                1,
                "client",
                InetAddress.getLoopbackAddress(),
                "PLAINTEXT");
        TopicImage topic = node.cluster.create("t", 1);
        node.locate("g");
        node.committed("g", topic);
        node.logOf("g").hold();

        JoinGroupResponseData joined = await(node.groups.joinGroup(old, GroupsHarness.joinRequest("g", "", "range")));
        CompletableFuture<List<DescribedGroup>> described = node.groups
                .describeGroups(call(ApiKeys.DESCRIBE_GROUPS), List.of("g"))
                .toCompletableFuture();
        node.committed("g", topic);
        node.logOf("g").release();

        assertThat(joined.errorCode()).isZero();
        assertThat(await(described).get(0).members()).hasSize(1);
    }

    /** Beats, moving time on, until partitions are assigned. */
    private List<Integer> assignedWithin(String group, ConsumerGroupHeartbeatResponseData joined) {
        ConsumerGroupHeartbeatResponseData last = joined;
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(GroupsHarness.TIMEOUT_SECONDS);
        while (System.nanoTime() < deadline) { // patterns are resolved on a thread of the library's own
            if (last.assignment() != null
                    && !last.assignment().topicPartitions().isEmpty()) {
                return last.assignment().topicPartitions().get(0).partitions();
            }
            node.time.advanceMillis(1_000);
            last = node.consumerHeartbeat(new ConsumerGroupHeartbeatRequestData()
                    .setGroupId(group)
                    .setMemberId("m1")
                    .setMemberEpoch(last.memberEpoch()));
            assertThat(last.errorCode()).isZero();
        }
        return List.of();
    }

    private boolean eventuallyNothing(String group, TopicImage topic) {
        return eventually(() -> node.committed(group, topic) == -1);
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
