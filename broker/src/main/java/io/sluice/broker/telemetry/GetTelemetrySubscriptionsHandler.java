package io.sluice.broker.telemetry;

import io.sluice.base.time.Clock;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.ThrottlingQuotaExceededException;
import org.apache.kafka.common.message.GetTelemetrySubscriptionsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.requests.GetTelemetrySubscriptionsRequest;
import org.apache.kafka.common.requests.GetTelemetrySubscriptionsResponse;

/**
 * GetTelemetrySubscriptions (KIP-714): which metrics a client is asked to push, how often, and in which form. A client that
 * has no instance id yet gets one. The spreading of the first pushes is the clients' part.
 */
final class GetTelemetrySubscriptionsHandler implements ApiHandler<GetTelemetrySubscriptionsRequest> {
    /** The one preferred most first. */
    private static final List<Byte> COMPRESSIONS = List.of(
            CompressionType.ZSTD.id, CompressionType.LZ4.id, CompressionType.GZIP.id, CompressionType.SNAPPY.id);

    private final ClientInstances instances;
    private final int maxBytes;
    private final Clock clock;
    private final Supplier<Uuid> newIds;

    GetTelemetrySubscriptionsHandler(ClientInstances instances, int maxBytes, Clock clock, Supplier<Uuid> newIds) {
        this.instances = instances;
        this.maxBytes = maxBytes;
        this.clock = clock;
        this.newIds = newIds;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS;
    }

    @Override
    public void handle(Call<GetTelemetrySubscriptionsRequest> call) {
        Uuid given = call.request().data().clientInstanceId();
        Uuid id = given == null || given.equals(Uuid.ZERO_UUID) ? newIds.get() : given;
        ClientInstance instance = instances.of(ClientAttributes.of(id, call));
        if (!instance.mayAsk(clock.nanoTime())) {
            call.respond(call.request().getErrorResponse(0, new ThrottlingQuotaExceededException("asked too early")));
            return;
        }
        call.respond(new GetTelemetrySubscriptionsResponse(answer(id, instance.assignment())));
    }

    private GetTelemetrySubscriptionsResponseData answer(Uuid id, Assignment assignment) {
        return new GetTelemetrySubscriptionsResponseData()
                .setClientInstanceId(id)
                .setSubscriptionId(assignment.id())
                .setRequestedMetrics(assignment.metrics())
                .setAcceptedCompressionTypes(COMPRESSIONS)
                .setPushIntervalMs(assignment.intervalMs())
                .setTelemetryMaxBytes(maxBytes)
                .setDeltaTemporality(true);
    }
}
