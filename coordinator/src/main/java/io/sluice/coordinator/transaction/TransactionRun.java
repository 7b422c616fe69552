package io.sluice.coordinator.transaction;

import io.sluice.base.metadata.TopicImage;
import io.sluice.base.metric.Metric;
import io.sluice.base.metric.Metrics;
import io.sluice.coordinator.runtime.CoordinatorEnvironment;
import io.sluice.coordinator.runtime.CoordinatorFooting;
import io.sluice.coordinator.runtime.CoordinatorLife;
import io.sluice.coordinator.runtime.CoordinatorRun;
import io.sluice.coordinator.runtime.Elections;
import io.sluice.coordinator.runtime.RuntimeMetrics;
import io.sluice.coordinator.runtime.StateTopic;
import io.sluice.coordinator.runtime.TransactionVerifier;
import io.sluice.storage.config.TransactionKeys;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.ListTransactionsResponseData;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRecord;
import org.apache.kafka.coordinator.common.runtime.CoordinatorResult;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRuntime;
import org.apache.kafka.coordinator.common.runtime.CoordinatorRuntime.CoordinatorWriteOperation;
import org.apache.kafka.coordinator.transaction.TransactionCoordinatorRecordSerde;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The coordinator of transactions on one incarnation of {@code __transaction_state}. Partitions are elected and resigned as
 * ownership says; what is decided in one is carried out by {@link MarkerDelivery}, also after a load. Safe on every thread.
 */
final class TransactionRun implements CoordinatorRun {
    private static final Logger LOG = LoggerFactory.getLogger(TransactionRun.class);
    /** How long until it is looked again whether a decision is durable. */
    private static final long RECHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final CoordinatorEnvironment env;
    private final CoordinatorFooting footing;
    private final Time time;
    private final StateTopic topic;
    private final String topicName;
    private final OpenTransactions openTransactions;
    private final MarkerDelivery delivery;
    private final CoordinatorRuntime<TransactionShard, CoordinatorRecord> runtime;
    private final LongAdder committed;
    private final LongAdder aborted;
    private final LongAdder overdue;
    private volatile boolean closed;

    /** Wires the runtime up and starts its thread. */
    TransactionRun(CoordinatorEnvironment env, TopicImage image, TransactionMarkers markers) {
        this.env = env;
        this.topicName = image.name();
        Metrics metrics = env.metrics();
        this.committed = metrics.counter(Metric.TRANSACTION_ENDED, "committed");
        this.aborted = metrics.counter(Metric.TRANSACTION_ENDED, "aborted");
        this.overdue = metrics.counter(Metric.TRANSACTION_OVERDUE);
        this.openTransactions = new OpenTransactions(metrics);
        this.delivery = new MarkerDelivery(markers, env.scheduler(), env.background(), this::complete, metrics);
        this.footing = new CoordinatorFooting(
                env,
                image,
                TransactionVerifier.NONE,
                new CoordinatorFooting.Loading(
                        env.config().get(TransactionKeys.LOAD_BUFFER_BYTES), new TransactionCoordinatorRecordSerde()),
                new Electorate());
        this.topic = footing.topic();
        this.time = footing.time();
        RuntimeMetrics runtimeMetrics = new RuntimeMetrics(metrics, "transaction");
        TransactionSettings settings = TransactionSettings.of(env.config());
        this.runtime = TransactionRuntime.of(
                new TransactionRuntime.Parts(
                        footing.writer(), footing.loader(), time, footing.timer(), runtimeMetrics, openTransactions),
                surroundings -> new TransactionShard(surroundings, settings, new Shards(), openTransactions));
    }

    @Override
    public void start() {
        footing.elections().reconcileAll();
    }

    /** Deleted topics are heard of when a marker is to be written. */
    @Override
    public void onImage() {}

    @Override
    public void reconcile(int partition) {
        footing.elections().reconcile(partition);
    }

    CoordinatorRuntime<TransactionShard, CoordinatorRecord> runtime() {
        return runtime;
    }

    /** The partition that holds an id. */
    TopicPartition partitionOf(String transactionalId) {
        return partition(CoordinatorLife.partitionOf(transactionalId, topic.partitions()));
    }

    private TopicPartition partition(int partition) {
        return new TopicPartition(topicName, partition);
    }

    /** Asks the shard of an id, and answers when all that the answer rests on is durable. */
    <T> CompletableFuture<T> write(
            String name,
            String transactionalId,
            CoordinatorWriteOperation<TransactionShard, T, CoordinatorRecord> operation) {
        return runtime.scheduleWriteOperation(name, partitionOf(transactionalId), operation);
    }

    /** The ids of all partitions that are here; fails while one of them loads. */
    CompletableFuture<List<ListTransactionsResponseData.TransactionState>> list(TransactionDescriptions.Filter filter) {
        List<CompletableFuture<List<ListTransactionsResponseData.TransactionState>>> parts =
                runtime.scheduleReadAllOperation(
                        "list", (shard, committed) -> filter.apply(shard.entries(committed), time.milliseconds()));
        return CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new))
                .thenApply(nothing ->
                        parts.stream().flatMap(part -> part.join().stream()).toList());
    }

    private void deliver(TopicPartition partition, String transactionalId, IdState prepared) {
        int epoch = topic.leaderEpoch(partition.partition());
        if (epoch >= 0) {
            delivery.deliver(new Ending(partition, epoch, transactionalId, prepared));
        }
    }

    /** Takes up the decisions of a partition that was loaded. */
    private void resume(TopicPartition partition) {
        deliverFound(partition, "resume", TransactionShard::prepared, () -> resume(partition));
    }

    /** Takes up the decision of an id, where one was made: nobody knows whether it was written. */
    private void settle(TopicPartition partition, String transactionalId) {
        deliverFound(
                partition,
                "settle",
                shard -> shard.prepared(transactionalId),
                () -> settle(partition, transactionalId));
    }

    private void deliverFound(
            TopicPartition partition,
            String name,
            CoordinatorWriteOperation<TransactionShard, Map<String, IdState>, CoordinatorRecord> find,
            Runnable again) {
        CompletableFuture<?> unused = runtime.scheduleWriteOperation(name, partition, find)
                .handle((found, failure) -> {
                    if (failure == null) {
                        found.forEach((id, prepared) -> deliver(partition, id, prepared));
                    } else if (!closed && !CoordinatorErrors.isElsewhere(failure)) {
                        env.scheduler().schedule(again, RECHECK_NANOS, env.background());
                    }
                    return null;
                });
    }

    /** All markers are written. */
    private void complete(Ending ending) {
        TopicPartition partition = ending.statePartition();
        CompletableFuture<?> unused = runtime.<Boolean>scheduleWriteOperation("complete", partition, shard -> {
                    boolean current = topic.leaderEpoch(partition.partition()) == ending.coordinatorEpoch();
                    return current
                            ? shard.complete(ending.transactionalId(), ending.prepared())
                            : new CoordinatorResult<>(List.of(), Boolean.FALSE);
                })
                .handle((done, failure) -> {
                    onCompletion(ending, Boolean.TRUE.equals(done), failure);
                    return null;
                });
    }

    private void onCompletion(Ending ending, boolean done, @Nullable Throwable failure) {
        if (failure == null || closed) {
            delivery.finished(ending);
        } else if (CoordinatorErrors.isElsewhere(failure)) {
            delivery.finished(ending);
            // Whoever has loaded it meanwhile may have found this one still at work, and left it to that.
            settle(ending.statePartition(), ending.transactionalId());
        } else {
            LOG.debug("The end of the transaction of {} is not written yet", ending.transactionalId(), failure);
            delivery.retry(ending);
        }
        if (done) {
            (ending.prepared().commits() ? committed : aborted).increment();
        }
    }

    private final class Electorate implements Elections.Listener {
        @Override
        public void onElection(int partition, int leaderEpoch) {
            delivery.dropAll(partition(partition));
            runtime.scheduleLoadOperation(partition(partition), leaderEpoch);
        }

        @Override
        public void onResignation(int partition) {
            delivery.dropAll(partition(partition));
            runtime.scheduleUnloadOperation(partition(partition), OptionalInt.empty());
        }
    }

    /** Of all shards; on the coordinator's thread. */
    private final class Shards implements TransactionShard.Listener {
        @Override
        public void onLoaded(TopicPartition partition) {
            resume(partition);
        }

        @Override
        public void onPrepared(
                TopicPartition partition, String transactionalId, IdState prepared, CompletableFuture<Void> durable) {
            CompletableFuture<?> unused = durable.handle((nothing, failure) -> {
                if (failure == null) {
                    deliver(partition, transactionalId, prepared);
                } else if (!closed && !CoordinatorErrors.isElsewhere(failure)) {
                    settle(partition, transactionalId);
                }
                return null;
            });
        }

        @Override
        public void onOverdue(int transactions) {
            overdue.add(transactions);
        }
    }

    /** Stops: nothing is elected any more, no marker is begun, then the runtime's thread is waited for. */
    @Override
    public CompletableFuture<Void> close() {
        footing.elections().close();
        closed = true;
        delivery.close();
        return CompletableFuture.runAsync(
                () -> {
                    Utils.closeQuietly(runtime, "the coordinator of transactions");
                    footing.writer().close();
                    openTransactions.close();
                },
                env.background());
    }
}
