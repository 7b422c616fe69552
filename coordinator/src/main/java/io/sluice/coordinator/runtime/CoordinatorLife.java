package io.sluice.coordinator.runtime;

import io.sluice.base.id.PartitionId;
import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.ownership.Ownership;
import io.sluice.base.time.Scheduler;
import io.sluice.storage.log.LogState;
import io.sluice.storage.log.PartitionLog;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.common.errors.CoordinatorNotAvailableException;
import org.apache.kafka.common.errors.NotCoordinatorException;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * When a coordinator runs, and on which incarnation of its topic.
 *
 * <pre>
 *             the topic was made anew
 *           .-------------.
 *           v             |
 * idle -> starting -> running
 *   |        |           |
 *   '--------+-----------+-----> closed
 * </pre>
 *
 * <p>Idle costs nothing: no thread, no class of the library. It starts on the first request, or in the background a little
 * after the node came up if the topic exists, so that what it holds is loaded when clients come back. Requests that arrive
 * while it starts wait for it (some hundred milliseconds); those for a partition that still loads are answered with
 * COORDINATOR_LOAD_IN_PROGRESS. Safe on every thread; nothing blocks but {@link #close}.
 */
public final class CoordinatorLife<R extends CoordinatorRun> implements AutoCloseable {
    /** How long after the node came up it starts by itself. */
    public static final long START_DELAY_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** How long a client waits for the topic to be created before it is told to ask again. */
    public static final long LOCATE_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final Logger LOG = LoggerFactory.getLogger(CoordinatorLife.class);
    private static final long CLOSE_TIMEOUT_MILLIS = 1500;

    private final String name;
    private final CoordinatorEnvironment env;
    private final InternalTopics.Spec spec;
    private final Function<TopicImage, R> factory;
    private final Object lock = new Object();
    private final Scheduler.Timer start;
    private @Nullable Life<R> life;
    private @Nullable CompletableFuture<TopicImage> creation;
    private boolean closed;

    /** One incarnation of the topic, and the coordinator started for it. */
    private record Life<R>(TopicImage topic, CompletableFuture<R> run) {}

    /**
     * Idle; listens to metadata and ownership from now on.
     *
     * @param name for messages: "Group coordination"
     * @param spec the topic that holds the state, created on first need
     * @param factory makes a coordinator for an incarnation of the topic, on the background executor
     */
    public CoordinatorLife(
            String name, CoordinatorEnvironment env, InternalTopics.Spec spec, Function<TopicImage, R> factory) {
        this.name = name;
        this.env = env;
        this.spec = spec;
        this.factory = factory;
        env.images().addListener(new Images());
        env.ownership().addListener(new Owners());
        this.start = env.scheduler().schedule(this::startIfOwned, START_DELAY_NANOS, env.background());
    }

    /** The topic as it is now, or null if there is none. */
    public @Nullable TopicImage topic() {
        return env.images().current().topic(spec.name());
    }

    /** The partition of the topic that holds a key, by Kafka's hash. */
    public static int partitionOf(String key, int partitions) {
        return Utils.abs(key.hashCode()) % partitions;
    }

    /** Where the coordinator of a key is. Creates the topic if there is none yet. Never fails. */
    public CompletionStage<CoordinatorLocation> locate(String key) {
        TopicImage topic = topic();
        if (topic != null) {
            return CompletableFuture.completedFuture(locate(topic, key));
        }
        CompletableFuture<CoordinatorLocation> located = new CompletableFuture<>();
        CompletableFuture<?> unused = createTopic()
                .handle((created, failure) -> located.complete(
                        created != null
                                ? locate(created, key)
                                : new CoordinatorLocation.Unavailable(
                                        spec.name() + " could not be created: " + failure)));
        Scheduler.Timer timeout = env.scheduler()
                .schedule(
                        () -> located.complete(
                                new CoordinatorLocation.Unavailable(spec.name() + " is being created; ask again")),
                        LOCATE_TIMEOUT_NANOS,
                        env.background());
        return located.whenComplete((location, failure) -> timeout.cancel());
    }

    private CoordinatorLocation locate(TopicImage topic, String key) {
        int partition = partitionOf(key, topic.partitions().size());
        int owner = env.ownership().ownerOf(topic.partitionId(partition));
        if (owner == Ownership.NOBODY) {
            return new CoordinatorLocation.Unavailable(spec.name() + "-" + partition + " has no owner; ask again");
        }
        if (owner == env.ownership().localNodeId()) {
            CompletableFuture<R> unused = run();
            PartitionLog log = env.logs().find(topic.partitionId(partition));
            if (log == null) {
                return new CoordinatorLocation.Unavailable(spec.name() + "-" + partition + " is not open on this node");
            }
            if (log.state() == LogState.FAILED) {
                return new CoordinatorLocation.Unavailable(
                        spec.name() + "-" + partition + " lost its storage on this node until the next start");
            }
        }
        return new CoordinatorLocation.At(owner);
    }

    /** Asks the coordinator once it runs. Fails with the exception of NOT_COORDINATOR or COORDINATOR_NOT_AVAILABLE. */
    public <T> CompletionStage<T> ask(Function<R, ? extends CompletionStage<T>> question) {
        return run().thenCompose(question);
    }

    private void startIfOwned() {
        TopicImage topic = topic();
        if (topic != null
                && topic.partitions().stream()
                        .anyMatch(partition -> env.ownership().isLocal(topic.partitionId(partition.partition())))) {
            CompletableFuture<R> unused = run();
        }
    }

    /** The coordinator for the topic as it is now, starting it if need be. */
    private CompletableFuture<R> run() {
        TopicImage topic = topic();
        synchronized (lock) {
            if (closed) {
                return CompletableFuture.failedFuture(new CoordinatorNotAvailableException(name + " is closed"));
            }
            if (topic == null) {
                return CompletableFuture.failedFuture(
                        new NotCoordinatorException(spec.name() + " does not exist; find the coordinator first"));
            }
            Life<R> current = life;
            if (current == null
                    || !isSameLife(current.topic(), topic)
                    || current.run().isCompletedExceptionally()) {
                current = new Life<>(topic, startAfter(current, topic));
                life = current;
            }
            return current.run();
        }
    }

    private static boolean isSameLife(TopicImage before, TopicImage now) {
        return before.id().equals(now.id())
                && before.partitions().size() == now.partitions().size();
    }

    private CompletableFuture<R> startAfter(@Nullable Life<R> before, TopicImage topic) {
        CompletableFuture<Void> stopped = before == null
                ? CompletableFuture.completedFuture(null)
                : before.run().thenCompose(CoordinatorRun::close).exceptionally(e -> null);
        return stopped.thenApplyAsync(nothing -> start(topic), env.background()).whenComplete((run, failure) -> {
            if (failure != null) {
                LOG.error("{} could not start", name, failure);
            }
        });
    }

    private R start(TopicImage topic) {
        R run = factory.apply(topic);
        run.start();
        return run;
    }

    private CompletableFuture<TopicImage> createTopic() {
        synchronized (lock) {
            if (creation == null || creation.isDone()) {
                creation = env.internalTopics().require(spec).toCompletableFuture();
            }
            return creation;
        }
    }

    @Override
    public void close() {
        start.cancel();
        Life<R> last;
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
    private void awaitStop(Life<R> last) {
        try {
            last.run().thenCompose(CoordinatorRun::close).get(CLOSE_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("{} did not stop within {} ms", name, CLOSE_TIMEOUT_MILLIS, e);
        }
    }

    /** Tells the coordinator once it runs; one that could not start has nothing to hear. */
    private void tell(Life<R> told, Consumer<R> message) {
        CompletableFuture<?> unused = told.run().thenAccept(message);
    }

    private @Nullable Life<R> currentLife() {
        synchronized (lock) {
            return life;
        }
    }

    /** Metadata thread: passes changes on. */
    private final class Images implements ClusterImageSource.ImageListener {
        @Override
        public void onImage(ClusterImage previous, ClusterImage current) {
            Life<R> now = currentLife();
            if (now != null) {
                tell(now, CoordinatorRun::onImage);
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
            Life<R> now = currentLife();
            if (now != null && now.topic().id().equals(partition.topicId())) {
                tell(now, run -> run.reconcile(partition.partition()));
            }
        }
    }
}
