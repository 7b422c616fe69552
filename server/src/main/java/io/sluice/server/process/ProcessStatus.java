package io.sluice.server.process;

import com.sun.management.UnixOperatingSystemMXBean;
import io.sluice.base.metric.Metric;
import io.sluice.base.metric.Metrics;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** What this process takes from the machine, read when somebody asks. Unknown values read as NaN. Safe on every thread. */
public final class ProcessStatus {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final double BYTES_PER_KIB = 1024;
    private static final double MILLIS_PER_SECOND = 1000;

    private ProcessStatus() {}

    /** Feeds the metrics about the process. The management beans are loaded at the first scrape, not at start. */
    public static void register(Metrics metrics) {
        metrics.gauge(Metric.PROCESS_RESIDENT_BYTES, ProcessStatus::residentBytes);
        metrics.gauge(
                Metric.PROCESS_OPEN_DESCRIPTORS, () -> unix(UnixOperatingSystemMXBean::getOpenFileDescriptorCount));
        metrics.gauge(Metric.PROCESS_MAX_DESCRIPTORS, () -> unix(UnixOperatingSystemMXBean::getMaxFileDescriptorCount));
        metrics.total(Metric.PROCESS_CPU_SECONDS, () -> unix(system -> system.getProcessCpuTime() / 1e9));
        metrics.gauge(
                Metric.PROCESS_UPTIME_SECONDS,
                () -> ManagementFactory.getRuntimeMXBean().getUptime() / MILLIS_PER_SECOND);
        metrics.gauge(
                Metric.JVM_THREADS, () -> ManagementFactory.getThreadMXBean().getThreadCount());
        metrics.gauge(
                Metric.JVM_HEAP_USED_BYTES,
                () -> ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        metrics.gauge(
                Metric.JVM_HEAP_MAX_BYTES,
                () -> ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getMax());
        metrics.gauge(Metric.JVM_BUFFER_BYTES, ProcessStatus::bufferBytes);
        metrics.total(Metric.JVM_GC_COLLECTIONS, () -> collectors(GarbageCollectorMXBean::getCollectionCount));
        metrics.total(
                Metric.JVM_GC_SECONDS, () -> collectors(GarbageCollectorMXBean::getCollectionTime) / MILLIS_PER_SECOND);
    }

    /** The soft limit on descriptors, or -1 where it is not known. */
    public static long descriptorLimit() {
        try {
            for (String line : Files.readAllLines(LIMITS)) {
                if (line.startsWith("Max open files")) {
                    String soft =
                            line.substring("Max open files".length()).strip().split("\\s+", 2)[0];
                    return soft.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(soft);
                }
            }
        } catch (IOException e) {
            // No such file on macOS; the limit is not worth refusing to start.
            return -1;
        }
        return -1;
    }

    private static double residentBytes() {
        try {
            for (String line : Files.readAllLines(STATUS)) {
                if (line.startsWith("VmRSS:")) {
                    return Double.parseDouble(
                                    line.substring("VmRSS:".length()).strip().split("\\s+", 2)[0])
                            * BYTES_PER_KIB;
                }
            }
        } catch (IOException e) {
            // No such file on macOS.
            return Double.NaN;
        }
        return Double.NaN;
    }

    private static double bufferBytes() {
        List<BufferPoolMXBean> pools = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class);
        return pools.stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToDouble(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }

    private static double collectors(ToDoubleFunction<GarbageCollectorMXBean> value) {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToDouble(value)
                .sum();
    }

    private static double unix(ToDoubleFunction<UnixOperatingSystemMXBean> value) {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? value.applyAsDouble(system)
                : Double.NaN;
    }
}
