package io.sluice.broker.produce;

import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.FastThreadLocal;
import io.sluice.base.metric.Metric;
import io.sluice.base.metric.Metrics;
import io.sluice.base.ownership.Ownership;
import io.sluice.base.time.Clock;
import io.sluice.base.time.Scheduler;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.broker.serving.ServedTopics;
import io.sluice.protocol.record.BatchValidator;
import io.sluice.storage.log.PartitionLogStore;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.ProduceRequest;

/**
 * Serves Produce, versions 3 to 13. Versions 0 to 2 are advertised and refused, as Kafka does it, because old librdkafka
 * looks for them before it compresses (KIP-896).
 *
 * <p>Every batch is validated where it lies in the request and appended in the order of the request; the answer goes out
 * when all of them are durable, for acks=1 as for acks=all. Requests of one connection are appended in order and may wait
 * for durability together. Where the log's buffer is full, the connection is not read until it has room; then the request
 * goes on where it stopped, unless its time-out passes first. A request whose time-out has passed before any work was done
 * is answered REQUEST_TIMED_OUT and changes nothing.
 *
 * <p>Until transactions are served, transactional batches are refused: TRANSACTIONAL_ID_AUTHORIZATION_FAILED without a
 * transactional id, as Kafka answers, else INVALID_TXN_STATE, which is what Kafka answers for a transaction that its
 * coordinator does not know.
 */
public final class ProduceHandler implements ApiHandler<ProduceRequest> {
    private static final short OLDEST_ADVERTISED = 0;

    private final ServedTopics topics;
    private final PartitionLogStore logs;
    private final Ownership ownership;
    private final Clock clock;
    private final ProduceDeadlines deadlines;
    private final Metrics.Histogram publishNanos;
    private final LongAdder expiredRequests;
    private final FastThreadLocal<BatchValidator> validators;

    /**
     * A handler.
     *
     * @param allocator gives the memory of batches that are stored in another codec than they came in
     */
    public ProduceHandler(
            ServedTopics topics,
            PartitionLogStore logs,
            Ownership ownership,
            Clock clock,
            Scheduler scheduler,
            ByteBufAllocator allocator,
            Metrics metrics) {
        this.topics = topics;
        this.logs = logs;
        this.ownership = ownership;
        this.clock = clock;
        deadlines = new ProduceDeadlines(clock, scheduler);
        publishNanos = metrics.histogram(Metric.PUBLISH_SECONDS);
        expiredRequests = metrics.counter(Metric.PRODUCE_EXPIRED_REQUESTS);
        validators = new FastThreadLocal<>() {
            @Override
            protected BatchValidator initialValue() {
                return new BatchValidator(allocator);
            }
        };
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.PRODUCE;
    }

    @Override
    public short oldestVersion() {
        return OLDEST_ADVERTISED;
    }

    @Override
    public boolean pipelined() {
        return true;
    }

    @Override
    public void handle(Call<ProduceRequest> call) {
        new PendingProduce(this, call).start();
    }

    ServedTopics topics() {
        return topics;
    }

    PartitionLogStore logs() {
        return logs;
    }

    Ownership ownership() {
        return ownership;
    }

    Clock clock() {
        return clock;
    }

    ProduceDeadlines deadlines() {
        return deadlines;
    }

    Metrics.Histogram publishNanos() {
        return publishNanos;
    }

    LongAdder expiredRequests() {
        return expiredRequests;
    }

    /** This thread's validator. */
    BatchValidator validator() {
        return validators.get();
    }
}
