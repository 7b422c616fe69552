package io.sluice.broker.telemetry;

import io.sluice.base.metric.Metric;
import io.sluice.base.metric.Metrics;
import io.sluice.base.time.Clock;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.AsyncAnswer;
import io.sluice.broker.api.Call;
import io.sluice.protocol.record.CompressionCodec;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.PushTelemetryRequestData;
import org.apache.kafka.common.message.PushTelemetryResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.PushTelemetryRequest;
import org.apache.kafka.common.requests.PushTelemetryResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * PushTelemetry (KIP-714): takes what a client has measured. What can be refused without looking inside is refused on the
 * event loop, in Kafka's order; payloads are read on the executor given.
 */
final class PushTelemetryHandler implements ApiHandler<PushTelemetryRequest> {
    private static final Logger LOG = LoggerFactory.getLogger(PushTelemetryHandler.class);

    private final ClientInstances instances;
    private final TelemetryReceiver receiver;
    private final int maxBytes;
    private final Executor reader;
    private final Clock clock;
    private final Metrics metrics;
    private final LongAdder taken;

    /**
     * Hands what is right to the receiver.
     *
     * @param maxBytes of a payload as it was sent
     * @param reader reads payloads; one at a time is enough
     */
    PushTelemetryHandler(
            ClientInstances instances,
            TelemetryReceiver receiver,
            int maxBytes,
            Executor reader,
            Clock clock,
            Metrics metrics) {
        this.instances = instances;
        this.receiver = receiver;
        this.maxBytes = maxBytes;
        this.reader = reader;
        this.clock = clock;
        this.metrics = metrics;
        this.taken = metrics.counter(Metric.TELEMETRY_PUSHES);
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.PUSH_TELEMETRY;
    }

    @Override
    public void handle(Call<PushTelemetryRequest> call) {
        PushTelemetryRequestData push = call.request().data();
        Uuid id = push.clientInstanceId();
        if (id == null || Uuid.RESERVED.contains(id)) {
            call.respond(refusal(call.request(), Errors.INVALID_REQUEST));
            return;
        }
        ClientInstance instance = instances.of(ClientAttributes.of(id, call));
        Errors fault = fault(instance, push);
        instance.onPush(push.terminating(), fault);
        if (fault != Errors.NONE) {
            call.respond(refusal(call.request(), fault));
        } else if (push.metrics() == null || !push.metrics().hasRemaining()) {
            call.respond(accept(push));
        } else {
            read(call, instance, push);
        }
    }

    private Errors fault(ClientInstance instance, PushTelemetryRequestData push) {
        if (instance.isTerminating()) {
            return Errors.INVALID_REQUEST;
        }
        if (!instance.mayPush(clock.nanoTime()) && !push.terminating()) {
            return Errors.THROTTLING_QUOTA_EXCEEDED;
        }
        if (push.subscriptionId() != instance.assignment().id()) {
            return Errors.UNKNOWN_SUBSCRIPTION_ID;
        }
        if (CompressionCodec.find(push.compressionType()) == null) {
            return Errors.UNSUPPORTED_COMPRESSION_TYPE;
        }
        ByteBuffer payload = push.metrics();
        return payload != null && payload.remaining() > maxBytes ? Errors.TELEMETRY_TOO_LARGE : Errors.NONE;
    }

    private void read(Call<PushTelemetryRequest> call, ClientInstance instance, PushTelemetryRequestData push) {
        String clientId = call.header().clientId();
        PushTelemetryRequest request = call.request();
        AsyncAnswer.give(
                call,
                CompletableFuture.supplyAsync(
                        () -> {
                            String malformed = receiver.receive(
                                    clientId == null ? "" : clientId,
                                    instance.assignment().intervalMs(),
                                    push);
                            if (malformed == null) {
                                return accept(push);
                            }
                            LOG.atDebug()
                                    .addKeyValue("instance", push.clientInstanceId())
                                    .addKeyValue("reason", malformed)
                                    .log("metrics of a client cannot be read");
                            instance.onError(Errors.INVALID_RECORD);
                            return refusal(request, Errors.INVALID_RECORD);
                        },
                        reader));
    }

    private PushTelemetryResponse accept(PushTelemetryRequestData push) {
        taken.increment();
        if (push.terminating()) {
            receiver.forget(push.clientInstanceId());
        }
        return new PushTelemetryResponse(new PushTelemetryResponseData());
    }

    private PushTelemetryResponse refusal(PushTelemetryRequest request, Errors error) {
        metrics.counter(Metric.TELEMETRY_PUSHES_REFUSED, error.name()).increment();
        return request.errorResponse(0, error);
    }
}
