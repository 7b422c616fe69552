package io.sluice.storage.metadata;

import io.sluice.base.metadata.MetadataStore;
import io.sluice.base.metadata.MetadataStore.Entry;
import io.sluice.base.metadata.MetadataStore.MultiResult;
import io.sluice.base.metadata.MetadataStore.Operation;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The epoch under which this node serves all its partitions: one number for the node, however many partitions it has. It
 * grows with every start that was not preceded by a clean stop, so that clients notice when something they had read may be
 * gone (KIP-320).
 */
public final class NodeEpochs {
    private final MetadataStore store;
    private final String key;

    /** For one node. */
    public NodeEpochs(MetadataStore store, int nodeId) {
        this.store = store;
        this.key = MetadataKeys.NODES + nodeId;
    }

    /** Whether this node has begun a run before, as far as the metadata knows. */
    public CompletionStage<Boolean> hasBegun() {
        return store.get(key).thenApply(Optional::isPresent);
    }

    /** What the metadata has given to the logs of this node so far. */
    public CompletionStage<GivenNumbers> given() {
        return store.get(key)
                .thenCombine(
                        store.get(MetadataKeys.LOG_IDS),
                        (node, ids) -> new GivenNumbers(
                                ids.map(entry -> MetadataValues.decodeLong(entry.value()))
                                        .orElse(LogIdBlocks.FIRST),
                                node.map(entry -> MetadataValues.decodeNode(entry.value())
                                                .epoch())
                                        .orElse(-1)));
    }

    /**
     * Begins a run; until {@link #stopCleanly} the node counts as one that died.
     *
     * @param logsWereClean whether the logs were stopped cleanly too; an unclean journal raises the epoch
     * @return the epoch of this run, 0 at the very first
     */
    public CompletionStage<Integer> begin(boolean logsWereClean) {
        return store.get(key).thenCompose(found -> {
            MetadataValues.Node before = found.map(entry -> MetadataValues.decodeNode(entry.value()))
                    .orElse(new MetadataValues.Node(-1, false));
            int epoch = before.stoppedCleanly() && logsWereClean ? before.epoch() : before.epoch() + 1;
            return put(found, new MetadataValues.Node(epoch, false)).thenApply(done -> epoch);
        });
    }

    /** Notes that everything this node holds has been flushed and closed. */
    public CompletionStage<Void> stopCleanly() {
        return store.get(key).thenCompose(found -> {
            int epoch = found.map(
                            entry -> MetadataValues.decodeNode(entry.value()).epoch())
                    .orElse(0);
            return put(found, new MetadataValues.Node(epoch, true));
        });
    }

    private CompletionStage<Void> put(Optional<Entry> found, MetadataValues.Node node) {
        byte[] value = MetadataValues.encodeNode(node);
        Operation operation = found.isPresent()
                ? new Operation.Set(key, value, found.get().version())
                : new Operation.Create(key, value);
        return store.multi(List.of(operation)).thenCompose(result -> {
            if (result instanceof MultiResult.Refused) {
                return CompletableFuture.failedFuture(
                        new IOException("somebody else changed " + key + ": is another node running with this id?"));
            }
            return CompletableFuture.completedFuture(null);
        });
    }
}
