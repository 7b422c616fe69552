package io.sluice.coordinator.share;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the state of a share partition so that it is certain what came of it. An answer with an error leaves open whether the
 * change was kept, and what is kept cannot be taken back; so it is read again until it is known, and nothing may be made of what
 * the change was about before that. Safe on every thread; for one change at a time.
 */
final class CertainWriter {
    private static final Logger LOG = LoggerFactory.getLogger(CertainWriter.class);

    /** How long until it is asked again. */
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final String name;
    private final SharePartitionStore store;
    private final BooleanSupplier mayGoOn;
    private final SharePartition.Time time;

    /**
     * Writes nothing yet.
     *
     * @param name for the log
     * @param mayGoOn asked before each further attempt to find out; false ends them
     */
    CertainWriter(String name, SharePartitionStore store, BooleanSupplier mayGoOn, SharePartition.Time time) {
        this.name = name;
        this.store = store;
        this.mayGoOn = mayGoOn;
        this.time = time;
    }

    /**
     * Makes a write.
     *
     * @param onDoubt told once, where an answer with that error leaves open what came of it
     * @return NONE when it is kept for certain; an error that is final ({@link #isFinal}), or else one with which it is certain
     *     that it was not kept
     */
    CompletionStage<Errors> write(StateKeeping.Write write, Consumer<Errors> onDoubt) {
        return store.write(write.change()).exceptionally(Errors::forException).thenCompose(error -> {
            if (error == Errors.NONE || isFinal(error)) {
                return CompletableFuture.completedFuture(error);
            }
            LOG.warn("{}: its state could not be written: {}; what is kept is read again", name, error);
            onDoubt.accept(error);
            CompletableFuture<Errors> outcome = new CompletableFuture<>();
            findOut(write, error, outcome);
            return outcome;
        });
    }

    private void findOut(StateKeeping.Write write, Errors error, CompletableFuture<Errors> outcome) {
        CompletionStage<?> unused = store.read()
                .exceptionally(failure -> SharePartitionStore.Loaded.failed(Errors.forException(failure)))
                .thenAccept(loaded -> {
                    if (loaded.error() == Errors.NONE) {
                        outcome.complete(outcome(write, error, loaded));
                    } else if (isFinal(loaded.error())) {
                        outcome.complete(loaded.error());
                    } else {
                        time.scheduler()
                                .schedule(() -> findOutAgain(write, error, outcome), AGAIN_NANOS, time.executor());
                    }
                });
    }

    private void findOutAgain(StateKeeping.Write write, Errors error, CompletableFuture<Errors> outcome) {
        if (mayGoOn.getAsBoolean()) {
            findOut(write, error, outcome);
        } else {
            outcome.complete(Errors.FENCED_STATE_EPOCH);
        }
    }

    private static Errors outcome(StateKeeping.Write write, Errors error, SharePartitionStore.Loaded loaded) {
        if (!write.isBeforeOrAfter(loaded)) {
            return Errors.FENCED_STATE_EPOCH;
        }
        return KeptState.of(loaded).holds(write.change()) ? Errors.NONE : error;
    }

    /** Whether an error says that somebody else keeps the state now, or nobody. */
    static boolean isFinal(Errors error) {
        return switch (error) {
            case FENCED_STATE_EPOCH,
                    FENCED_LEADER_EPOCH,
                    UNKNOWN_TOPIC_OR_PARTITION,
                    GROUP_ID_NOT_FOUND,
                    INVALID_REQUEST -> true;
            default -> false;
        };
    }

    /** In the words that members know. */
    static Errors translate(Errors error) {
        return switch (error) {
            case NOT_COORDINATOR, COORDINATOR_LOAD_IN_PROGRESS -> Errors.COORDINATOR_NOT_AVAILABLE;
            case FENCED_STATE_EPOCH, FENCED_LEADER_EPOCH, INVALID_REQUEST -> Errors.NOT_LEADER_OR_FOLLOWER;
            default -> error;
        };
    }
}
