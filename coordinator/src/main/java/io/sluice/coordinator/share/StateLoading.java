package io.sluice.coordinator.share;

import io.sluice.storage.config.ShareGroupKeys;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads what is kept of a share partition, and makes what is kept fit its log. Safe on every thread. */
final class StateLoading {
    private static final Logger LOG = LoggerFactory.getLogger(StateLoading.class);

    private final String name;
    private final SharePartitionStore store;

    /**
     * Nothing is read yet.
     *
     * @param name for the log
     */
    StateLoading(String name, SharePartitionStore store) {
        this.name = name;
        this.store = store;
    }

    /**
     * What came of it.
     *
     * @param error NONE, or why there is nothing
     */
    record Result(Errors error, int stateEpoch, KeptState kept) {
        private static Result failed(Errors error) {
            return new Result(error, -1, new KeptState(SharePartitionStore.UNINITIALIZED, List.of()));
        }
    }

    /**
     * Reads. A group that has not begun gets its first offset, which is kept before anything is delivered, so that it stays what
     * it was.
     */
    CompletionStage<Result> load(SharePartition.FirstOffset firstOffset, long logEndOffset) {
        return store.read().thenCompose(loaded -> {
            if (loaded.error() != Errors.NONE) {
                return CompletableFuture.completedFuture(Result.failed(loaded.error()));
            }
            return loaded.startOffset() == SharePartitionStore.UNINITIALIZED
                    ? begin(firstOffset, loaded.stateEpoch())
                    : resume(loaded, logEndOffset);
        });
    }

    private CompletionStage<Result> begin(SharePartition.FirstOffset firstOffset, int epoch) {
        return firstOffset
                .find()
                .thenCompose(offset -> write(epoch, new KeptState(offset, List.of())))
                .exceptionally(failure -> {
                    LOG.warn("{}: the first offset could not be found", name, failure);
                    return Result.failed(Errors.NOT_LEADER_OR_FOLLOWER);
                });
    }

    private CompletionStage<Result> resume(SharePartitionStore.Loaded loaded, long logEndOffset) {
        KeptState kept = KeptState.of(loaded);
        KeptState ofLog = kept.within(logEndOffset);
        KeptState fitting = ofLog.withPossibleCounts();
        if (fitting.equals(kept)) {
            return CompletableFuture.completedFuture(new Result(Errors.NONE, loaded.stateEpoch(), kept));
        }
        if (!ofLog.equals(kept)) {
            LOG.warn(
                    "{}: what is kept of the group, from offset {} on, is not of this log, which ends at {}: it begins anew at {}",
                    name,
                    kept.startOffset(),
                    logEndOffset,
                    fitting.startOffset());
        }
        if (!fitting.equals(ofLog)) {
            LOG.warn(
                    "{}: delivery counts are kept that no group can have, below 0 or above {}: they are brought into that range",
                    name,
                    ShareGroupKeys.MOST_DELIVERIES);
        }
        return store.reset(loaded.stateEpoch(), fitting.startOffset())
                .thenCompose(error -> error != Errors.NONE
                        ? CompletableFuture.completedFuture(Result.failed(error))
                        : write(loaded.stateEpoch(), fitting));
    }

    private CompletionStage<Result> write(int epoch, KeptState kept) {
        return store.write(
                        new SharePartitionStore.Change(epoch, kept.startOffset(), kept.settledCount(), kept.ranges()))
                .thenApply(error -> error == Errors.NONE ? new Result(error, epoch, kept) : Result.failed(error));
    }
}
