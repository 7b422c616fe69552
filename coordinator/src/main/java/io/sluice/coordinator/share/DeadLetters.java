package io.sluice.coordinator.share;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Where the records go that a group gives up in one partition (KIP-1191). Safe on every thread; nothing blocks. */
@FunctionalInterface
public interface DeadLetters {
    /** They go nowhere. */
    DeadLetters NONE = letters -> CompletableFuture.completedFuture(null);

    /**
     * Sends them. Completes when they are durable in the dead letter queue, or will not get there; never fails. That they are
     * to be sent is kept before, and that they were is kept after, so that after a crash they may be there twice, but not never.
     */
    CompletionStage<Void> send(List<DeadLetter> letters);
}
