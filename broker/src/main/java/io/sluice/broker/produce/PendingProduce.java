package io.sluice.broker.produce;

import io.netty.buffer.ByteBuf;
import io.sluice.base.id.PartitionId;
import io.sluice.base.memory.MemoryExhaustedException;
import io.sluice.broker.api.Call;
import io.sluice.broker.serving.ServedTopic;
import io.sluice.protocol.frame.Placed;
import io.sluice.protocol.record.BatchVerdict;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.DurabilityListener;
import io.sluice.storage.log.LogState;
import io.sluice.storage.log.PartitionLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.ProduceResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One Produce request on its way. Lives on its connection's event loop.
 *
 * <pre>
 * VERIFYING (transaction) ----------------.
 *   |                                      |  time-out
 *   v                                      v
 * APPENDING ---> WAITING ---> ANSWERED <---'
 *   |   ^           (for durability)  ^
 *   v   | room                        |
 *  PARKED (buffer full) --------------'  time-out
 * </pre>
 */
final class PendingProduce implements DurabilityListener {
    private static final Logger LOG = LoggerFactory.getLogger(PendingProduce.class);
    private static final short ACKS_ALL = -1;
    private static final String ADMIN_CLIENT_ID = "__admin_client";

    private enum State {
        VERIFYING,
        APPENDING,
        PARKED,
        WAITING,
        ANSWERED
    }

    /** Links of {@link ProduceDeadlines}, guarded by it. */
    @Nullable PendingProduce next;

    @Nullable PendingProduce previous;

    /**
     * The time-out is for copies on other nodes, and on one node Kafka never lets it pass. A flush does take a while, and a
     * client that resends what was cut short would have its records twice.
     */
    private static final long SHORTEST_TIMEOUT_MILLIS = 1000;

    private final ProduceHandler handler;
    private final Call<ProduceRequest> call;
    private final short version;
    private final short acks;
    private final long deadlineNanos;
    private final ProduceResponseData response = new ProduceResponseData();
    private final List<Waiting> waiting = new ArrayList<>(1);
    private State state = State.APPENDING;
    private int undurable;
    private int nextToFind;
    private boolean anyDurable;
    private @Nullable String failure;
    private boolean watched;

    /** How far the request has been worked through. */
    private final Iterator<TopicProduceData> topics;

    private @Nullable TopicProduceData topic;
    private @Nullable ServedTopic served;
    private List<PartitionProduceResponse> topicAnswers = List.of();
    private int partitionIndex;
    private @Nullable Parked parked;
    private @Nullable TransactionCheck transaction;

    /** A batch that has its place and is not durable yet. */
    private static final class Waiting {
        final PartitionLog log;
        final long endOffset;
        final PartitionProduceResponse answer;
        final ServedTopic topic;
        boolean done;

        Waiting(PartitionLog log, long endOffset, PartitionProduceResponse answer, ServedTopic topic) {
            this.log = log;
            this.endOffset = endOffset;
            this.answer = answer;
            this.topic = topic;
        }
    }

    /** A batch that has been validated and waits for room; ours to release. */
    private record Parked(PartitionLog log, PartitionId id, ByteBuf batch, long guard) {}

    PendingProduce(ProduceHandler handler, Call<ProduceRequest> call) {
        this.handler = handler;
        this.call = call;
        ProduceRequestData data = call.request().data();
        version = call.header().apiVersion();
        acks = data.acks();
        long timeoutMillis = Math.max(data.timeoutMs(), SHORTEST_TIMEOUT_MILLIS);
        deadlineNanos = call.receivedNanos() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        topics = data.topicData().iterator();
    }

    @Override
    public Executor executor() {
        return call.executor();
    }

    long deadlineNanos() {
        return deadlineNanos;
    }

    void start() {
        if (acks < ACKS_ALL || acks > 1) {
            failRest(Errors.INVALID_REQUIRED_ACKS, "acks is " + acks + "; allowed are 0, 1 and -1");
        } else if (acks != 0 && handler.clock().nanoTime() - deadlineNanos >= 0) {
            handler.expiredRequests().increment();
            failRest(Errors.REQUEST_TIMED_OUT, "the time-out passed before the request was begun");
        }
        TransactionCheck check = topics.hasNext() ? TransactionCheck.of(handler, call) : null;
        transaction = check;
        Errors error = check == null ? null : check.requestError();
        if (error != null) {
            failRest(
                    error,
                    "batches of a transaction need its transactional id, and all of one request have one producer");
        }
        if (check != null && check.isNeeded()) {
            state = State.VERIFYING;
            call.suspendConnection();
            watch();
            check.run(this::onVerified);
        } else {
            appendRest();
        }
    }

    private void onVerified() {
        if (state == State.VERIFYING) {
            state = State.APPENDING;
            goOn();
            call.resumeConnection();
        }
    }

    // ---- Appending

    private void appendRest() {
        while (nextPartition()) {
            PartitionProduceData partition = current();
            PartitionProduceResponse answer = append(partition);
            if (answer == null) {
                park();
                return;
            }
            add(answer);
        }
        state = State.WAITING;
        if (undurable > 0) {
            watch();
        } else {
            answer();
        }
    }

    /** Goes to the next partition of the request, if there is one. */
    private boolean nextPartition() {
        while (topic == null || partitionIndex >= topic.partitionData().size()) {
            if (!topics.hasNext()) {
                return false;
            }
            topic = topics.next();
            served = handler.resolve(topic, version);
            if (served != null) {
                call.connection().noteTopic(served.image().name());
            }
            partitionIndex = 0;
            topicAnswers = new ArrayList<>(topic.partitionData().size());
            Placed.add(
                    response.responses(),
                    new Placed.ProducedTopic()
                            .setName(topic.name())
                            .setTopicId(topic.topicId())
                            .setPartitionResponses(topicAnswers));
        }
        return true;
    }

    private PartitionProduceData current() {
        if (topic == null) {
            throw new IllegalStateException("no partition left");
        }
        return topic.partitionData().get(partitionIndex);
    }

    private void add(PartitionProduceResponse answer) {
        topicAnswers.add(answer);
        partitionIndex++;
        if (answer.errorCode() != Errors.NONE.code() && failure == null) {
            failure = "partition " + answer.index() + ": " + Errors.forCode(answer.errorCode()) + " ("
                    + answer.errorMessage() + ")";
        }
    }

    /** Appends one partition's batch; null where the log has no room for it now. */
    private @Nullable PartitionProduceResponse append(PartitionProduceData partition) {
        if (parked != null) {
            return appendBatch(partition.index(), parked);
        }
        if (served == null) {
            return unknownTopic(partition.index());
        }
        PartitionId id = served.partition(partition.index());
        if (id == null) {
            return ProduceAnswers.failed(
                    partition.index(), Errors.UNKNOWN_TOPIC_OR_PARTITION, "the topic has no such partition");
        }
        if (served.internal() && !ADMIN_CLIENT_ID.equals(call.header().clientId())) {
            return ProduceAnswers.failed(
                    partition.index(), Errors.INVALID_TOPIC_EXCEPTION, "only coordinators write to an internal topic");
        }
        if (!(partition.records() instanceof MemoryRecords records)) {
            return ProduceAnswers.failed(partition.index(), Errors.INVALID_RECORD, "there are no records");
        }
        // The log may hold on to the bytes for longer than this call lasts: acks=0, and answers that time out.
        ByteBuf batch = call.keep(records.buffer());
        try {
            return validateAndAppend(partition.index(), served, id, batch);
        } finally {
            batch.release();
        }
    }

    private PartitionProduceResponse unknownTopic(int partition) {
        return version < ProduceHandler.TOPIC_ID_VERSION
                ? ProduceAnswers.failed(partition, Errors.UNKNOWN_TOPIC_OR_PARTITION, "there is no such topic")
                : ProduceAnswers.failed(partition, Errors.UNKNOWN_TOPIC_ID, "there is no topic of this id");
    }

    private @Nullable PartitionProduceResponse validateAndAppend(
            int partition, ServedTopic servedTopic, PartitionId id, ByteBuf records) {
        PartitionLog log = handler.ownership().isLocal(id) ? handler.logs().find(id) : null;
        if (log == null) {
            return notServed(partition, id);
        }
        Errors unverified = transaction == null ? Errors.NONE : transaction.error(id);
        if (unverified != Errors.NONE) {
            return ProduceAnswers.failed(partition, unverified, "the transaction's coordinator answered " + unverified);
        }
        long guard = transaction == null ? PartitionLog.NO_GUARD : transaction.guard(id);
        BatchVerdict verdict = validate(records, servedTopic);
        if (verdict == null) {
            return ProduceAnswers.failed(
                    partition,
                    Errors.KAFKA_STORAGE_ERROR,
                    "no memory to store the batch in the topic's codec; try again");
        }
        if (verdict instanceof BatchVerdict.Refused refused) {
            return ProduceAnswers.invalid(partition, refused, log.logStartOffset());
        }
        if (verdict instanceof BatchVerdict.Converted conversion) {
            return appendBatch(partition, new Parked(log, id, conversion.batch(), guard));
        }
        int size = ((BatchVerdict.Accepted) verdict).sizeInBytes();
        records.writerIndex(records.readerIndex() + size);
        return appendBatch(partition, new Parked(log, id, records.retain(), guard));
    }

    /** What the topic's rules say; null where there is no memory to convert the batch. */
    private @Nullable BatchVerdict validate(ByteBuf records, ServedTopic servedTopic) {
        try {
            return handler.validator()
                    .validate(
                            records,
                            servedTopic.rules(),
                            version,
                            handler.clock().epochMillis());
        } catch (MemoryExhaustedException e) {
            return null;
        }
    }

    private PartitionProduceResponse notServed(int partition, PartitionId id) {
        PartitionProduceResponse answer =
                ProduceAnswers.failed(partition, Errors.NOT_LEADER_OR_FOLLOWER, "this node does not serve it now");
        answer.currentLeader()
                .setLeaderId(handler.ownership().ownerOf(id))
                .setLeaderEpoch(handler.ownership().leaderEpochOf(id));
        return answer;
    }

    private @Nullable PartitionProduceResponse appendBatch(int partition, Parked batch) {
        int size = batch.batch().readableBytes();
        parked = null;
        boolean owned = true;
        try {
            AppendResult result = batch.log()
                    .append(
                            batch.batch(),
                            handler.ownership().leaderEpochOf(batch.id()),
                            AppendOrigin.CLIENT,
                            batch.guard());
            if (result instanceof AppendResult.Refused refused && refused.reason() == AppendResult.Refusal.FULL) {
                parked = batch;
                owned = false;
                return null;
            }
            return answerTo(result, partition, batch, size);
        } finally {
            if (owned) {
                batch.batch().release();
            }
        }
    }

    private PartitionProduceResponse answerTo(AppendResult result, int partition, Parked batch, int size) {
        PartitionLog log = batch.log();
        if (result instanceof AppendResult.Appended appended) {
            count(size, appended.lastOffset() - appended.baseOffset() + 1);
            return await(log, partition, appended.baseOffset(), appended.lastOffset(), appended.logAppendTimeMillis());
        }
        if (result instanceof AppendResult.Duplicate duplicate) {
            return await(
                    log, partition, duplicate.baseOffset(), duplicate.lastOffset(), duplicate.logAppendTimeMillis());
        }
        AppendResult.Refused refused = (AppendResult.Refused) result;
        if (ProduceAnswers.errorOf(refused.reason()) == Errors.NOT_LEADER_OR_FOLLOWER) {
            return notServed(partition, batch.id());
        }
        PartitionProduceResponse answer =
                ProduceAnswers.failed(partition, ProduceAnswers.errorOf(refused.reason()), refused.detail());
        return ProduceAnswers.reachedLog(refused.reason()) ? answer.setLogStartOffset(log.logStartOffset()) : answer;
    }

    private void count(int bytes, long records) {
        if (served != null) {
            served.series().bytesIn().add(bytes);
            served.series().recordsIn().add(records);
        }
    }

    private PartitionProduceResponse await(
            PartitionLog log, int partition, long baseOffset, long lastOffset, long logAppendTime) {
        PartitionProduceResponse answer =
                ProduceAnswers.appended(partition, baseOffset, logAppendTime, log.logStartOffset());
        if (acks != 0 && served != null) {
            waiting.add(new Waiting(log, lastOffset + 1, answer, served));
            undurable++;
            log.awaitDurable(lastOffset + 1, this);
        }
        return answer;
    }

    /** Goes on after a wait: nobody but this hears of a defect, and the connection must not stay suspended for it. */
    @SuppressWarnings("checkstyle:IllegalCatch") // whatever goes wrong: the request is answered
    private void goOn() {
        try {
            appendRest();
        } catch (RuntimeException | LinkageError | AssertionError e) {
            LOG.error("A Produce request could not be worked through", e);
            dropParked();
            failRest(Errors.UNKNOWN_SERVER_ERROR, "a defect; the node's log says more");
            if (undurable > 0) {
                state = State.WAITING;
                watch();
            } else {
                answer();
            }
        }
    }

    // ---- Waiting for room

    private void park() {
        if (state != State.PARKED) {
            state = State.PARKED;
            call.suspendConnection();
        }
        watch();
        handler.logs().awaitCapacity(call.executor(), this::onCapacity);
    }

    private void onCapacity() {
        if (state == State.PARKED) {
            goOn();
            if (state != State.PARKED) {
                call.resumeConnection();
            }
        }
    }

    // ---- Waiting for durability

    @Override
    public void onDurable(PartitionLog log, long offset) {
        Waiting batch = take(log, 0, offset);
        if (batch != null) {
            batch.topic.series().publishNanos().observe(handler.clock().nanoTime() - call.receivedNanos());
            anyDurable = true;
            settle();
        }
    }

    @Override
    public void onUnknown(PartitionLog log, long offset, IOException cause) {
        Waiting batch = take(log, offset + 1, Long.MAX_VALUE);
        if (batch == null) {
            return;
        }
        if (log.state() == LogState.DELETED) {
            ProduceAnswers.fail(batch.answer, Errors.UNKNOWN_TOPIC_OR_PARTITION, "the topic was deleted");
        } else {
            ProduceAnswers.fail(
                    batch.answer,
                    Errors.KAFKA_STORAGE_ERROR,
                    "the flush failed; whether the records survive is unknown");
        }
        settle();
    }

    /**
     * A batch that waits for this log, with its end in a range. A request may name a partition twice, first for a new batch
     * and then for one sent before: the older is durable sooner.
     */
    private @Nullable Waiting take(PartitionLog log, long fromOffset, long toOffset) {
        for (int i = 0; i < waiting.size(); i++) {
            int at = (nextToFind + i) % waiting.size();
            Waiting batch = waiting.get(at);
            boolean meant = batch.log == log && batch.endOffset >= fromOffset && batch.endOffset <= toOffset;
            if (!batch.done && meant) {
                batch.done = true;
                nextToFind = at + 1;
                return batch;
            }
        }
        return null;
    }

    private void settle() {
        undurable--;
        if (undurable == 0 && state == State.WAITING) {
            answer();
        }
    }

    // ---- Time-out

    private void watch() {
        if (!watched) {
            watched = true;
            handler.deadlines().add(this);
        }
    }

    /** The time-out has passed: what is not durable yet is answered REQUEST_TIMED_OUT. */
    void expire() {
        if (state == State.ANSWERED) {
            return;
        }
        handler.expiredRequests().increment();
        for (Waiting batch : waiting) {
            if (!batch.done) {
                batch.done = true;
                ProduceAnswers.fail(
                        batch.answer, Errors.REQUEST_TIMED_OUT, "the records were not durable within the time-out");
            }
        }
        boolean suspended = state == State.PARKED || state == State.VERIFYING;
        if (suspended) {
            dropParked();
            failRest(
                    Errors.REQUEST_TIMED_OUT,
                    state == State.PARKED
                            ? "the log had no room for the records within the time-out"
                            : "the transaction's coordinator did not answer within the time-out");
        }
        answer();
        if (suspended) {
            call.resumeConnection();
        }
    }

    private void dropParked() {
        if (parked != null) {
            parked.batch().release();
        }
        parked = null;
    }

    private void failRest(Errors error, String message) {
        while (nextPartition()) {
            int partition = current().index();
            boolean known = served != null && served.partition(partition) != null;
            add(known ? ProduceAnswers.failed(partition, error, message) : unknownTopic(partition));
        }
    }

    // ---- The answer

    private void answer() {
        state = State.ANSWERED;
        if (watched) {
            handler.deadlines().remove(this);
        }
        if (acks != 0) {
            if (anyDurable) {
                handler.publishNanos().observe(handler.clock().nanoTime() - call.receivedNanos());
            }
            call.respond(new ProduceResponse(response));
        } else if (failure == null) {
            call.respondNothing();
        } else {
            call.closeConnection("Produce with acks=0 failed, " + failure);
        }
    }
}
