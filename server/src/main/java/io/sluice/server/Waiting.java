package io.sluice.server;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.FileFailures;
import io.sluice.base.error.UserException;
import java.io.IOException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for stages on the thread that starts or stops the node, the only one that may. */
final class Waiting {
    private Waiting() {}

    /**
     * The stage's result.
     *
     * @param what is waited for, for the message
     * @param seconds at most
     */
    static <T> T on(String what, CompletionStage<T> stage, long seconds) {
        try {
            return stage.toCompletableFuture().get(seconds, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            if (cause instanceof UserException user) {
                throw user;
            }
            String reason =
                    cause instanceof IOException io ? FileFailures.text(io) : String.valueOf(cause.getMessage());
            throw new UserException(ExitCode.IO_ERROR, what + " failed: " + reason + ".", cause);
        } catch (TimeoutException e) {
            throw new UserException(ExitCode.IO_ERROR, what + " was not done within " + seconds + " s.", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserException(ExitCode.FAILED, what + " was interrupted.", e);
        }
    }
}
