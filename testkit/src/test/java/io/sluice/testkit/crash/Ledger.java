package io.sluice.testkit.crash;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What producers have been told is kept: the record that must never be missing. Safe on every thread. */
final class Ledger {
    private final Map<LoadRecord, Long> acknowledged = new HashMap<>();
    private final List<String> failures = new ArrayList<>();

    /**
     * An acknowledgement has come.
     *
     * @param offset that it named; negative if it named none (a duplicate whose original is long ago)
     */
    synchronized void onAcknowledged(LoadRecord record, long offset) {
        acknowledged.put(record, offset);
    }

    /** A send has failed for good: the record may be there or not. */
    synchronized void onFailed(LoadRecord record, Exception failure) {
        failures.add(record + ": " + failure);
    }

    /** Acknowledged records and the offsets named, as of now. */
    synchronized Map<LoadRecord, Long> acknowledged() {
        return new HashMap<>(acknowledged);
    }

    /** How many have been acknowledged. */
    synchronized int size() {
        return acknowledged.size();
    }

    /** Sends that failed for good. */
    synchronized List<String> failures() {
        return List.copyOf(failures);
    }
}
