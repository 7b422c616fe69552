package io.sluice.testkit.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * What a process uses, from /proc.
 *
 * @param residentMebibytes RSS
 * @param descriptors open files and sockets
 * @param threads of the process
 */
public record ProcessUsage(long residentMebibytes, long descriptors, long threads) {
    /** Looks at a process now. */
    public static ProcessUsage of(long pid) throws IOException {
        Path process = Path.of("/proc", Long.toString(pid));
        long resident = 0;
        long threads = 0;
        for (String line : Files.readAllLines(process.resolve("status"))) {
            if (line.startsWith("VmRSS:")) {
                resident = number(line) >> 10;
            } else if (line.startsWith("Threads:")) {
                threads = number(line);
            }
        }
        try (Stream<Path> descriptors = Files.list(process.resolve("fd"))) {
            return new ProcessUsage(resident, descriptors.count(), threads);
        }
    }

    private static long number(String line) {
        return Long.parseLong(line.replaceAll("[^0-9]", ""));
    }
}
