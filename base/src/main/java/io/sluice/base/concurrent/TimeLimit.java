package io.sluice.base.concurrent;

import io.sluice.base.time.Scheduler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Ends waiting: a stage that has not completed after some time fails with a {@link TimeoutException}, whatever becomes of
 * the work behind it. Immutable; safe on every thread.
 */
public final class TimeLimit {
    private final Scheduler scheduler;
    private final Executor executor;

    /**
     * A limit on one clock.
     *
     * @param executor completes what has timed out
     */
    public TimeLimit(Scheduler scheduler, Executor executor) {
        this.scheduler = scheduler;
        this.executor = executor;
    }

    /**
     * The same stage, but for the limit.
     *
     * @param what is waited for, for the message: "the logs of topic t"
     */
    public <T> CompletionStage<T> apply(CompletionStage<T> stage, long limitNanos, String what) {
        CompletableFuture<T> limited = new CompletableFuture<>();
        Scheduler.Timer timer = scheduler.schedule(
                () -> limited.completeExceptionally(new TimeoutException(
                        what + ": not done within " + TimeUnit.NANOSECONDS.toMillis(limitNanos) + " ms")),
                limitNanos,
                executor);
        stage.whenComplete((value, cause) -> {
            timer.cancel();
            if (cause == null) {
                limited.complete(value);
            } else {
                limited.completeExceptionally(cause);
            }
        });
        return limited;
    }
}
