package io.sluice.coordinator.library;

import io.sluice.base.id.PartitionId;
import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.ownership.Ownership;
import io.sluice.base.time.Scheduler;
import io.sluice.coordinator.group.GroupCall;
import io.sluice.coordinator.group.GroupConfigRules;
import io.sluice.coordinator.group.GroupLocation;
import io.sluice.coordinator.group.GroupPort;
import io.sluice.coordinator.group.InternalTopics;
import io.sluice.storage.log.LogState;
import io.sluice.storage.log.PartitionLog;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.common.errors.CoordinatorNotAvailableException;
import org.apache.kafka.common.errors.NotCoordinatorException;
import org.apache.kafka.common.message.ConsumerGroupDescribeResponseData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.DeleteGroupsResponseData;
import org.apache.kafka.common.message.DescribeGroupsResponseData;
import org.apache.kafka.common.message.HeartbeatRequestData;
import org.apache.kafka.common.message.HeartbeatResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.LeaveGroupRequestData;
import org.apache.kafka.common.message.LeaveGroupResponseData;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.message.ListGroupsResponseData;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetDeleteRequestData;
import org.apache.kafka.common.message.OffsetDeleteResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.SyncGroupRequestData;
import org.apache.kafka.common.message.SyncGroupResponseData;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.coordinator.group.GroupCoordinatorService;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Group coordination by Kafka's own library.
 *
 * <pre>
 *            the offsets topic was made anew
 *           .-------------.
 *           v             |
 * idle -> starting -> running
 *   |        |           |
 *   '--------+-----------+-----> closed
 * </pre>
 *
 * <p>Idle costs nothing: no thread, no class of the library. It starts on the first request for a group, or in the
 * background a little after the node came up if the offsets topic exists, so that its groups are loaded when their members
 * come back. Requests that arrive while it starts wait for it (some hundred milliseconds); those for a partition that
 * still loads are answered with COORDINATOR_LOAD_IN_PROGRESS.
 */
public final class LibraryGroups implements GroupPort {
    static final long START_DELAY_NANOS = TimeUnit.SECONDS.toNanos(2);
    static final long LOCATE_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final Logger LOG = LoggerFactory.getLogger(LibraryGroups.class);
    private static final long CLOSE_TIMEOUT_MILLIS = 1500;

    private final GroupEnvironment env;
    private final Object lock = new Object();
    private final Scheduler.Timer start;
    private @Nullable Life life;
    private @Nullable CompletableFuture<TopicImage> creation;
    private boolean closed;

    /** One incarnation of the offsets topic, and the library started for it. */
    private record Life(TopicImage topic, CompletableFuture<LibraryRun> run) {}

    /**
     * Idle coordination; listens to metadata and ownership from now on.
     *
     * @throws io.sluice.base.config.ConfigException for settings that do not go together
     */
    public LibraryGroups(GroupEnvironment env) {
        GroupConfigRules.check(env.config());
        this.env = env;
        env.images().addListener(new Images());
        env.ownership().addListener(new Owners());
        this.start = env.scheduler().schedule(this::startIfOwned, START_DELAY_NANOS, env.background());
    }

    @Override
    public CompletionStage<GroupLocation> locate(String groupId) {
        TopicImage topic = offsetsTopic();
        if (topic != null) {
            return CompletableFuture.completedFuture(locate(topic, groupId));
        }
        CompletableFuture<GroupLocation> located = new CompletableFuture<>();
        CompletableFuture<?> unused = createOffsetsTopic()
                .handle((created, failure) -> located.complete(
                        created != null
                                ? locate(created, groupId)
                                : new GroupLocation.Unavailable(OFFSETS_TOPIC + " could not be created: " + failure)));
        Scheduler.Timer timeout = env.scheduler()
                .schedule(
                        () -> located.complete(
                                new GroupLocation.Unavailable(OFFSETS_TOPIC + " is being created; ask again")),
                        LOCATE_TIMEOUT_NANOS,
                        env.background());
        return located.whenComplete((location, failure) -> timeout.cancel());
    }

    private GroupLocation locate(TopicImage topic, String groupId) {
        int partition = Utils.abs(groupId.hashCode()) % topic.partitions().size();
        int owner = env.ownership().ownerOf(topic.partitionId(partition));
        if (owner == Ownership.NOBODY) {
            return new GroupLocation.Unavailable(OFFSETS_TOPIC + "-" + partition + " has no owner; ask again");
        }
        if (owner == env.ownership().localNodeId()) {
            CompletableFuture<LibraryRun> unused = run();
            PartitionLog log = env.logs().find(topic.partitionId(partition));
            if (log == null) {
                return new GroupLocation.Unavailable(OFFSETS_TOPIC + "-" + partition + " is not open on this node");
            }
            if (log.state() == LogState.FAILED) {
                return new GroupLocation.Unavailable(
                        OFFSETS_TOPIC + "-" + partition + " lost its storage on this node until the next start");
            }
        }
        return new GroupLocation.At(owner);
    }

    @Override
    public CompletionStage<JoinGroupResponseData> joinGroup(GroupCall call, JoinGroupRequestData request) {
        return ask(groups -> groups.joinGroup(context(call), request, BufferSupplier.NO_CACHING));
    }

    @Override
    public CompletionStage<SyncGroupResponseData> syncGroup(GroupCall call, SyncGroupRequestData request) {
        return ask(groups -> groups.syncGroup(context(call), request, BufferSupplier.NO_CACHING));
    }

    @Override
    public CompletionStage<HeartbeatResponseData> heartbeat(GroupCall call, HeartbeatRequestData request) {
        return ask(groups -> groups.heartbeat(context(call), request));
    }

    @Override
    public CompletionStage<LeaveGroupResponseData> leaveGroup(GroupCall call, LeaveGroupRequestData request) {
        return ask(groups -> groups.leaveGroup(context(call), request));
    }

    @Override
    public CompletionStage<ListGroupsResponseData> listGroups(GroupCall call, ListGroupsRequestData request) {
        if (offsetsTopic() == null) {
            return CompletableFuture.completedFuture(new ListGroupsResponseData());
        }
        return ask(groups -> groups.listGroups(context(call), request));
    }

    /**
     * Joins are answered before the group's first record is durable, and descriptions are read from what is durable: so
     * this waits for what is being written, in order that a member that has just joined is seen.
     */
    @Override
    public CompletionStage<List<DescribeGroupsResponseData.DescribedGroup>> describeGroups(
            GroupCall call, List<String> groupIds) {
        return ask(groups -> pendingWrites(groups, call, groupIds)
                .thenCompose(nothing -> groups.describeGroups(context(call), groupIds)));
    }

    /** Completes when everything written so far for these groups is durable, or has failed. */
    private static CompletableFuture<Void> pendingWrites(
            GroupCoordinatorService groups, GroupCall call, List<String> groupIds) {
        Map<Integer, String> onePerPartition = new HashMap<>();
        groupIds.forEach(group -> onePerPartition.putIfAbsent(groups.partitionFor(group), group));
        // A stable fetch of nothing is the library's way to wait: it is answered like a write.
        return CompletableFuture.allOf(onePerPartition.values().stream()
                .map(group -> groups.fetchOffsets(
                        context(call),
                        new OffsetFetchRequestData.OffsetFetchRequestGroup()
                                .setGroupId(group)
                                .setTopics(List.of()),
                        true))
                .toArray(CompletableFuture<?>[]::new));
    }

    @Override
    public CompletionStage<DeleteGroupsResponseData.DeletableGroupResultCollection> deleteGroups(
            GroupCall call, List<String> groupIds) {
        return ask(groups -> groups.deleteGroups(context(call), groupIds, BufferSupplier.NO_CACHING));
    }

    /** What a member subscribes to may have been created a moment ago: the library must have heard of it. */
    @Override
    public CompletionStage<ConsumerGroupHeartbeatResponseData> consumerGroupHeartbeat(
            GroupCall call, ConsumerGroupHeartbeatRequestData request) {
        boolean subscribes = request.subscribedTopicNames() != null || request.subscribedTopicRegex() != null;
        if (!subscribes) {
            return ask(groups -> groups.consumerGroupHeartbeat(context(call), request));
        }
        return run().thenCompose(running -> running.metadataCaughtUp()
                .thenCompose(nothing -> running.service().consumerGroupHeartbeat(context(call), request)));
    }

    @Override
    public CompletionStage<List<ConsumerGroupDescribeResponseData.DescribedGroup>> consumerGroupDescribe(
            GroupCall call, List<String> groupIds) {
        return ask(groups -> groups.consumerGroupDescribe(context(call), groupIds));
    }

    @Override
    public CompletionStage<OffsetCommitResponseData> commitOffsets(GroupCall call, OffsetCommitRequestData request) {
        return ask(groups -> groups.commitOffsets(context(call), request, BufferSupplier.NO_CACHING));
    }

    @Override
    public CompletionStage<OffsetFetchResponseData.OffsetFetchResponseGroup> fetchOffsets(
            GroupCall call, OffsetFetchRequestData.OffsetFetchRequestGroup group, boolean requireStable) {
        return ask(groups -> groups.fetchOffsets(context(call), group, requireStable));
    }

    @Override
    public CompletionStage<OffsetDeleteResponseData> deleteOffsets(GroupCall call, OffsetDeleteRequestData request) {
        return ask(groups -> groups.deleteOffsets(context(call), request, BufferSupplier.NO_CACHING));
    }

    @Override
    public void close() {
        start.cancel();
        Life last;
        synchronized (lock) {
            closed = true;
            last = life;
            life = null;
        }
        if (last != null) {
            awaitStop(last);
        }
    }

    /** The library's stop joins its thread, so it is done in the background and waited for within bounds. */
    private void awaitStop(Life last) {
        try {
            last.run().thenCompose(LibraryRun::close).get(CLOSE_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("Group coordination did not stop within {} ms", CLOSE_TIMEOUT_MILLIS, e);
        }
    }

    private static LibraryContext context(GroupCall call) {
        return new LibraryContext(call);
    }

    private <T> CompletionStage<T> ask(Function<GroupCoordinatorService, CompletableFuture<T>> question) {
        return run().thenCompose(running -> question.apply(running.service()));
    }

    private @Nullable TopicImage offsetsTopic() {
        return env.images().current().topic(OFFSETS_TOPIC);
    }

    private void startIfOwned() {
        TopicImage topic = offsetsTopic();
        if (topic != null
                && topic.partitions().stream()
                        .anyMatch(partition -> env.ownership().isLocal(topic.partitionId(partition.partition())))) {
            CompletableFuture<LibraryRun> unused = run();
        }
    }

    /** The library for the topic as it is now, starting it if need be. */
    private CompletableFuture<LibraryRun> run() {
        TopicImage topic = offsetsTopic();
        synchronized (lock) {
            if (closed) {
                return CompletableFuture.failedFuture(
                        new CoordinatorNotAvailableException("group coordination is closed"));
            }
            if (topic == null) {
                return CompletableFuture.failedFuture(
                        new NotCoordinatorException(OFFSETS_TOPIC + " does not exist; find the coordinator first"));
            }
            Life current = life;
            if (current == null
                    || !isSameLife(current.topic(), topic)
                    || current.run().isCompletedExceptionally()) {
                current = new Life(topic, startAfter(current, topic));
                life = current;
            }
            return current.run();
        }
    }

    private static boolean isSameLife(TopicImage before, TopicImage now) {
        return before.id().equals(now.id())
                && before.partitions().size() == now.partitions().size();
    }

    private CompletableFuture<LibraryRun> startAfter(@Nullable Life before, TopicImage topic) {
        CompletableFuture<Void> stopped = before == null
                ? CompletableFuture.completedFuture(null)
                : before.run().thenCompose(LibraryRun::close).exceptionally(e -> null);
        return stopped.thenApplyAsync(nothing -> start(topic), env.background()).whenComplete((run, failure) -> {
            if (failure != null) {
                LOG.error("Group coordination could not start", failure);
            }
        });
    }

    private LibraryRun start(TopicImage topic) {
        LibraryRun run = new LibraryRun(env, topic);
        run.start();
        return run;
    }

    private CompletableFuture<TopicImage> createOffsetsTopic() {
        synchronized (lock) {
            if (creation == null || creation.isDone()) {
                creation = env.internalTopics()
                        .require(InternalTopics.Spec.ofOffsets(env.config()))
                        .toCompletableFuture();
            }
            return creation;
        }
    }

    /** Tells the library once it runs; one that could not start has nothing to hear. */
    private static void tell(Life life, Consumer<LibraryRun> message) {
        CompletableFuture<?> unused = life.run().thenAccept(message);
    }

    private @Nullable Life currentLife() {
        synchronized (lock) {
            return life;
        }
    }

    /** Metadata thread: passes changes on. */
    private final class Images implements ClusterImageSource.ImageListener {
        @Override
        public void onImage(ClusterImage previous, ClusterImage current) {
            Life now = currentLife();
            if (now != null) {
                tell(now, LibraryRun::onImage);
            }
        }
    }

    /** Metadata thread: what is elected follows what is owned. */
    private final class Owners implements Ownership.OwnershipListener {
        @Override
        public void onAcquired(PartitionId partition, int leaderEpoch) {
            reconcile(partition);
        }

        @Override
        public void onReleased(PartitionId partition) {
            reconcile(partition);
        }

        private void reconcile(PartitionId partition) {
            Life now = currentLife();
            if (now != null && now.topic().id().equals(partition.topicId())) {
                tell(now, run -> run.reconcile(partition.partition()));
            }
        }
    }
}
