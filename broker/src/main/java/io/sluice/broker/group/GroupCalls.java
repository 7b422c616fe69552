package io.sluice.broker.group;

import io.sluice.broker.api.AsyncAnswer;
import io.sluice.broker.api.Call;
import io.sluice.coordinator.group.GroupCall;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What all group handlers do alike: describe the caller to the coordinator, and answer when it has. */
final class GroupCalls {
    private static final Logger LOG = LoggerFactory.getLogger(GroupCalls.class);

    /** Operations that a client may have on a group, as bits: READ, DELETE, DESCRIBE, DESCRIBE_CONFIGS, ALTER_CONFIGS. */
    static final int ALL_OPERATIONS = 1 << 3 | 1 << 6 | 1 << 8 | 1 << 10 | 1 << 11;

    private GroupCalls() {}

    /** The caller, as the coordinator wants to know it. */
    static GroupCall caller(Call<?> call) {
        String clientId = call.header().clientId();
        return new GroupCall(
                call.header().apiKey().id,
                call.header().apiVersion(),
                call.header().correlationId(),
                clientId == null ? "" : clientId,
                withoutName(call.connection().remoteAddress().getAddress()),
                call.connection().listenerName());
    }

    /** Members are shown with "/address", as Kafka shows them, whether or not the address was ever looked up. */
    private static InetAddress withoutName(InetAddress address) {
        try {
            return InetAddress.getByAddress(address.getAddress());
        } catch (UnknownHostException e) {
            throw new IllegalStateException("an address of " + address.getAddress().length + " bytes", e);
        }
    }

    /** Answers with what comes of the stage: the response made from it, or the request's own error answer. */
    static <R extends AbstractRequest, T> void answer(
            Call<R> call, CompletionStage<T> stage, Function<T, AbstractResponse> response) {
        CompletionStage<?> unused = stage.handle((value, failure) -> {
            AsyncAnswer.make(call, () -> failure == null ? response.apply(value) : errorAnswer(call, failure));
            return null;
        });
    }

    private static AbstractResponse errorAnswer(Call<?> call, Throwable failure) {
        return call.request().getErrorResponse(0, unwrap(failure));
    }

    /** The error to report for a failed stage; one that is none of Kafka's is a defect and is logged. */
    static Errors error(Throwable failure) {
        return Errors.forException(unwrap(failure));
    }

    private static Throwable unwrap(Throwable failure) {
        Throwable cause = AsyncAnswer.unwrap(failure);
        if (!(cause instanceof ApiException)) {
            LOG.error("A group request failed", cause);
        }
        return cause;
    }
}
