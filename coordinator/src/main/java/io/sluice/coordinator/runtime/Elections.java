package io.sluice.coordinator.runtime;

import io.sluice.base.ownership.Ownership;
import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which partitions of its topic a coordinator serves here: elected and resigned as ownership says. Safe on every thread. */
public final class Elections {
    private static final Logger LOG = LoggerFactory.getLogger(Elections.class);

    private final Ownership ownership;
    private final StateTopic topic;
    private final Listener listener;
    private final Set<Integer> unbegun = new HashSet<>();
    private boolean closed;

    /**
     * The coordinator. Neither method may block: both are called under a lock, and the resignation also by whoever calls
     * {@link #resign}, without it and perhaps during an election of the same partition.
     */
    public interface Listener {
        /** It serves the partition from now on and loads it. */
        void onElection(int partition, int leaderEpoch);

        /** It serves the partition no more: what waits on it fails with NOT_COORDINATOR. */
        void onResignation(int partition);
    }

    /** Nothing is elected yet. */
    public Elections(Ownership ownership, StateTopic topic, Listener listener) {
        this.ownership = ownership;
        this.topic = topic;
        this.listener = listener;
    }

    /** Elects every partition that is ours. */
    public void reconcileAll() {
        for (int partition = 0; partition < topic.partitions(); partition++) {
            reconcile(partition);
        }
    }

    /**
     * Elects or resigns the partition, whichever brings it in line with who owns it now. One whose log is not open, because it
     * could not be opened or is about to be, is not elected: this is called again when it serves.
     */
    public synchronized void reconcile(int partition) {
        if (closed) {
            return;
        }
        boolean local = ownership.isLocal(topic.partitionId(partition));
        int epoch = ownership.leaderEpochOf(topic.partitionId(partition));
        if (!local || !topic.isUsable(partition)) {
            resign(partition);
        } else if (topic.leaderEpoch(partition) != epoch) {
            resign(partition);
            if (unbegun.add(partition)) {
                topic.setElected(partition, epoch);
                listener.onElection(partition, epoch);
            }
        }
    }

    /**
     * The load that an election asked for has begun; told by the coordinator's loader. Until then there is no other election of
     * the partition: the library does not tell the end of one load from that of the next.
     */
    public synchronized void onLoading(int partition) {
        unbegun.remove(partition);
        if (topic.leaderEpoch(partition) < 0) {
            reconcile(partition);
        }
    }

    /** Resigns a partition whose log did not come to serve; where it does by now, nobody would tell of it again. */
    public synchronized void giveUp(int partition, int leaderEpoch) {
        if (topic.clearElected(partition, leaderEpoch)) {
            tellResigned(partition);
        }
        if (topic.isServing(partition)) {
            reconcile(partition);
        }
    }

    /** Fails what waits on the partition with NOT_COORDINATOR and forgets its state. Does not block. */
    public void resign(int partition) {
        if (topic.clearElected(partition)) {
            tellResigned(partition);
        }
    }

    private void tellResigned(int partition) {
        try {
            listener.onResignation(partition);
        } catch (KafkaException e) {
            LOG.debug("Partition {} of {} was lost while its coordinator stopped", partition, topic.name(), e);
        }
    }

    /** Nothing is elected any more. */
    public synchronized void close() {
        closed = true;
    }
}
