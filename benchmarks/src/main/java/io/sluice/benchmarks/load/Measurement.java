package io.sluice.benchmarks.load;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * One measured window: the clock, the broker's and this process's CPU time, and the machine's. Latencies are in
 * microseconds from the moment a record was meant to be sent, so that a stalled client does not hide a stall.
 */
public final class Measurement {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double MILLION = 1e6;
    private static final double MICROS_PER_MILLI = 1e3;

    private final long brokerPid;
    private final long startNanos = System.nanoTime();
    private final ProcessSample brokerAtStart;
    private final ProcessSample selfAtStart;
    private final Map<String, Double> figures = new LinkedHashMap<>();

    /** Opens the window now. */
    public Measurement(long brokerPid) {
        this.brokerPid = brokerPid;
        this.brokerAtStart = ProcessSample.of(brokerPid);
        this.selfAtStart = ProcessSample.of(ProcessHandle.current().pid());
    }

    /** Closes the window: rates and CPU per million records. */
    public Measurement close(long records, long bytes, long errors) {
        double seconds = (System.nanoTime() - startNanos) / NANOS_PER_SECOND;
        ProcessSample broker = ProcessSample.of(brokerPid);
        ProcessSample self = ProcessSample.of(ProcessHandle.current().pid());
        double brokerCpu = broker.processCpuSeconds() - brokerAtStart.processCpuSeconds();
        double clientCpu = self.processCpuSeconds() - selfAtStart.processCpuSeconds();
        double busy = broker.machineBusySeconds() - brokerAtStart.machineBusySeconds();
        double millions = Math.max(records, 1) / MILLION;
        figures.put("records/s", records / seconds);
        figures.put("MB/s", bytes / seconds / MILLION);
        figures.put("broker CPU s/M", brokerCpu / millions);
        figures.put("busy-client CPU s/M", (busy - clientCpu) / millions);
        figures.put("client CPU s/M", clientCpu / millions);
        figures.put("broker RSS MiB", broker.residentMebibytes());
        figures.put("errors", (double) errors);
        return this;
    }

    /** Adds percentiles, in milliseconds. */
    public Measurement latencies(Histogram micros) {
        figures.put("p50 ms", micros.getValueAtPercentile(50) / MICROS_PER_MILLI);
        figures.put("p95 ms", micros.getValueAtPercentile(95) / MICROS_PER_MILLI);
        figures.put("p99 ms", micros.getValueAtPercentile(99) / MICROS_PER_MILLI);
        figures.put("p99.9 ms", micros.getValueAtPercentile(99.9) / MICROS_PER_MILLI);
        return this;
    }

    /** Adds a figure of the load's own. */
    public Measurement figure(String name, double value) {
        figures.put(name, value);
        return this;
    }

    /** One line that {@link #parse} reads. */
    public String toLine() {
        StringBuilder line = new StringBuilder("RESULT");
        figures.forEach((name, value) ->
                line.append('\t').append(name).append('=').append(String.format(Locale.ROOT, "%.6f", value)));
        return line.toString();
    }

    /** Reads what {@link #toLine} wrote. */
    public static Map<String, Double> parse(String line) {
        Map<String, Double> figures = new LinkedHashMap<>();
        for (String word : line.substring("RESULT\t".length()).split("\t", -1)) {
            int split = word.lastIndexOf('=');
            figures.put(word.substring(0, split), Double.valueOf(word.substring(split + 1)));
        }
        return figures;
    }
}
