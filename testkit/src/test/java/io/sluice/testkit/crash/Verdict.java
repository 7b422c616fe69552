package io.sluice.testkit.crash;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Compares what was read with what was acknowledged.
 *
 * @param acknowledged how many
 * @param read how many
 * @param missing acknowledged and not there
 * @param elsewhere acknowledged under an offset that holds something else
 * @param outOfOrder came before one that its producer sent earlier to the same partition
 * @param duplicates of idempotent producers, there more than once
 */
record Verdict(
        int acknowledged,
        int read,
        List<String> missing,
        List<String> elsewhere,
        List<String> outOfOrder,
        List<String> duplicates) {
    static Verdict of(Map<LoadRecord, Long> acknowledged, List<List<LogReader.Found>> found) {
        List<String> elsewhere = new ArrayList<>();
        List<String> outOfOrder = new ArrayList<>();
        List<String> duplicates = new ArrayList<>();
        Set<LoadRecord> seen = new HashSet<>();
        Map<LoadRecord, Set<Long>> offsets = new HashMap<>();
        for (List<LogReader.Found> partition : found) {
            Map<Integer, Long> last = new HashMap<>();
            for (LogReader.Found each : partition) {
                LoadRecord record = each.record();
                offsets.computeIfAbsent(record, unused -> new HashSet<>()).add(each.offset());
                if (!seen.add(record)) {
                    if (Load.isIdempotent(record.producer())) {
                        duplicates.add(each.toString());
                    }
                } else if (last.getOrDefault(record.producer(), -1L) > record.sequence()) {
                    outOfOrder.add(each + " after sequence " + last.get(record.producer()));
                } else {
                    last.put(record.producer(), record.sequence());
                }
            }
        }
        List<String> missing = new ArrayList<>();
        acknowledged.forEach((record, offset) -> {
            Set<Long> at = offsets.get(record);
            if (at == null) {
                missing.add(record + " acknowledged at offset " + offset);
            } else if (offset >= 0 && !at.contains(offset)) {
                elsewhere.add(record + " acknowledged at offset " + offset + " is at " + at);
            }
        });
        int read = found.stream().mapToInt(List::size).sum();
        return new Verdict(acknowledged.size(), read, missing, elsewhere, outOfOrder, duplicates);
    }

    /** Whether every promise was kept. */
    boolean kept() {
        return missing.isEmpty() && elsewhere.isEmpty() && outOfOrder.isEmpty() && duplicates.isEmpty();
    }

    @Override
    public String toString() {
        return "acknowledged " + acknowledged + ", read " + read + ", missing " + brief(missing) + ", elsewhere "
                + brief(elsewhere) + ", out of order " + brief(outOfOrder) + ", duplicates " + brief(duplicates);
    }

    private static String brief(List<String> all) {
        return all.isEmpty() ? "0" : all.size() + " " + all.subList(0, Math.min(5, all.size()));
    }
}
