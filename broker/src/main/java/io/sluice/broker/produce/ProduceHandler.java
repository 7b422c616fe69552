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
import io.sluice.broker.directory.KafkaIds;
import io.sluice.broker.serving.ServedTopic;
import io.sluice.broker.serving.ServedTopics;
import io.sluice.coordinator.runtime.PatientVerifier;
import io.sluice.coordinator.runtime.TransactionVerifier;
import io.sluice.protocol.record.BatchValidator;
import io.sluice.storage.log.PartitionLogStore;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.ProduceRequest;
import org.jspecify.annotations.Nullable;

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
 * <p>A batch that begins a transaction in its partition waits until the transaction's coordinator has said that it belongs to
 * one (KIP-890, {@link TransactionCheck}); the connection is not read meanwhile, so the order is kept.
 */
public final class ProduceHandler implements ApiHandler<ProduceRequest> {
    static final short TOPIC_ID_VERSION = 13;
    private static final short OLDEST_ADVERTISED = 0;

    private final ServedTopics topics;
    private final Target target;
    private final Clock clock;
    private final PatientVerifier verifier;
    private final ProduceDeadlines deadlines;
    private final Metrics.Histogram publishNanos;
    private final LongAdder expiredRequests;
    private final FastThreadLocal<BatchValidator> validators;

    /**
     * Where records go.
     *
     * @param transactions says what belongs to a transaction
     */
    public record Target(PartitionLogStore logs, Ownership ownership, TransactionVerifier transactions) {}

    /**
     * A handler.
     *
     * @param allocator gives the memory of batches that are stored in another codec than they came in
     */
    public ProduceHandler(
            ServedTopics topics,
            Target target,
            Clock clock,
            Scheduler scheduler,
            ByteBufAllocator allocator,
            Metrics metrics) {
        this.topics = topics;
        this.target = target;
        this.clock = clock;
        this.verifier = new PatientVerifier(target.transactions(), clock, scheduler);
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
        return target.logs();
    }

    Ownership ownership() {
        return target.ownership();
    }

    PatientVerifier verifier() {
        return verifier;
    }

    /** The topic that a part of a request means, or null. */
    @Nullable ServedTopic resolve(TopicProduceData data, short version) {
        return version < TOPIC_ID_VERSION ? topics.find(data.name()) : topics.find(KafkaIds.toTopicId(data.topicId()));
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
