package io.sluice.broker.api;

import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers a call when a stage completes, on the connection's event loop. */
public final class AsyncAnswer {
    private static final Logger LOG = LoggerFactory.getLogger(AsyncAnswer.class);

    private AsyncAnswer() {}

    /**
     * Answers with what the stage completes with. Expected failures are inside the response; a stage that fails is a
     * defect, logged and answered with UNKNOWN_SERVER_ERROR.
     */
    public static <R extends AbstractRequest> void give(
            Call<R> call, CompletionStage<? extends AbstractResponse> stage) {
        stage.whenCompleteAsync((response, cause) -> answer(call, response, cause), call.executor());
    }

    /** What failed, without the wrapping that stages add. */
    public static Throwable unwrap(Throwable cause) {
        Throwable inner = cause.getCause();
        return cause instanceof CompletionException && inner != null ? unwrap(inner) : cause;
    }

    private static <R extends AbstractRequest> void answer(
            Call<R> call, @Nullable AbstractResponse response, @Nullable Throwable cause) {
        if (cause == null) {
            call.respond(Objects.requireNonNull(response));
            return;
        }
        LOG.atError()
                .setMessage("A request failed")
                .addKeyValue("api", call.header().apiKey())
                .setCause(cause)
                .log();
        call.respond(call.request().getErrorResponse(unwrap(cause)));
    }
}
