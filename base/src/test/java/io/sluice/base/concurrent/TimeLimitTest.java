package io.sluice.base.concurrent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.base.time.SimulatedTime;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class TimeLimitTest {
    private final SimulatedTime time = new SimulatedTime(0);
    private final TimeLimit limit = new TimeLimit(time, Runnable::run);
    private final CompletableFuture<String> work = new CompletableFuture<>();
    private final CompletableFuture<String> limited =
            limit.apply(work, 5_000_000, "opening").toCompletableFuture();

    @Test
    void whatIsDoneInTimeIsPassedOnAndTheTimerIsTakenBack() {
        work.complete("done");
        assertThat(limited).isCompletedWithValue("done");
        assertThat(time.pendingTimers()).isZero();
    }

    @Test
    void aFailureIsPassedOn() {
        work.completeExceptionally(new IOException("disk"));
        assertThat(catchThrowableOfType(CompletionException.class, limited::join))
                .hasCauseInstanceOf(IOException.class);
    }

    @Test
    void waitingEndsAtTheLimitAndNotBefore() {
        time.advanceNanos(4_999_999);
        assertThat(limited).isNotDone();
        time.advanceNanos(1);
        assertThat(catchThrowableOfType(CompletionException.class, limited::join))
                .hasCauseInstanceOf(TimeoutException.class)
                .hasMessageContaining("opening: not done within 5 ms");
        work.complete("too late");
        assertThat(limited).isCompletedExceptionally();
    }

    @Test
    void manyStagesComeInTheirOrderAndFailTogether() {
        CompletableFuture<String> second = CompletableFuture.completedFuture("b");
        CompletableFuture<List<String>> all =
                StageList.all(List.of(work, second)).toCompletableFuture();
        assertThat(all).isNotDone();
        work.complete("a");
        assertThat(all).isCompletedWithValue(List.of("a", "b"));
        assertThat(StageList.all(List.of(CompletableFuture.failedFuture(new IOException()), second))
                        .toCompletableFuture())
                .isCompletedExceptionally();
    }
}
