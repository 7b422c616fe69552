package io.sluice.server;

import io.sluice.base.error.FileFailures;
import io.sluice.base.metric.Metric;
import io.sluice.base.metric.Metrics;
import io.sluice.server.http.NodeHealth;
import io.sluice.storage.config.StorageKeys;
import io.sluice.storage.file.CannotOpenException;
import io.sluice.storage.local.DirectoryLostException;
import io.sluice.storage.local.LocalPartitionLogStore;
import io.sluice.storage.local.QuarantinedLog;
import io.sluice.storage.metadata.FileMetadataStore;
import io.sluice.storage.metadata.PartitionLifecycle;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What is broken in a node's storage until it is started again, for the admin port: after a failed write nobody knows what
 * is on the disk, so the process goes on with what it can still do. Safe on every thread.
 */
record StorageFaults(LocalPartitionLogStore logs, FileMetadataStore metadata, PartitionLifecycle lifecycle)
        implements NodeHealth.Faults {
    private static final int NAMED = 3;

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
            String what = fence instanceof DirectoryLostException
                    ? "What is written would not be found again ("
                    : "A write to the data directory failed (";
            causes.add(what + FileFailures.text(fence) + "): nothing is appended until the node is started again.");
        }
        IOException loss = metadata.lossCause();
        if (loss != null && loss != fence) {
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

    @Override
    public List<NodeHealth.Problem> problems() {
        List<NodeHealth.Problem> problems = new ArrayList<>();
        int failed = lifecycle.failedCount();
        if (failed > 0) {
            problems.add(new NodeHealth.Problem(
                    "the logs of " + failed + (failed == 1 ? " partition" : " partitions")
                            + " could not be opened, and are not served",
                    "The node's log names them, and why; they are tried again at the next start."));
        }
        List<QuarantinedLog> quarantined = logs.quarantined();
        if (!quarantined.isEmpty()) {
            problems.add(quarantined(quarantined));
        }
        if (logs.isLowOnSpace()) {
            problems.add(new NodeHealth.Problem(
                    "free space is below " + StorageKeys.LOW_SPACE_BYTES.name() + ", and producers are refused",
                    "Free some, or add a disk; they are served again as soon as there is room."));
        }
        IOException shortage = logs.journalShortage();
        if (shortage instanceof CannotOpenException) {
            problems.add(new NodeHealth.Problem(
                    "the journal cannot grow (" + FileFailures.text(shortage) + "), and producers are refused",
                    "They are served again as soon as other files or connections are closed."));
        }
        return problems;
    }

    private static NodeHealth.Problem quarantined(List<QuarantinedLog> quarantined) {
        int ranges = quarantined.stream().mapToInt(QuarantinedLog::ranges).sum();
        String names =
                quarantined.stream().limit(NAMED).map(QuarantinedLog::name).collect(Collectors.joining(", "));
        int others = quarantined.size() - NAMED;
        return new NodeHealth.Problem(
                "records are missing or damaged in " + ranges + (ranges == 1 ? " place" : " places") + " of " + names
                        + (others > 0 ? " and " + others + " other partitions" : "") + ", and are not served there",
                "The node's log names files and offsets ('records are missing', 'a damaged batch'). Stop the node, restore the"
                        + " files from a copy and start it again; or give these records up, with all before them, by"
                        + " DeleteRecords (kafka-delete-records).");
    }
}
