package io.sluice.broker.fetch;

import io.netty.buffer.ByteBuf;
import io.sluice.base.metric.Metrics;
import io.sluice.base.ownership.Ownership;
import io.sluice.base.time.Clock;
import io.sluice.base.time.Scheduler;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.broker.serving.ServedTopics;
import io.sluice.storage.log.PartitionLogStore;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchMetadata;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.FetchResponse;
import org.jspecify.annotations.Nullable;

/**
 * Serves Fetch, versions 4 to 18, with sessions (KIP-227) and without. A session ends when its client says so, when its
 * connection closes, or when another needs its place.
 *
 * <p>Requests that claim to come from another broker's replica are answered NOT_LEADER_OR_FOLLOWER for every partition: no
 * broker replicates over this protocol.
 */
public final class FetchHandler implements ApiHandler<FetchRequest> {
    private static final short TOPIC_ID_VERSION = 13;

    /** Partitions of requests without a session, some 300 bytes each, that wait without their requests. */
    static final int MAX_WAITING_PARTITIONS = 100_000;

    private final ServedTopics topics;
    private final PartitionLogStore logs;
    private final Ownership ownership;
    private final Clock clock;
    private final Scheduler scheduler;
    private final IntFunction<ByteBuf> answerBuffers;
    private final int maxBytes;
    private final FetchSessionCache sessions;
    private final FetchConnections connections = new FetchConnections(this::closeSession);
    private final AtomicInteger waitingPartitions = new AtomicInteger();

    /**
     * What bounds the answers.
     *
     * @param maxBytes most bytes of records in one answer ({@code fetch.max.bytes})
     * @param sessionSlots most sessions kept ({@code max.incremental.fetch.session.cache.slots})
     * @param sessionIds numbers for sessions, which nobody should be able to guess
     */
    public record Limits(int maxBytes, int sessionSlots, IntSupplier sessionIds) {}

    /** What time it is and how to wait. */
    public record Time(Clock clock, Scheduler scheduler) {}

    /**
     * A handler.
     *
     * @param answerBuffers gives memory of a size for what surrounds the records of an answer
     */
    public FetchHandler(
            ServedTopics topics,
            PartitionLogStore logs,
            Ownership ownership,
            Time time,
            Limits limits,
            IntFunction<ByteBuf> answerBuffers,
            Metrics metrics) {
        this.topics = topics;
        this.logs = logs;
        this.ownership = ownership;
        this.clock = time.clock();
        this.scheduler = time.scheduler();
        this.answerBuffers = answerBuffers;
        maxBytes = limits.maxBytes();
        sessions = new FetchSessionCache(limits.sessionSlots(), limits.sessionIds(), metrics);
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.FETCH;
    }

    @Override
    public void handle(Call<FetchRequest> call) {
        FetchRequestData data = call.request().data();
        if (data.isolationLevel() < 0 || data.isolationLevel() > IsolationLevel.READ_COMMITTED.id()) {
            call.respond(call.request().getErrorResponse(new InvalidRequestException("unknown isolation level")));
            return;
        }
        int epoch = data.sessionEpoch();
        if (epoch == FetchMetadata.INITIAL_EPOCH || epoch == FetchMetadata.FINAL_EPOCH) {
            if (data.sessionId() != FetchMetadata.INVALID_SESSION_ID) {
                close(sessions.take(data.sessionId()));
            }
            startFull(call, epoch == FetchMetadata.INITIAL_EPOCH);
        } else {
            startIncremental(call);
        }
    }

    // ---- All partitions named

    private void startFull(Call<FetchRequest> call, boolean keep) {
        FetchRequestData data = call.request().data();
        FetchConnections.Entry connection = connections.of(call.connection());
        boolean usesTopicIds = call.header().apiVersion() >= TOPIC_ID_VERSION;
        FetchSession session = new FetchSession(connection, usesTopicIds, clock.nanoTime());
        session.update(data.topics(), List.of());
        if (keep) {
            keep(connection, session);
        }
        synchronized (session) {
            begin(call, session, true);
        }
    }

    private void keep(FetchConnections.Entry connection, FetchSession session) {
        connection.add(session);
        close(sessions.add(session, session.size(), clock.nanoTime()));
        if (session.id() != FetchMetadata.INVALID_SESSION_ID) {
            session.startListening();
        } else {
            connection.remove(session);
        }
    }

    // ---- Only what has changed named

    private void startIncremental(Call<FetchRequest> call) {
        FetchSession session = sessions.find(call.request().data().sessionId());
        if (session == null) {
            fail(call, Errors.FETCH_SESSION_ID_NOT_FOUND);
            return;
        }
        Errors error;
        synchronized (session) {
            error = check(call, session);
            if (error == Errors.NONE) {
                resume(call, session);
            }
        }
        if (error != Errors.NONE) {
            fail(call, error);
        } else if (session.isEmpty()) {
            closeSession(session);
        } else {
            close(sessions.touch(session, session.size(), clock.nanoTime()));
        }
    }

    private static Errors check(Call<FetchRequest> call, FetchSession session) {
        if (session.epoch() != call.request().data().sessionEpoch()) {
            return Errors.INVALID_FETCH_SESSION_EPOCH;
        }
        return session.usesTopicIds() == call.header().apiVersion() >= TOPIC_ID_VERSION
                ? Errors.NONE
                : Errors.FETCH_SESSION_TOPIC_ID_ERROR;
    }

    private void resume(Call<FetchRequest> call, FetchSession session) {
        FetchRequestData data = call.request().data();
        PendingFetch other = session.current();
        if (other != null) {
            other.supersede();
        }
        session.nextEpoch();
        session.update(data.topics(), data.forgottenTopicsData());
        if (session.isEmpty()) {
            call.respond(FetchResponse.of(new FetchResponseData()));
        } else {
            begin(call, session, false);
        }
    }

    // ---- Both

    private void begin(Call<FetchRequest> call, FetchSession session, boolean full) {
        FetchContext context = new FetchContext(topics, logs, ownership, call.request());
        FetchConnections.Entry connection = connections.of(call.connection());
        new PendingFetch(this, call, connection, session, context, full).start();
    }

    private static void fail(Call<FetchRequest> call, Errors error) {
        call.respond(FetchResponse.of(new FetchResponseData().setErrorCode(error.code())));
    }

    private void closeSession(FetchSession session) {
        close(sessions.take(session));
    }

    private static void close(@Nullable FetchSession session) {
        if (session != null) {
            session.close();
        }
    }

    // ---- For the fetches

    /** Sessions that end with the connections they were begun on. */
    int sessionsOfConnections() {
        return connections.sessions();
    }

    int maxBytes() {
        return maxBytes;
    }

    long nanoTime() {
        return clock.nanoTime();
    }

    Scheduler.Timer schedule(Runnable task, long delayNanos, Executor executor) {
        return scheduler.schedule(task, Math.max(0, delayNanos), executor);
    }

    IntFunction<ByteBuf> answerBuffers() {
        return answerBuffers;
    }

    /** Counts the partitions of one request more; false where too many wait. */
    boolean mayWait(int partitions) {
        if (waitingPartitions.addAndGet(partitions) <= MAX_WAITING_PARTITIONS) {
            return true;
        }
        waitingPartitions.addAndGet(-partitions);
        return false;
    }

    void waitsNoLonger(int partitions) {
        if (partitions > 0) {
            waitingPartitions.addAndGet(-partitions);
        }
    }
}
