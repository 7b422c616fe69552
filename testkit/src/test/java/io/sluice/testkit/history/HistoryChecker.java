package io.sluice.testkit.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Says what in a history a broker must not have done. */
final class HistoryChecker {
    private static final int MOST_FINDINGS = 100;

    private final List<Finding> findings = new ArrayList<>();
    private final Map<Long, Written> written = new HashMap<>();
    private final Map<Long, Seen> places = new HashMap<>();
    private final Map<Integer, TreeMap<Long, Long>> logs = new TreeMap<>();

    /** What must not be. */
    enum Anomaly {
        /** A record that was acknowledged, its transaction committed, and that is not there. */
        LOST,
        /** One record at two places, although each producer numbers its batches. */
        DUPLICATE,
        /** A record of an aborted transaction was given to a reader of committed ones. */
        ABORTED_READ,
        /** A record nobody wrote, or one place with two records. */
        INVENTED,
        /** Two records of a producer in one partition in the wrong order. */
        REORDERED,
        /** A reader was given an offset that is not behind the one before. */
        BACKWARDS,
        /** A reader was not given a record that lies between two that it got. */
        SKIPPED
    }

    /** One anomaly and where it shows. */
    record Finding(Anomaly anomaly, String detail) {}

    private HistoryChecker() {}

    /** All anomalies, or the first hundred. */
    static List<Finding> check(History history) {
        HistoryChecker checker = new HistoryChecker();
        history.written().forEach(each -> checker.written.put(each.value(), each));
        history.end().forEach(checker::onEnd);
        checker.checkWrites(history.written());
        checker.checkOrder();
        for (int reader = 0; reader < history.readers().size(); reader++) {
            checker.checkReader(reader, history.readers().get(reader));
        }
        return List.copyOf(checker.findings);
    }

    private void found(Anomaly anomaly, String detail) {
        if (findings.size() < MOST_FINDINGS) {
            findings.add(new Finding(anomaly, detail));
        }
    }

    private void onEnd(Seen seen) {
        TreeMap<Long, Long> log = logs.computeIfAbsent(seen.partition(), partition -> new TreeMap<>());
        Long there = log.putIfAbsent(seen.offset(), seen.value());
        if (there != null && there != seen.value()) {
            found(Anomaly.INVENTED, seen + " where " + there + " is");
        }
        checkValue("at the end", seen);
        Seen before = places.putIfAbsent(seen.value(), seen);
        if (before != null && !before.equals(seen)) {
            found(Anomaly.DUPLICATE, before + " and " + seen);
        }
    }

    private void checkValue(String where, Seen seen) {
        Written source = written.get(seen.value());
        if (source == null || source.partition() != seen.partition()) {
            found(Anomaly.INVENTED, where + ": " + seen + ", written was " + source);
        } else if (source.outcome() == Written.Outcome.ABORTED) {
            found(Anomaly.ABORTED_READ, where + ": " + seen);
        }
    }

    private void checkWrites(List<Written> all) {
        for (Written each : all) {
            if (each.outcome() == Written.Outcome.KEPT && !places.containsKey(each.value())) {
                found(Anomaly.LOST, each.toString());
            }
        }
    }

    private void checkOrder() {
        logs.forEach((partition, log) -> {
            Map<Integer, Written> last = new HashMap<>();
            log.forEach((offset, value) -> {
                Written each = written.get(value);
                if (each == null) {
                    return;
                }
                Written before = last.put(each.producer(), each);
                if (before != null && before.number() > each.number()) {
                    found(
                            Anomaly.REORDERED,
                            "partition " + partition + " offset " + offset + ": " + value + " behind "
                                    + before.value());
                }
            });
        });
    }

    private void checkReader(int reader, List<Seen> got) {
        Map<Integer, Long> positions = new HashMap<>();
        for (Seen seen : got) {
            long before = positions.getOrDefault(seen.partition(), -1L);
            positions.put(seen.partition(), Math.max(before, seen.offset()));
            checkValue("reader " + reader, seen);
            if (seen.offset() <= before) {
                found(Anomaly.BACKWARDS, "reader " + reader + " got " + seen + " after offset " + before);
            } else {
                checkStep(reader, before, seen);
            }
        }
    }

    /** From one record that a reader got to its next. */
    private void checkStep(int reader, long before, Seen seen) {
        TreeMap<Long, Long> log = logs.getOrDefault(seen.partition(), new TreeMap<>());
        Map.Entry<Long, Long> next = log.higherEntry(before);
        if (next != null && next.getKey() < seen.offset()) {
            found(Anomaly.SKIPPED, "reader " + reader + " got " + seen + " and not " + next + " before");
        }
        Long there = log.get(seen.offset());
        if (there == null) {
            found(Anomaly.LOST, "reader " + reader + " got " + seen + ", which is not there in the end");
        } else if (there != seen.value()) {
            found(Anomaly.INVENTED, "reader " + reader + " got " + seen + " where " + there + " is");
        }
    }
}
