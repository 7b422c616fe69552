package io.sluice.broker.api;

import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.UnknownServerException;
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

    /**
     * Answers with what is made, on this thread. An answer that cannot be made is a defect, logged and answered with
     * UNKNOWN_SERVER_ERROR; where the request has no such answer either, the connection is closed. No call stays open.
     */
    @SuppressWarnings("checkstyle:IllegalCatch") // whatever goes wrong: a call without an answer blocks its connection
    public static void make(Call<?> call, Supplier<? extends AbstractResponse> answer) {
        AbstractResponse made;
        try {
            made = Objects.requireNonNull(answer.get());
        } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
            log(call, "An answer cannot be made", e);
            made = errorAnswer(call);
        }
        if (made == null) {
            call.closeConnection("no answer can be made to " + call.header().apiKey());
        } else {
            call.respond(made);
        }
    }

    @SuppressWarnings("checkstyle:IllegalCatch") // the same
    private static @Nullable AbstractResponse errorAnswer(Call<?> call) {
        try {
            return call.request().getErrorResponse(0, new UnknownServerException());
        } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
            log(call, "An error answer cannot be made", e);
            return null;
        }
    }

    /** What failed, without the wrapping that stages add. */
    public static Throwable unwrap(Throwable cause) {
        Throwable inner = cause.getCause();
        return cause instanceof CompletionException && inner != null ? unwrap(inner) : cause;
    }

    private static void answer(Call<?> call, @Nullable AbstractResponse response, @Nullable Throwable cause) {
        if (cause == null) {
            call.respond(Objects.requireNonNull(response));
            return;
        }
        log(call, "A request failed", cause);
        make(call, () -> call.request().getErrorResponse(unwrap(cause)));
    }

    private static void log(Call<?> call, String message, Throwable cause) {
        LOG.atError().addKeyValue("api", call.header().apiKey()).setCause(cause).log(message);
    }
}
