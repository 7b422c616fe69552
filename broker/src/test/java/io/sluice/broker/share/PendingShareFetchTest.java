package io.sluice.broker.share;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.serving.ServedTopic;
import io.sluice.broker.simulation.Batches;
import io.sluice.broker.simulation.RecordingCall;
import io.sluice.broker.simulation.RecordingConnection;
import io.sluice.protocol.record.CompressionCodec;
import io.sluice.storage.log.LogState;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.ShareFetchRequestData;
import org.apache.kafka.common.message.ShareFetchResponseData;
import org.apache.kafka.common.message.ShareFetchResponseData.PartitionData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ShareFetchRequest;
import org.apache.kafka.common.requests.ShareFetchResponse;
import org.junit.jupiter.api.Test;

/** How a ShareFetch waits for its turn, what ends that, and what it takes. */
class PendingShareFetchTest {
    private static final short VERSION = 2;
    private static final int WAIT_MILLIS = 500;
    private static final int MAX_BYTES = 1 << 20;

    private final ShareNode node = new ShareNode();
    private final ShareFetchHandler handler =
            new ShareFetchHandler(node.partitions, node.sessions, node.time, node.time, MAX_BYTES);
    private final Member ann = new Member(1);
    private final Member bob = new Member(2);

    /** A member of the group with a connection of its own. */
    private final class Member {
        final RecordingConnection connection;
        /** What its event loop has not come to, while it rests; else tasks run at once. */
        final Deque<Runnable> tasks = new ArrayDeque<>();

        boolean loopRests;
        int memory = Integer.MAX_VALUE;
        int maxRecords = 10;
        private int epoch;

        Member(long id) {
            connection = new RecordingConnection(id);
        }

        private void execute(Runnable task) {
            if (loopRests) {
                tasks.add(task);
            } else {
                task.run();
            }
        }

        void runTasks() {
            loopRests = false;
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                task.run();
            }
        }

        RecordingCall<ShareFetchRequest> fetch(int... partitions) {
            return fetchFor(WAIT_MILLIS, partitions);
        }

        RecordingCall<ShareFetchRequest> fetchFor(int waitMillis, int... partitions) {
            ShareFetchRequestData.FetchPartitionCollection named = new ShareFetchRequestData.FetchPartitionCollection();
            for (int partition : partitions) {
                named.add(new ShareFetchRequestData.FetchPartition().setPartitionIndex(partition));
            }
            ShareFetchRequestData.FetchTopicCollection topics = new ShareFetchRequestData.FetchTopicCollection();
            topics.add(new ShareFetchRequestData.FetchTopic()
                    .setTopicId(node.topicId)
                    .setPartitions(named));
            ShareFetchRequestData data = new ShareFetchRequestData()
                    .setGroupId("g")
                    .setMemberId("member-" + connection.id())
                    .setShareSessionEpoch(epoch++)
                    .setMaxWaitMs(waitMillis)
                    .setMinBytes(1)
                    .setMaxRecords(maxRecords)
                    .setMaxBytes(MAX_BYTES)
                    .setTopics(topics);
            RecordingCall<ShareFetchRequest> call = new RecordingCall<>(
                            new ShareFetchRequest(data, VERSION), connection, node.time.nanoTime())
                    .withExecutor(this::execute)
                    .withResponseMemory(memory);
            handler.handle(call);
            return call;
        }
    }

    private static ShareFetchResponseData answer(RecordingCall<?> call) {
        return ((ShareFetchResponse) call.response()).data();
    }

    private static List<PartitionData> partitions(RecordingCall<?> call) {
        ShareFetchResponseData answer = answer(call);
        assertThat(Errors.forCode(answer.errorCode())).isEqualTo(Errors.NONE);
        return answer.responses().stream()
                .flatMap(topic -> topic.partitions().stream())
                .toList();
    }

    /** What was delivered, as partition:first-last*count. */
    private static List<String> delivered(RecordingCall<?> call) {
        return partitions(call).stream()
                .flatMap(partition -> partition.acquiredRecords().stream()
                        .map(range -> partition.partitionIndex() + ":" + range.firstOffset() + "-" + range.lastOffset()
                                + "*" + range.deliveryCount()))
                .toList();
    }

    private static List<Errors> errors(RecordingCall<?> call) {
        return partitions(call).stream()
                .map(partition -> Errors.forCode(partition.errorCode()))
                .toList();
    }

    private void use(int... partitions) {
        for (int partition : partitions) {
            node.use("g", partition);
        }
    }

    private void append(int partition, String... values) {
        node.append(partition, Batches.of(1, values));
    }

    private void appendMarker(int partition) {
        byte[] commit = {0, 0, 0, 1};
        node.append(
                partition,
                Batches.batch(
                        CompressionCodec.NONE,
                        builder -> builder.producer(7, (short) 0, -1)
                                .transactional(true)
                                .control(true)
                                .append(1, commit, new byte[6])));
    }

    private void pass(long millis) {
        node.time.advanceNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    // ---- Waiting

    @Test
    void answersWithNothingWhenItsTimeIsUpAndNotBefore() {
        RecordingCall<?> fetch = ann.fetch(0, 1);

        pass(WAIT_MILLIS - 1);
        assertThat(fetch.isAnswered()).isFalse();
        pass(1);

        assertThat(partitions(fetch)).isEmpty();
        assertThat(node.time.pendingTimers()).isZero();
    }

    @Test
    void deliversWhatComesWhileItWaits() {
        RecordingCall<?> fetch = ann.fetch(0, 1);
        pass(100);

        append(1, "one", "two");

        assertThat(delivered(fetch)).containsExactly("1:0-1*1");
        assertThat(fetch.hasLetGoOfRequest()).isTrue();
        append(0, "for others");
        assertThat(delivered(bob.fetch(0, 1))).as("it waits nowhere any more").containsExactly("0:0-0*1");
    }

    @Test
    void takesWhatIsThereFromAllOfItsPartitions() {
        use(0, 1);
        append(0, "one");
        append(1, "two");

        RecordingCall<?> fetch = ann.fetch(0, 1);

        assertThat(delivered(fetch)).containsExactly("0:0-0*1", "1:0-0*1");
    }

    @Test
    void twoWhoWaitAreServedOneAfterTheOther() {
        RecordingCall<?> first = ann.fetch(0);
        RecordingCall<?> second = bob.fetch(0);

        append(0, "one");
        assertThat(delivered(first)).containsExactly("0:0-0*1");
        assertThat(second.isAnswered()).isFalse();
        RecordingCall<?> again = ann.fetch(0);
        append(0, "two");

        assertThat(delivered(second)).containsExactly("0:1-1*1");
        assertThat(again.isAnswered()).isFalse();
        append(0, "three");
        assertThat(delivered(again)).containsExactly("0:2-2*1");
    }

    @Test
    void aTurnThatComesTooLateIsTheNextOnes() {
        use(0);
        ann.loopRests = true;
        RecordingCall<?> late = ann.fetch(0);
        RecordingCall<?> next = bob.fetchFor(2 * WAIT_MILLIS, 0);
        pass(WAIT_MILLIS);
        append(0, "one");
        assertThat(next.isAnswered()).as("while the turn is another's").isFalse();

        ann.runTasks();

        assertThat(partitions(late)).isEmpty();
        assertThat(delivered(next)).containsExactly("0:0-0*1");
    }

    @Test
    void ofTwoTurnsItTakesOne() {
        use(0, 1);
        ann.loopRests = true;
        RecordingCall<?> fetch = ann.fetch(0, 1);
        append(0, "one");
        append(1, "two");
        RecordingCall<?> next = bob.fetch(1);

        ann.runTasks();

        assertThat(delivered(fetch)).containsExactly("0:0-0*1");
        assertThat(delivered(next)).containsExactly("1:0-0*1");
    }

    @Test
    void waitsOnWhereItsTurnBringsNothing() {
        use(0);
        RecordingCall<?> fetch = ann.fetch(0);
        appendMarker(0);
        assertThat(fetch.isAnswered()).isFalse();

        append(0, "one");

        assertThat(delivered(fetch)).containsExactly("0:1-1*1");
    }

    // ---- Partitions that load

    @Test
    void waitsNoLongerThanAskedForAPartitionThatLoads() {
        node.state.holdReads(0);
        RecordingCall<?> fetch = ann.fetch(0);

        pass(WAIT_MILLIS);

        assertThat(partitions(fetch)).isEmpty();
    }

    @Test
    void deliversOfOnePartitionWhileAnotherLoads() {
        use(1);
        append(1, "one");
        node.state.holdReads(0);

        RecordingCall<?> fetch = ann.fetch(0, 1);

        assertThat(delivered(fetch)).containsExactly("1:0-0*1");
        node.state.answerReads(0);
        append(0, "two");
        assertThat(delivered(ann.fetch())).containsExactly("0:0-0*1");
    }

    @Test
    void deliversOfAPartitionThatWasLoadedWhileItWaited() {
        use(0, 1);
        append(0, "one");
        node.sessions.end(
                Objects.requireNonNull(node.sessions
                        .begin(new ShareSession.Key("g", "x"), new RecordingConnection(9))
                        .session()),
                true);
        assertThat(node.partitions.size()).as("nobody reads any more").isZero();
        node.state.holdReads(0);
        RecordingCall<?> fetch = ann.fetch(0, 1);
        assertThat(fetch.isAnswered()).isFalse();

        node.state.answerReads(0);

        assertThat(delivered(fetch)).containsExactly("0:0-0*1");
    }

    // ---- Memory

    @Test
    void setsNoMoreMemoryAsideThanOneReadNeeds() {
        use(0, 1);
        append(1, "one");
        RecordingCall<?> alone = bob.fetch(1);
        append(0, "two");
        append(1, "three");

        RecordingCall<?> fetch = ann.fetch(0, 1);

        assertThat(delivered(fetch)).containsExactly("0:0-0*1", "1:1-1*1");
        assertThat(fetch.reservedBytes())
                .isLessThanOrEqualTo(alone.reservedBytes()
                        + partitions(fetch).get(0).records().sizeInBytes());
    }

    @Test
    void holdsNoMemoryWhileItWaits() {
        use(0);
        append(0, "one");
        assertThat(delivered(bob.fetch(0))).hasSize(1);

        RecordingCall<?> fetch = ann.fetch(0);

        assertThat(fetch.reservedBytes()).isZero();
    }

    @Test
    void linesUpAgainAfterAPauseWhereThereWasNoMemory() {
        use(0);
        append(0, "one");
        ann.memory = 0;
        RecordingCall<?> fetch = ann.fetchFor(10_000, 0);
        assertThat(fetch.isAnswered()).isFalse();
        int readsBefore = node.log(0).reads();

        pass(1000);
        assertThat(node.log(0).reads()).as("reads without memory").isEqualTo(readsBefore);
        fetch.withResponseMemory(Integer.MAX_VALUE);
        pass(TimeUnit.NANOSECONDS.toMillis(PendingShareFetch.MEMORY_PAUSE_NANOS));

        assertThat(delivered(fetch)).containsExactly("0:0-0*1");
    }

    @Test
    void leavesItsTurnToOthersWhereItHasNoMemory() {
        use(0);
        ann.memory = 0;
        RecordingCall<?> without = ann.fetch(0);
        RecordingCall<?> with = bob.fetch(0);

        append(0, "one");

        assertThat(delivered(with)).containsExactly("0:0-0*1");
        pass(WAIT_MILLIS);
        assertThat(partitions(without)).isEmpty();
        assertThat(node.time.pendingTimers()).as("but for the lock").isEqualTo(1);
    }

    @Test
    void countsBytesThatItDeliversAndNotThoseThatItReads() {
        ServedTopic topic = Objects.requireNonNull(node.topics.find(node.topic.id()));
        use(0);
        append(0, "one");
        append(0, "two", "three");
        ann.maxRecords = 1;

        RecordingCall<?> fetch = ann.fetch(0);

        assertThat(delivered(fetch)).containsExactly("0:0-0*1");
        assertThat(topic.series().bytesOut().sum())
                .isEqualTo(partitions(fetch).get(0).records().sizeInBytes());
    }

    // ---- What is gone

    @Test
    void tellsThatAPartitionIsGoneForWhichItWaits() {
        RecordingCall<?> fetch = ann.fetch(0, 1);

        node.log(0).become(LogState.DELETED);

        assertThat(errors(fetch)).containsExactly(Errors.NOT_LEADER_OR_FOLLOWER);
    }

    @Test
    void tellsThatAPartitionIsGoneThatItReads() {
        use(0);
        append(0, "one");
        node.logs.setDelaysReads(true);
        RecordingCall<?> fetch = ann.fetch(0);

        node.log(0).become(LogState.DELETED);
        node.logs.completeReads();

        assertThat(errors(fetch)).containsExactly(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        assertThat(node.logs.openSlices()).isZero();
    }

    @Test
    void tellsThatAPartitionWentWhileItReadAnother() {
        use(0, 1);
        append(0, "one");
        assertThat(delivered(bob.fetch(0))).hasSize(1);
        appendMarker(0);
        node.logs.setDelaysReads(true);
        RecordingCall<?> fetch = ann.fetch(0, 1);

        node.log(1).become(LogState.FAILED);
        node.logs.completeReads();

        assertThat(errors(fetch)).containsExactly(Errors.NOT_LEADER_OR_FOLLOWER);
    }

    @Test
    void endsWithItsSessionWhileItWaits() {
        RecordingCall<?> fetch = ann.fetch(0);

        ann.connection.close();

        assertThat(Errors.forCode(answer(fetch).errorCode())).isEqualTo(Errors.SHARE_SESSION_NOT_FOUND);
        assertThat(node.time.pendingTimers()).isZero();
        use(0);
        append(0, "one");
        assertThat(delivered(bob.fetch(0))).as("it waits nowhere any more").containsExactly("0:0-0*1");
    }

    @Test
    void leavesWhatItReadsToOthersWhereItsSessionEnds() {
        use(0);
        append(0, "one");
        node.logs.setDelaysReads(true);
        RecordingCall<?> fetch = ann.fetch(0);
        RecordingCall<?> next = bob.fetch(0);

        ann.connection.close();
        node.logs.completeReads();

        assertThat(Errors.forCode(answer(fetch).errorCode())).isEqualTo(Errors.SHARE_SESSION_NOT_FOUND);
        assertThat(delivered(next)).containsExactly("0:0-0*1");
        assertThat(node.logs.openSlices()).isZero();
    }

    @Test
    void takesNothingForASessionThatHasEndedBeforeItKnows() {
        use(0);
        append(0, "one");
        ann.loopRests = true;
        node.logs.setDelaysReads(true);
        RecordingCall<?> fetch = ann.fetch(0);
        RecordingCall<?> next = bob.fetch(0);
        node.logs.completeReads();

        ann.connection.close();
        ann.runTasks();
        node.logs.completeReads();

        assertThat(Errors.forCode(answer(fetch).errorCode())).isEqualTo(Errors.SHARE_SESSION_NOT_FOUND);
        assertThat(delivered(next)).containsExactly("0:0-0*1");
    }
}
