package io.sluice.coordinator.library;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.metric.Metrics;
import io.sluice.coordinator.group.GroupCall;
import io.sluice.coordinator.runtime.CoordinatorEnvironment;
import io.sluice.coordinator.runtime.CoordinatorLocation;
import io.sluice.coordinator.runtime.InMemoryCluster;
import io.sluice.coordinator.runtime.InMemoryLog;
import io.sluice.coordinator.runtime.MetadataTranslator;
import io.sluice.coordinator.runtime.SteppedTime;
import io.sluice.coordinator.share.LibraryShareState;
import io.sluice.coordinator.share.PatientShareState;
import io.sluice.coordinator.share.StatePersister;
import io.sluice.coordinator.transaction.ScriptedTransactions;
import io.sluice.storage.config.BrokerConfigKeys;
import io.sluice.storage.config.GroupConfigKeys;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.utils.Utils;

/** One node's groups over logs in memory, with clocks that move only when told to, and words to speak to them with. */
final class GroupsHarness implements AutoCloseable {
    static final long TIMEOUT_SECONDS = 30;

    final SteppedTime time;
    final InMemoryCluster cluster;
    final LibraryShareState shares;
    final LibraryGroups groups;
    final Metrics metrics = new Metrics();
    final ScriptedTransactions transactions = new ScriptedTransactions();
    /** Timers of a node that was stopped may still fire in the time shared with its successor; they come to nothing. */
    private final ExecutorService background = new ThreadPoolExecutor(
            2, 2, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), new ThreadPoolExecutor.DiscardPolicy());

    GroupsHarness() {
        this(new InMemoryCluster(), new SteppedTime());
    }

    GroupsHarness(InMemoryCluster cluster, SteppedTime time) {
        this(cluster, time, Map.of());
    }

    GroupsHarness(InMemoryCluster cluster, SteppedTime time, Map<String, String> configs) {
        this.cluster = cluster;
        this.time = time;
        Map<String, String> all = new HashMap<>(Map.of(GroupConfigKeys.INITIAL_REBALANCE_DELAY_MS.name(), "0"));
        all.putAll(configs);
        CoordinatorEnvironment environment = new CoordinatorEnvironment(
                BrokerConfigKeys.SCHEMA.read(all),
                time,
                time,
                background,
                cluster,
                cluster::topicDefaults,
                cluster,
                cluster,
                cluster,
                UnpooledByteBufAllocator.DEFAULT,
                metrics);
        this.shares = new LibraryShareState(environment);
        this.groups = new LibraryGroups(
                environment, transactions, new StatePersister(new PatientShareState(shares, time, time, background)));
    }

    /** A node that came back with what had been durable. */
    GroupsHarness restart() {
        close();
        return new GroupsHarness(cluster.restarted(), time);
    }

    /** The log that holds the group. */
    InMemoryLog logOf(String group) {
        TopicImage topic = Objects.requireNonNull(cluster.current().topic("__consumer_offsets"));
        return cluster.log(
                topic.name(), Utils.abs(group.hashCode()) % topic.partitions().size());
    }

    void locate(String group) {
        assertThat(await(groups.locate(group))).isEqualTo(new CoordinatorLocation.At(InMemoryCluster.NODE_ID));
    }

    /** Asks again while the coordinator loads. */
    <T> T settled(Supplier<CompletionStage<T>> question, ToIntFunction<T> errorCode) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
        while (System.nanoTime() < deadline) {
            CompletableFuture<T> answer = question.get().toCompletableFuture();
            Throwable failure = await(answer.handle((value, thrown) -> thrown));
            int code = failure == null
                    ? errorCode.applyAsInt(answer.join())
                    : error(failure).code();
            if (code != Errors.COORDINATOR_LOAD_IN_PROGRESS.code() && code != Errors.NOT_COORDINATOR.code()) {
                return answer.join();
            }
            Thread.onSpinWait();
        }
        throw new AssertionError("the coordinator never finished loading");
    }

    JoinGroupResponseData join(String group, String memberId, String... protocols) {
        return settled(
                () -> groups.joinGroup(call(ApiKeys.JOIN_GROUP), joinRequest(group, memberId, protocols)),
                JoinGroupResponseData::errorCode);
    }

    /** Joins with the member id that the first answer gave, as clients do. */
    JoinGroupResponseData joinNew(String group) {
        JoinGroupResponseData first = join(group, "", "range");
        assertThat(first.errorCode()).isEqualTo(Errors.MEMBER_ID_REQUIRED.code());
        return join(group, first.memberId(), "range");
    }

    /** A group of one, stable. */
    JoinGroupResponseData stableMember(String group) {
        JoinGroupResponseData joined = joinNew(group);
        assertThat(joined.errorCode()).isZero();
        assertThat(sync(group, joined, true).errorCode()).isZero();
        return joined;
    }

    static JoinGroupRequestData joinRequest(String group, String memberId, String... protocols) {
        JoinGroupRequestData request = new JoinGroupRequestData()
                .setGroupId(group)
                .setMemberId(memberId)
                .setProtocolType("consumer")
                .setSessionTimeoutMs(10_000)
                .setRebalanceTimeoutMs(10_000);
        for (String protocol : protocols) {
            request.protocols()
                    .add(new JoinGroupRequestData.JoinGroupRequestProtocol()
                            .setName(protocol)
                            .setMetadata(new byte[0]));
        }
        return request;
    }

    SyncGroupResponseData sync(String group, JoinGroupResponseData joined, boolean assign) {
        SyncGroupRequestData request = new SyncGroupRequestData()
                .setGroupId(group)
                .setMemberId(joined.memberId())
                .setGenerationId(joined.generationId())
                .setProtocolType("consumer")
                .setProtocolName("range");
        if (assign) {
            request.assignments()
                    .add(new SyncGroupRequestData.SyncGroupRequestAssignment()
                            .setMemberId(joined.memberId())
                            .setAssignment(new byte[] {1, 2, 3}));
        }
        return await(groups.syncGroup(call(ApiKeys.SYNC_GROUP), request));
    }

    short heartbeat(String group, String memberId, int generation) {
        return await(groups.heartbeat(
                        call(ApiKeys.HEARTBEAT),
                        new HeartbeatRequestData()
                                .setGroupId(group)
                                .setMemberId(memberId)
                                .setGenerationId(generation)))
                .errorCode();
    }

    CompletionStage<OffsetCommitResponseData> commitLater(
            String group, String memberId, int generation, TopicImage topic, long offset) {
        OffsetCommitRequestData request = new OffsetCommitRequestData()
                .setGroupId(group)
                .setMemberId(memberId)
                .setGenerationIdOrMemberEpoch(generation)
                .setTopics(List.of(new OffsetCommitRequestData.OffsetCommitRequestTopic()
                        .setName(topic.name())
                        .setTopicId(MetadataTranslator.uuid(topic.id()))
                        .setPartitions(List.of(new OffsetCommitRequestData.OffsetCommitRequestPartition()
                                .setPartitionIndex(0)
                                .setCommittedOffset(offset)
                                .setCommittedMetadata("m" + offset)))));
        return groups.commitOffsets(call(ApiKeys.OFFSET_COMMIT), request);
    }

    short commit(String group, TopicImage topic, long offset) {
        return settled(() -> commitLater(group, "", -1, topic, offset), GroupsHarness::firstError)
                .topics()
                .get(0)
                .partitions()
                .get(0)
                .errorCode();
    }

    static int firstError(OffsetCommitResponseData response) {
        return response.topics().get(0).partitions().get(0).errorCode();
    }

    /** The committed offset of partition 0, or -1. */
    long committed(String group, TopicImage topic) {
        return committed(group, topic.name(), MetadataTranslator.uuid(topic.id()));
    }

    /** As clients ask that do not know topic ids. */
    long committedByName(String group, String topic) {
        return committed(group, topic, Uuid.ZERO_UUID);
    }

    private long committed(String group, String topic, Uuid id) {
        OffsetFetchRequestData.OffsetFetchRequestGroup request = new OffsetFetchRequestData.OffsetFetchRequestGroup()
                .setGroupId(group)
                .setTopics(List.of(new OffsetFetchRequestData.OffsetFetchRequestTopics()
                        .setName(topic)
                        .setTopicId(id)
                        .setPartitionIndexes(List.of(0))));
        OffsetFetchResponseData.OffsetFetchResponseGroup answer = settled(
                () -> groups.fetchOffsets(call(ApiKeys.OFFSET_FETCH), request, false),
                OffsetFetchResponseData.OffsetFetchResponseGroup::errorCode);
        assertThat(answer.errorCode()).isZero();
        return answer.topics().get(0).partitions().get(0).committedOffset();
    }

    void deleteGroup(String group) {
        assertThat(await(groups.deleteGroups(call(ApiKeys.DELETE_GROUPS), List.of(group)))
                        .find(group)
                        .errorCode())
                .isZero();
    }

    ConsumerGroupHeartbeatResponseData consumerHeartbeat(ConsumerGroupHeartbeatRequestData request) {
        return settled(
                () -> groups.consumerGroupHeartbeat(call(ApiKeys.CONSUMER_GROUP_HEARTBEAT), request),
                ConsumerGroupHeartbeatResponseData::errorCode);
    }

    static GroupCall call(ApiKeys api) {
        return new GroupCall(api.id, api.latestVersion(), 1, "client", InetAddress.getLoopbackAddress(), "PLAINTEXT");
    }

    static <T> T await(CompletionStage<T> stage) {
        return stage.toCompletableFuture()
                .orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                .join();
    }

    /** The error a stage fails with. */
    static Errors awaitError(CompletionStage<?> stage) {
        Throwable failure = await(stage.handle((answer, thrown) -> thrown));
        assertThat(failure).isNotNull();
        return error(failure);
    }

    private static Errors error(Throwable failure) {
        Throwable cause = failure.getCause() instanceof ApiException inner ? inner : failure;
        return Errors.forException(cause);
    }

    @Override
    public void close() {
        groups.close();
        shares.close();
        background.shutdown();
    }
}
