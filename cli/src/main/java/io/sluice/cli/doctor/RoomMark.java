package io.sluice.cli.doctor;

import io.sluice.base.metric.Metric;
import io.sluice.cli.connect.HostAndPort;
import io.sluice.storage.config.StorageKeys;
import java.io.IOException;
import java.util.Objects;
import java.util.OptionalDouble;

/**
 * The free space below which producers are refused, as the node says that runs on the data directory, else as a node has it by
 * default.
 *
 * @param bytes 0 for none
 * @param ofNode whether a node says so
 * @param refusing whether that node refuses producers now
 */
record RoomMark(long bytes, boolean ofNode, boolean refusing) {
    /** What a node has that is told nothing else. */
    static final RoomMark DEFAULT = new RoomMark(
            StorageKeys.LOW_SPACE_BYTES.parse(Objects.requireNonNull(StorageKeys.LOW_SPACE_BYTES.defaultText())),
            false,
            false);

    /**
     * Asks the node.
     *
     * @param timeoutMillis for the connection and for each read
     */
    static RoomMark of(SystemFiles files, DirectoryUse use, String adminHost, int adminPort, int timeoutMillis) {
        boolean known = use.pid().isPresent()
                && new PortHolder(files)
                        .listens(use.pid().getAsLong(), adminHost, adminPort)
                        .orElse(true);
        if (!known) {
            return DEFAULT;
        }
        try {
            AdminPages.Page metrics =
                    new AdminPages(new HostAndPort(adminHost, adminPort), timeoutMillis).get("/metrics");
            return metrics.isOk() ? of(metrics.body()) : DEFAULT;
        } catch (IOException e) {
            // The check of the node says that it does not answer.
            return DEFAULT;
        }
    }

    /** What the node's metrics say. */
    static RoomMark of(String metrics) {
        OptionalDouble mark = value(metrics, Metric.LOG_LOW_SPACE_MARK_BYTES);
        boolean low = value(metrics, Metric.LOG_LOW_ON_SPACE).orElse(0) > 0;
        return mark.isEmpty() ? DEFAULT : new RoomMark((long) mark.getAsDouble(), true, low);
    }

    private static OptionalDouble value(String metrics, Metric metric) {
        return metrics.lines()
                .filter(line -> line.startsWith(metric.metricName() + " "))
                .mapToDouble(line -> Double.parseDouble(
                        line.substring(metric.metricName().length()).strip()))
                .findFirst();
    }
}
