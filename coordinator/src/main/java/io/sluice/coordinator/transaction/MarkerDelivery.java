package io.sluice.coordinator.transaction;

import io.sluice.base.metric.Metric;
import io.sluice.base.metric.Metrics;
import io.sluice.base.time.Scheduler;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has a marker written into each partition of a transaction whose end is decided, and says when all are.
 *
 * <pre>
 *            .-- refused for the moment: all that were, after a pause --.
 *            v                                                          |
 * begun -> waiting its turn -> being written -> accepted or gone -> all of them: completion -> done
 *   |            |                   |
 *   '------------+-------------------+--> dropped: the partition that holds the id is not ours any more
 * </pre>
 *
 * <p>At most {@link #MAX_IN_FLIGHT} markers are being written at a time, in the order in which they were asked for; a pause
 * doubles from {@value #SHORTEST_PAUSE_MILLIS} to {@value #LONGEST_PAUSE_MILLIS} ms and holds no place. What waits is bounded
 * by the transactions that are open. There is no limit to the tries: a decision has been promised.
 *
 * <p>Threads: safe on every thread; locks are never held while anybody is called.
 */
final class MarkerDelivery {
    static final int MAX_IN_FLIGHT = 1000;
    static final long SHORTEST_PAUSE_MILLIS = 10;
    static final long LONGEST_PAUSE_MILLIS = 1000;

    private static final Logger LOG = LoggerFactory.getLogger(MarkerDelivery.class);

    private final TransactionMarkers markers;
    private final Scheduler scheduler;
    private final Executor executor;
    private final Completion completion;
    private final Metrics metrics;
    private final Map<String, Delivery> deliveries = new HashMap<>();
    private final Queue<Pending> waiting = new ArrayDeque<>();
    private int inFlight;
    private int outstanding;
    private boolean pumping;
    private boolean closed;

    /** Writes that a transaction is complete. */
    @FunctionalInterface
    interface Completion {
        /** All markers are written. Calls {@link #finished} or {@link #retry} in the end. Must not block. */
        void complete(Ending ending);
    }

    /**
     * Nothing is delivered yet.
     *
     * @param executor runs what comes after a pause
     */
    MarkerDelivery(
            TransactionMarkers markers,
            Scheduler scheduler,
            Executor executor,
            Completion completion,
            Metrics metrics) {
        this.markers = markers;
        this.scheduler = scheduler;
        this.executor = executor;
        this.completion = completion;
        this.metrics = metrics;
        metrics.gauge(Metric.TRANSACTION_MARKERS_WAITING, this::outstanding);
    }

    private synchronized int outstanding() {
        return outstanding;
    }

    /** Begins. One that has begun already goes on as it is; an older one of the same id is dropped. */
    void deliver(Ending ending) {
        boolean empty;
        synchronized (this) {
            Delivery before = deliveries.get(ending.transactionalId());
            if (closed || (before != null && before.ending.equals(ending))) {
                return;
            }
            if (before != null) {
                drop(before);
            }
            Delivery delivery = new Delivery(ending);
            deliveries.put(ending.transactionalId(), delivery);
            enqueue(delivery, ending.prepared().partitions());
            outstanding += delivery.remaining;
            empty = delivery.remaining == 0;
        }
        if (empty) {
            completion.complete(ending);
        } else {
            pump();
        }
    }

    /** The partition of ids is not served here any more: whoever serves it goes on. */
    synchronized void dropAll(TopicPartition statePartition) {
        List<Delivery> theirs = deliveries.values().stream()
                .filter(delivery -> delivery.ending.statePartition().equals(statePartition))
                .toList();
        theirs.forEach(this::drop);
    }

    /** It is complete, or nobody's here. */
    synchronized void finished(Ending ending) {
        Delivery delivery = deliveries.get(ending.transactionalId());
        if (delivery != null && delivery.ending.equals(ending)) {
            drop(delivery);
        }
    }

    /** The completion could not be written for the moment. */
    void retry(Ending ending) {
        synchronized (this) {
            Delivery delivery = deliveries.get(ending.transactionalId());
            if (delivery != null && delivery.ending.equals(ending)) {
                delivery.pause(() -> completion.complete(ending));
            }
        }
    }

    /** Nothing more is written. */
    synchronized void close() {
        closed = true;
        new ArrayList<>(deliveries.values()).forEach(this::drop);
        waiting.clear();
        metrics.remove(Metric.TRANSACTION_MARKERS_WAITING);
    }

    private void drop(Delivery delivery) {
        deliveries.remove(delivery.ending.transactionalId(), delivery);
        outstanding -= delivery.remaining;
        delivery.remaining = 0;
        delivery.dropped = true;
        if (delivery.pause != null) {
            delivery.pause.cancel();
        }
    }

    private void enqueue(Delivery delivery, Iterable<TopicPartition> partitions) {
        for (TopicPartition partition : partitions) {
            waiting.add(new Pending(delivery, partition));
            delivery.running++;
        }
    }

    /** Writes what there is room for. Whoever comes while somebody does this leaves it to them. */
    private void pump() {
        synchronized (this) {
            if (pumping) {
                return;
            }
            pumping = true;
        }
        Pending next = poll();
        while (next != null) {
            write(next);
            next = poll();
        }
    }

    private synchronized @Nullable Pending poll() {
        Pending next = inFlight < MAX_IN_FLIGHT ? waiting.poll() : null;
        while (next != null && next.delivery.dropped) {
            next = waiting.poll();
        }
        if (next == null) {
            pumping = false;
        } else {
            inFlight++;
        }
        return next;
    }

    private void write(Pending pending) {
        // In a stage, so that a defect that is thrown is one that is answered.
        CompletionStage<Errors> unused = CompletableFuture.completedStage(pending)
                .thenCompose(asked -> markers.write(asked.delivery.ending.end(), asked.partition))
                .whenComplete((error, failure) -> onAnswer(pending, failure == null ? error : defect(failure)));
    }

    private static Errors defect(Throwable failure) {
        LOG.error("Writing a marker failed with a defect; it is tried again", failure);
        return Errors.UNKNOWN_SERVER_ERROR;
    }

    private void onAnswer(Pending pending, Errors error) {
        boolean complete;
        synchronized (this) {
            inFlight--;
            Delivery delivery = pending.delivery;
            if (!delivery.dropped) {
                settle(pending, error);
            }
            complete = !delivery.dropped && delivery.remaining == 0;
        }
        if (complete) {
            completion.complete(pending.delivery.ending);
        }
        pump();
    }

    private void settle(Pending pending, Errors error) {
        Delivery delivery = pending.delivery;
        delivery.running--;
        switch (error) {
            case NONE, UNKNOWN_TOPIC_OR_PARTITION -> accepted(delivery);
            case INVALID_PRODUCER_EPOCH -> {
                LOG.warn(
                        "Partition {} already has a later epoch of producer {} than the transaction of {} has: nothing of"
                                + " it can be open there",
                        pending.partition,
                        delivery.ending.prepared().producer().id(),
                        delivery.ending.transactionalId());
                accepted(delivery);
            }
            case INVALID_TOPIC_EXCEPTION -> {
                LOG.warn(
                        "{} is a partition of the node's own and can have nothing of the transaction of {}",
                        pending.partition,
                        delivery.ending.transactionalId());
                accepted(delivery);
            }
            case TRANSACTION_COORDINATOR_FENCED, INVALID_TXN_STATE -> {
                report(pending, error);
                delivery.refused.add(pending.partition);
            }
            default -> {
                LOG.debug("No marker of {} in {} yet: {}", delivery.ending.transactionalId(), pending.partition, error);
                delivery.refused.add(pending.partition);
            }
        }
        if (delivery.running == 0 && !delivery.refused.isEmpty()) {
            delivery.pause(() -> again(delivery));
        }
    }

    /**
     * To take these for an end would hide the records for ever, and what is behind them. Where a later coordinator really is at
     * work this delivery is dropped as soon as the resignation is heard of; else somebody has sent a marker in its name.
     */
    private static void report(Pending pending, Errors error) {
        Ending ending = pending.delivery.ending;
        if (!pending.delivery.reported.add(pending.partition)) {
            return;
        }
        if (error == Errors.INVALID_TXN_STATE) {
            LOG.error(
                    "Partition {} has a transaction of producer {} open that the marker of {} with epoch {} does not end; it is"
                            + " tried again until it does",
                    pending.partition,
                    ending.prepared().producer().id(),
                    ending.transactionalId(),
                    ending.prepared().producer().epoch());
        } else {
            LOG.warn(
                    "Partition {} refuses the marker of {}: it has one of a later coordinator than that of epoch {}; it is tried"
                            + " again for as long as the id is coordinated here",
                    pending.partition,
                    ending.transactionalId(),
                    ending.coordinatorEpoch());
        }
    }

    private void accepted(Delivery delivery) {
        delivery.remaining--;
        outstanding--;
    }

    private void again(Delivery delivery) {
        synchronized (this) {
            if (delivery.dropped) {
                return;
            }
            List<TopicPartition> refused = List.copyOf(delivery.refused);
            delivery.refused.clear();
            enqueue(delivery, refused);
        }
        pump();
    }

    private record Pending(Delivery delivery, TopicPartition partition) {}

    /** One transaction. Guarded by the lock of all. */
    private final class Delivery {
        private final Ending ending;
        private final List<TopicPartition> refused = new ArrayList<>();
        /** Partitions whose refusal was logged: once is enough. */
        private final Set<TopicPartition> reported = new HashSet<>();
        /** Not accepted yet. */
        private int remaining;
        /** Waiting or being written. */
        private int running;

        private boolean dropped;
        private long pauseMillis = SHORTEST_PAUSE_MILLIS;
        private Scheduler.@Nullable Timer pause;

        Delivery(Ending ending) {
            this.ending = ending;
            this.remaining = ending.prepared().partitions().size();
        }

        void pause(Runnable then) {
            pause = scheduler.schedule(then, TimeUnit.MILLISECONDS.toNanos(pauseMillis), executor);
            pauseMillis = Math.min(LONGEST_PAUSE_MILLIS, 2 * pauseMillis);
        }
    }
}
