package io.sluice.storage.local;

import io.sluice.storage.local.LogModel.Batch;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.ReadResult;
import io.sluice.storage.log.TestBatches;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What readers of a compacted log may find: the newest record of each key, tombstones as long as their topic promises, the
 * uncleaned end whole, and never a key whose tombstone is gone.
 */
final class CompactionModel {
    private final LogModel model;
    private final Map<Long, Long> appendedMillis = new HashMap<>();
    private long recordsGone;
    private long tombstonesGone;

    CompactionModel(LogModel model) {
        this.model = model;
    }

    long recordsGone() {
        return recordsGone;
    }

    long tombstonesGone() {
        return tombstonesGone;
    }

    void onAppended(Batch batch, long nowMillis) {
        appendedMillis.put(batch.id(), nowMillis);
    }

    /** Reads everything from an offset on and compares it with what was appended. */
    void check(PartitionLog log, SimulatedNode node, long from) {
        node.runTasks(); // so that no cleaning comes between one read and the next
        long visible = log.visibleOffset();
        long uncleanedFrom = uncleanedFrom(log);
        Map<Long, String> found = new HashMap<>();
        if (readAll(log, node, from, found)) {
            checkWhatIsFound(found);
            checkWhatIsMissing(
                    found, new Bounds(from, visible, uncleanedFrom), node.time().epochMillis());
        }
    }

    private record Bounds(long from, long visible, long uncleanedFrom) {}

    /** The active segment is none of the cleaner's. */
    private static long uncleanedFrom(PartitionLog log) {
        var active = ((LocalPartitionLog) log).contents().active();
        return active == null ? log.endOffset() : active.baseOffset();
    }

    /** Returns false where the process ended or the log start passed the reader meanwhile. */
    private boolean readAll(PartitionLog log, SimulatedNode node, long from, Map<Long, String> found) {
        long at = from;
        while (at < log.visibleOffset()) {
            ReadResult.Records records = LogModel.records(log, node, at);
            if (records == null || node.disk.crashed()) {
                return false;
            }
            long next = TestBatches.nextOffset(records.slice());
            model.require("readersReachTheEnd", next > at, at);
            List<String> texts = TestBatches.keysAndValues(records.slice());
            long last = at - 1;
            for (String text : texts) {
                int separator = text.indexOf(':');
                long offset = Long.parseLong(text.substring(0, separator));
                if (offset >= at) {
                    model.require("offsetsNeverGoBack", offset > last, offset);
                    last = offset;
                    found.put(offset, text.substring(separator + 1));
                }
            }
            at = next;
        }
        return log.logStartOffset() <= from;
    }

    private void checkWhatIsFound(Map<Long, String> found) {
        int known = 0;
        for (Batch batch : model.batches()) {
            for (int i = 0; i < batch.records(); i++) {
                String text = found.get(batch.baseOffset() + i);
                if (text != null) {
                    known++;
                    String expected = batch.key(i) + "=" + batch.value(i);
                    model.require("recordsAreWhatWasAppended", text.equals(expected), batch.baseOffset() + i);
                }
            }
        }
        model.require("offsetsNeverChange", known == found.size(), found.size());
    }

    /** From the end backwards: the first record met of a key is its newest. */
    private void checkWhatIsMissing(Map<Long, String> found, Bounds bounds, long nowMillis) {
        recordsGone = 0;
        tombstonesGone = 0;
        Map<String, Boolean> newestIsThere = new HashMap<>();
        List<Batch> batches = model.batches();
        for (int b = batches.size() - 1; b >= 0; b--) {
            Batch batch = batches.get(b);
            for (int i = batch.records() - 1; i >= 0; i--) {
                long offset = batch.baseOffset() + i;
                if (offset >= bounds.from && offset < bounds.visible) {
                    boolean there = found.containsKey(offset);
                    recordsGone += there ? 0 : 1;
                    model.require("uncleanedEndIsWhole", there || offset < bounds.uncleanedFrom, offset);
                    Boolean newest = newestIsThere.putIfAbsent(batch.key(i), there);
                    if (newest == null) {
                        checkNewest(batch, i, there, nowMillis);
                    } else {
                        model.require("deletedKeyNeverReturns", newest || !there, offset);
                    }
                }
            }
        }
    }

    private void checkNewest(Batch batch, int index, boolean there, long nowMillis) {
        if (there) {
            return;
        }
        long offset = batch.baseOffset() + index;
        model.require("newestOfEachKeyIsKept", batch.value(index) == null, offset);
        long retention = Long.parseLong(model.configs().getOrDefault("delete.retention.ms", "86400000"));
        long age = nowMillis - appendedMillis.getOrDefault(batch.id(), nowMillis);
        model.require("tombstonesStayLongEnough", age >= retention, offset);
        tombstonesGone++;
    }
}
