package io.sluice.benchmarks.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * What Linux says of a process and of the machine at one moment.
 *
 * @param processCpuSeconds user and system time of the process
 * @param machineBusySeconds time in which any processor did not idle (nor wait for disks), stolen time left out
 * @param residentMebibytes resident set of the process
 * @param threads threads of the process
 * @param descriptors open file descriptors of the process
 */
public record ProcessSample(
        double processCpuSeconds, double machineBusySeconds, double residentMebibytes, int threads, int descriptors) {
    private static final double TICKS_PER_SECOND = 100;
    private static final double KIBIBYTES_PER_MEBIBYTE = 1024;

    /** Reads /proc now. */
    public static ProcessSample of(long pid) {
        Path proc = Path.of("/proc", Long.toString(pid));
        List<String> status = lines(proc.resolve("status"));
        return new ProcessSample(
                cpuSeconds(proc),
                readMachineBusySeconds(),
                number(status, "VmRSS:") / KIBIBYTES_PER_MEBIBYTE,
                (int) number(status, "Threads:"),
                descriptors(proc));
    }

    private static double cpuSeconds(Path proc) {
        String stat = lines(proc.resolve("stat")).get(0);
        List<String> fields = words(stat.substring(stat.lastIndexOf(')') + 2));
        return (Long.parseLong(fields.get(11)) + Long.parseLong(fields.get(12))) / TICKS_PER_SECOND;
    }

    private static double readMachineBusySeconds() {
        List<String> fields = words(lines(Path.of("/proc/stat")).get(0));
        long user = Long.parseLong(fields.get(1)) + Long.parseLong(fields.get(2));
        long system = Long.parseLong(fields.get(3));
        long interrupts = Long.parseLong(fields.get(6)) + Long.parseLong(fields.get(7));
        return (user + system + interrupts) / TICKS_PER_SECOND;
    }

    private static double number(List<String> status, String key) {
        return status.stream()
                .filter(line -> line.startsWith(key))
                .mapToDouble(line -> Double.parseDouble(words(line).get(1)))
                .findFirst()
                .orElse(0);
    }

    private static int descriptors(Path proc) {
        try (Stream<Path> files = Files.list(proc.resolve("fd"))) {
            return (int) files.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> words(String line) {
        return Stream.of(line.trim().split("\\s+", -1)).toList();
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file + ": is the process gone?", e);
        }
    }
}
