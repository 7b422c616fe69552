package io.sluice.storage.metadata;

import io.sluice.base.metadata.MetadataStore;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * A metadata store that forgets everything with the process. Each call is a task of its own on the executor given, which
 * plays the metadata thread; with {@code Runnable::run} everything happens at once.
 */
public final class InMemoryMetadataStore implements MetadataStore {
    private final Executor metadataThread;
    private final WatchList watches = new WatchList();
    private MetadataState state = MetadataState.EMPTY;
    private volatile SessionState sessionState = SessionState.CONNECTED;

    /** An empty store. */
    public InMemoryMetadataStore(Executor metadataThread) {
        this.metadataThread = metadataThread;
    }

    @Override
    public CompletionStage<Optional<Entry>> get(String key) {
        return call(() -> Optional.ofNullable(state.get(key)));
    }

    @Override
    public CompletionStage<List<Entry>> list(String prefix) {
        return call(() -> state.list(prefix));
    }

    @Override
    public CompletionStage<MultiResult> multi(List<Operation> operations) {
        List<Operation> copy = List.copyOf(operations);
        return call(() -> apply(copy));
    }

    @Override
    public void watch(String prefix, WatchListener listener) {
        metadataThread.execute(() -> watches.add(prefix, listener, state));
    }

    @Override
    public SessionState sessionState() {
        return sessionState;
    }

    /** Loses the session and finds it again: watchers hear the whole once more. */
    public void restartSession() {
        metadataThread.execute(() -> watches.restart(state));
    }

    @Override
    public void close() {
        sessionState = SessionState.LOST;
        metadataThread.execute(watches::clear);
    }

    private MultiResult apply(List<Operation> operations) {
        MetadataState.Outcome outcome = state.apply(operations);
        if (outcome instanceof MetadataState.Outcome.Accepted accepted
                && !accepted.changes().isEmpty()) {
            state = accepted.next();
            watches.tell(List.of(accepted.changes()));
        }
        return outcome.result();
    }

    private <T> CompletionStage<T> call(Supplier<T> body) {
        CompletableFuture<T> result = new CompletableFuture<>();
        metadataThread.execute(() -> {
            if (sessionState == SessionState.LOST) {
                result.completeExceptionally(new IOException("the metadata store is closed"));
            } else {
                result.complete(body.get());
            }
        });
        return result;
    }
}
