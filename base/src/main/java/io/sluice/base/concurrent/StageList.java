package io.sluice.base.concurrent;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Waits for many stages at once. */
public final class StageList {
    private StageList() {}

    /** All results in the order of the stages, once all are there; fails when one fails, after all have ended. */
    public static <T> CompletionStage<List<T>> all(Collection<? extends CompletionStage<T>> stages) {
        List<CompletableFuture<T>> futures =
                stages.stream().map(stage -> stage.toCompletableFuture()).toList();
        return CompletableFuture.allOf(futures.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> futures.stream().map(future -> future.join()).toList());
    }
}
