package io.sluice.server;

import io.sluice.base.error.FileFailures;
import io.sluice.base.metric.Metric;
import io.sluice.base.metric.Metrics;
import io.sluice.server.http.NodeHealth;
import io.sluice.storage.local.LocalPartitionLogStore;
import io.sluice.storage.metadata.FileMetadataStore;
import io.sluice.storage.metadata.PartitionLifecycle;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What is broken in a node's storage until it is started again, for the admin port: after a failed write nobody knows what
 * is on the disk, so the process goes on with what it can still do. Safe on every thread.
 */
record StorageFaults(LocalPartitionLogStore logs, FileMetadataStore metadata, PartitionLifecycle lifecycle)
        implements NodeHealth.Faults {

    void registerGauges(Metrics to) {
        to.gauge(Metric.LOG_FENCED, () -> logs.isFenced() ? 1 : 0);
        to.gauge(Metric.METADATA_LOST, () -> metadata.lossCause() == null ? 0 : 1);
        to.gauge(Metric.LOG_FAILED_PARTITIONS, lifecycle::failedCount);
    }

    @Override
    public List<String> causes() {
        List<String> causes = new ArrayList<>();
        IOException fence = logs.fenceCause();
        if (fence != null) {
            causes.add("A write to the data directory failed (" + FileFailures.text(fence)
                    + "): nothing is appended until the node is started again.");
        }
        IOException loss = metadata.lossCause();
        if (loss != null) {
            causes.add(
                    "A write of the metadata failed (" + FileFailures.text(loss)
                            + "): topics, settings and producer ids cannot be changed or given until the node is started again.");
        }
        return causes;
    }

    @Override
    public int failedPartitions() {
        return lifecycle.failedCount();
    }
}
