package io.sluice.broker.net;

import io.sluice.base.metric.Metric;
import io.sluice.base.metric.Metrics;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.message.ProduceResponseData.TopicProduceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.ProduceResponse;

/** One API with its handler and its counters, found once a request by its key. Safe on every thread. */
final class ServedApi {
    private final ApiHandler<AbstractRequest> handler;
    private final ApiKeys api;
    private final boolean pipelined;
    private final short oldest;
    private final short newest;
    private final Metrics metrics;
    private final LongAdder requests;
    private final LongAdder requestBytes;
    private final LongAdder responseBytes;
    private final Metrics.Histogram seconds;
    private final Map<Errors, LongAdder> errors = new ConcurrentHashMap<>();

    @SuppressWarnings("unchecked") // the decoder makes requests of the handler's API and no others
    ServedApi(ApiHandler<?> handler, Metrics metrics) {
        this.handler = (ApiHandler<AbstractRequest>) handler;
        this.api = handler.api();
        this.pipelined = handler.pipelined();
        this.oldest = handler.oldestVersion();
        this.newest = handler.newestVersion();
        this.metrics = metrics;
        this.requests = metrics.counter(Metric.NET_REQUESTS, api.name);
        this.requestBytes = metrics.counter(Metric.NET_REQUEST_BYTES, api.name);
        this.responseBytes = metrics.counter(Metric.NET_RESPONSE_BYTES, api.name);
        this.seconds = metrics.histogram(Metric.NET_REQUEST_SECONDS, api.name);
    }

    ApiKeys api() {
        return api;
    }

    boolean isPipelined() {
        return pipelined;
    }

    /** Whether a request of this version can be read. Old ones may be advertised for what they tell clients. */
    boolean reads(short version) {
        return api == ApiKeys.API_VERSIONS
                || (version >= oldest && version <= newest && api.isVersionSupported(version));
    }

    /** Whether the decoded request goes on using the frame's memory. */
    boolean keepsFrame() {
        return api == ApiKeys.PRODUCE;
    }

    /** Whether the decoded request may refer to the bytes it was read from in ways other than {@link #keepsFrame}. */
    boolean mayKeepBytes() {
        return api.requiresDelayedAllocation;
    }

    /**
     * Whether its calls wait for other clients' calls, which must therefore never wait for these to end. Their requests are
     * small (two MiB, of few elements), and their bytes are counted as long as they wait.
     */
    boolean waitsForOthers() {
        return api == ApiKeys.JOIN_GROUP || api == ApiKeys.SYNC_GROUP;
    }

    void handle(Call<AbstractRequest> call) {
        handler.handle(call);
    }

    void onRequest(int bytes) {
        requests.increment();
        requestBytes.add(bytes);
    }

    void onAnswer(long nanos, long bytes) {
        seconds.observe(nanos);
        responseBytes.add(bytes);
    }

    /** Counts the errors of an answer. Produce, on the hot path, is counted without the map that Kafka's classes make. */
    void countErrors(AbstractResponse response) {
        if (response instanceof ProduceResponse produce) {
            for (TopicProduceResponse topic : produce.data().responses()) {
                for (PartitionProduceResponse partition : topic.partitionResponses()) {
                    if (partition.errorCode() != 0) {
                        countError(Errors.forCode(partition.errorCode()));
                    }
                }
            }
        } else {
            response.errorCounts().keySet().forEach(this::countError);
        }
    }

    void countError(Errors error) {
        if (error == Errors.NONE) {
            return;
        }
        errors.computeIfAbsent(error, this::errorCounter).increment();
    }

    private LongAdder errorCounter(Errors error) {
        return metrics.counter(Metric.NET_REQUEST_ERRORS, api.name, error.name());
    }
}
