package io.sluice.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Memory of the machine and of the control group, swap, huge pages. */
record MemoryCheck(SystemFiles files) {
    private static final long MIB = 1024 * 1024;
    private static final long KIB = 1024;
    /** Heap and direct memory at their limits, and what the JVM itself needs. */
    private static final long NODE_BYTES = 1_280 * MIB;

    private static final long UNLIMITED_FROM = 1L << 60;

    List<Finding> run() {
        List<Finding> findings = new ArrayList<>();
        findings.add(memory());
        findings.add(swap());
        findings.add(hugePages());
        return findings;
    }

    private Finding memory() {
        OptionalLong total = files.number("proc/meminfo", "MemTotal:", 0);
        OptionalLong available = files.number("proc/meminfo", "MemAvailable:", 0);
        if (total.isEmpty() || available.isEmpty()) {
            return Finding.warning("memory", "not known", "A node takes up to " + NODE_BYTES / MIB + " MiB.");
        }
        long limit = Math.min(total.getAsLong() * KIB, groupLimit());
        String found = limit / MIB + " MiB, " + available.getAsLong() * KIB / MIB + " MiB of the machine's available"
                + (limit < total.getAsLong() * KIB ? ", limited by the control group" : "");
        if (limit < NODE_BYTES) {
            return Finding.problem(
                    "memory",
                    found,
                    "A node takes up to " + NODE_BYTES / MIB
                            + " MiB under load: give it more, or lower SLUICE_JAVA_OPTS=\"-Xmx… -XX:MaxDirectMemorySize=…\".");
        }
        if (available.getAsLong() * KIB < NODE_BYTES) {
            return Finding.warning(
                    "memory",
                    found,
                    "Other processes hold most of the memory; the page cache is what reads" + " are served from.");
        }
        return Finding.ok("memory", found);
    }

    /** The limit of the control group this process is in, version 2 or 1. */
    private long groupLimit() {
        long limit = Long.MAX_VALUE;
        for (String line : files.lines("proc/self/cgroup")) {
            String[] parts = line.split(":", 3);
            if (parts.length < 3) {
                continue;
            }
            if (parts[1].isEmpty()) {
                limit = Math.min(limit, limit("sys/fs/cgroup" + parts[2] + "/memory.max"));
                limit = Math.min(limit, limit("sys/fs/cgroup/memory.max"));
            } else if (parts[1].contains("memory")) {
                limit = Math.min(limit, limit("sys/fs/cgroup/memory" + parts[2] + "/memory.limit_in_bytes"));
                limit = Math.min(limit, limit("sys/fs/cgroup/memory/memory.limit_in_bytes"));
            }
        }
        return limit;
    }

    private long limit(String path) {
        long limit = files.line(path)
                .map(SystemFiles::parse)
                .orElse(OptionalLong.empty())
                .orElse(Long.MAX_VALUE);
        return limit >= UNLIMITED_FROM ? Long.MAX_VALUE : limit;
    }

    private Finding swap() {
        OptionalLong total = files.number("proc/meminfo", "SwapTotal:", 0);
        OptionalLong free = files.number("proc/meminfo", "SwapFree:", 0);
        if (total.isEmpty() || free.isEmpty()) {
            return Finding.ok("swap", "not known");
        }
        long usedKib = total.getAsLong() - free.getAsLong();
        String found = usedKib * KIB / MIB + " of " + total.getAsLong() * KIB / MIB + " MiB in use";
        return usedKib == 0
                ? Finding.ok("swap", found)
                : Finding.warning(
                        "swap",
                        found,
                        "A JVM that is swapped out pauses for seconds: give the machine more memory, or set"
                                + " vm.swappiness=1.");
    }

    private Finding hugePages() {
        String modes = files.line("sys/kernel/mm/transparent_hugepage/enabled").orElse("not known");
        return modes.contains("[always]")
                ? Finding.warning(
                        "huge pages",
                        "always",
                        "Transparent huge pages for everything make processes larger and stall them: echo madvise >"
                                + " /sys/kernel/mm/transparent_hugepage/enabled")
                : Finding.ok("huge pages", modes);
    }
}
