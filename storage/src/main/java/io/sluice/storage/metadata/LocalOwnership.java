package io.sluice.storage.metadata;

import io.sluice.base.id.PartitionId;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.ownership.Ownership;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;

/**
 * Ownership on one node: always this node, under the epoch of its run. Listeners hear of a partition once its log serves,
 * from {@link PartitionLifecycle}; when it is deleted they hear before its log goes.
 *
 * <p>Answers come from the image and are safe on every thread; events happen on the metadata thread.
 */
public final class LocalOwnership implements Ownership {
    private final ClusterImageSource images;
    private final int nodeId;
    private final int epoch;
    private final Executor metadataThread;
    private final Set<PartitionId> serving = new LinkedHashSet<>();
    private final List<OwnershipListener> listeners = new CopyOnWriteArrayList<>();

    /**
     * Owns whatever the image holds.
     *
     * @param epoch from {@link NodeEpochs#begin}
     */
    public LocalOwnership(ClusterImageSource images, int nodeId, int epoch, Executor metadataThread) {
        this.images = images;
        this.nodeId = nodeId;
        this.epoch = epoch;
        this.metadataThread = metadataThread;
    }

    @Override
    public int localNodeId() {
        return nodeId;
    }

    @Override
    public int ownerOf(PartitionId partition) {
        return exists(partition) ? nodeId : NOBODY;
    }

    @Override
    public int leaderEpochOf(PartitionId partition) {
        return exists(partition) ? epoch : -1;
    }

    @Override
    public void addListener(OwnershipListener listener) {
        metadataThread.execute(() -> {
            listeners.add(listener);
            for (PartitionId partition : serving) {
                WatchList.shielded(() -> listener.onAcquired(partition, epoch));
            }
        });
    }

    /** The epoch of this run, the same for all partitions. */
    int epoch() {
        return epoch;
    }

    /** The partition's log serves from now on. On the metadata thread. */
    void acquired(PartitionId partition) {
        if (serving.add(partition)) {
            for (OwnershipListener listener : listeners) {
                WatchList.shielded(() -> listener.onAcquired(partition, epoch));
            }
        }
    }

    /** The partition was deleted. On the metadata thread. */
    void released(PartitionId partition) {
        if (serving.remove(partition)) {
            for (OwnershipListener listener : listeners) {
                WatchList.shielded(() -> listener.onReleased(partition));
            }
        }
    }

    private boolean exists(PartitionId partition) {
        TopicImage topic = images.current().topic(partition.topicId());
        return topic != null && topic.hasPartition(partition.partition());
    }
}
