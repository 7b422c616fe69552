package io.sluice.storage.local;

import io.netty.buffer.ByteBuf;
import io.sluice.base.id.PartitionId;
import io.sluice.storage.log.LogState;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.ProducerSnapshot;
import io.sluice.storage.log.ReadRequest;
import io.sluice.storage.log.ReadResult;
import io.sluice.storage.log.TestBatches;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** What is known, from outside, of one log: the batches it took, what it acknowledged, where it must begin. */
final class LogModel {
    private static final int KEYS = 9;

    final PartitionId partition;
    final long logId;
    int epoch = -1;

    private Map<String, String> configs;
    private int timesChanged;
    private boolean everMemory;

    private final List<Batch> batches = new ArrayList<>();
    private final CompactionModel compaction = new CompactionModel(this);
    private final Map<Long, Integer> producerEpochs = new HashMap<>();
    private @Nullable Batch cutShort;
    private long acknowledgedEnd;
    /** Acknowledged while the topic was on disk: survives the power. */
    private long safeEnd;

    private long lowestStart;
    private long highestStart;

    LogModel(PartitionId partition, long logId, Map<String, String> configs) {
        this.partition = partition;
        this.logId = logId;
        this.configs = configs;
        this.everMemory = isMemory();
    }

    Map<String, String> configs() {
        return configs;
    }

    /** Whether records have ever bypassed the journal. */
    boolean wasEverMemory() {
        return everMemory;
    }

    /** How often the settings have been changed. */
    int timesChanged() {
        return timesChanged;
    }

    /** The other durability from now on. */
    void changeDurability() {
        Map<String, String> changed = new HashMap<>(configs);
        changed.put("sluice.durability", isMemory() ? "disk" : "memory");
        configs = Map.copyOf(changed);
        timesChanged++;
        everMemory |= isMemory();
    }

    /** A batch of the model; producer -1 for none; keyed where its topic is compacted. */
    record Batch(
            long id,
            long baseOffset,
            int records,
            int valueBytes,
            long producer,
            int epoch,
            int sequence,
            boolean keyed) {
        long endOffset() {
            return baseOffset + records;
        }

        int lastSequence() {
            return sequence + records - 1;
        }

        Batch at(long newBaseOffset) {
            return new Batch(id, newBaseOffset, records, valueBytes, producer, epoch, sequence, keyed);
        }

        /** The batch as a client sends it. */
        ByteBuf bytes() {
            String[] values = new String[records];
            for (int i = 0; i < records; i++) {
                values[i] = value(i);
            }
            if (keyed) {
                return TestBatches.keyed(producer, epoch, sequence, id % 3 == 0, keys(), values);
            }
            return producer < 0 ? TestBatches.of(values) : TestBatches.idempotent(producer, epoch, sequence, values);
        }

        private String[] keys() {
            String[] keys = new String[records];
            for (int i = 0; i < records; i++) {
                keys[i] = key(i);
            }
            return keys;
        }

        /** Few keys, so that they come again and again. */
        String key(int index) {
            return "k" + Math.floorMod(((id * 31 + index) * 0x9E3779B97F4A7C15L) >>> 40, KEYS);
        }

        /** A value, or null for a tombstone. */
        @Nullable String value(int index) {
            boolean tombstone = keyed && (id + index) % 4 == 0;
            return tombstone ? null : id + "." + index + "x".repeat(valueBytes);
        }
    }

    boolean isMemory() {
        return "memory".equals(configs.get("sluice.durability"));
    }

    boolean isCompacted() {
        return configs.getOrDefault("cleanup.policy", "delete").contains("compact");
    }

    /** Superseded records that the cleaner has left out, as the last reader saw it. */
    long recordsGone() {
        return compaction.recordsGone();
    }

    /** Tombstones that the cleaner has left out, as the last reader saw it. */
    long tombstonesGone() {
        return compaction.tombstonesGone();
    }

    /** Batches that the log took and did not lose, in order. */
    List<Batch> batches() {
        return batches;
    }

    /** Where the next batch must go. */
    long endOffset() {
        long last = batches.isEmpty() ? 0 : batches.get(batches.size() - 1).endOffset();
        return Math.max(last, highestStart);
    }

    long acknowledgedEnd() {
        return acknowledgedEnd;
    }

    List<Batch> batchesOf(long producer) {
        return batches.stream()
                .filter(batch -> batch.producer == producer && batch.epoch == producerEpoch(producer))
                .toList();
    }

    int producerEpoch(long producer) {
        return producerEpochs.computeIfAbsent(producer, first -> 0);
    }

    void onAppended(Batch batch, long nowMillis) {
        batches.add(batch);
        compaction.onAppended(batch, nowMillis);
    }

    /** The process ended while the batch was written: nobody has heard whether it was, wholly. */
    void onCutShort(Batch batch, long nowMillis) {
        cutShort = batch;
        compaction.onAppended(batch, nowMillis);
    }

    private void findOutAboutCutShort(long end) {
        Batch batch = cutShort;
        if (batch != null && batch.baseOffset == endOffset() && batch.endOffset() == end) {
            batches.add(batch);
        }
        cutShort = null;
    }

    /**
     * The log has said that it holds everything below.
     *
     * @param changesBefore {@link #timesChanged} when the last batch below was appended, or -1 where that is long ago
     */
    void onAcknowledged(long end, int changesBefore) {
        acknowledgedEnd = Math.max(acknowledgedEnd, end);
        boolean onDisk = changesBefore == timesChanged && !isMemory();
        if (onDisk || !everMemory) {
            safeEnd = Math.max(safeEnd, end);
        }
    }

    /** The log has confirmed that it begins here. */
    void onTrimmed(long start) {
        lowestStart = Math.max(lowestStart, start);
    }

    /** Whatever start the log had come to, it may be found with after a crash. */
    void noteStart(PartitionLog log) {
        highestStart = Math.max(highestStart, log.logStartOffset());
    }

    // ---- invariants ----

    /** Cheap ones, after every step. */
    void check(PartitionLog log) {
        long start = log.logStartOffset();
        highestStart = Math.max(highestStart, start);
        require("startNeverGoesBack", start >= lowestStart, start);
        if (log.state() == LogState.DELETED) {
            return;
        }
        long durable = log.durableOffset();
        long visible = log.visibleOffset();
        long stable = log.lastStableOffset();
        long end = log.endOffset();
        require("visibleNeverAboveDurable", stable <= visible && visible <= durable && durable <= end, visible);
        require("offsetsNeverReused", end == endOffset(), end);
        require("acknowledgedIsDurable", acknowledgedEnd <= durable, acknowledgedEnd);
    }

    /** After a restart: what survived is what was appended, and all that was acknowledged. Takes note of what was lost. */
    void checkRecovered(PartitionLog log, SimulatedNode node, boolean memoryMayBeLost) {
        if (everMemory && memoryMayBeLost) {
            acknowledgedEnd = safeEnd;
            producerEpochs.replaceAll((producer, before) -> before + 1); // clients whose batches are lost begin anew
        }
        long start = log.logStartOffset();
        long end = log.endOffset();
        require("startNeverGoesBack", start >= lowestStart, start);
        require("startNeverJumps", start <= Math.max(highestStart, lowestStart), start);
        require("acknowledgedNeverLost", end >= acknowledgedEnd, acknowledgedEnd);
        require("recoveredIsDurable", log.durableOffset() == end, end);
        highestStart = start;
        batches.removeIf(batch -> batch.endOffset() > end);
        findOutAboutCutShort(end);
        require("recoveredIsAPrefixOfAppended", endOffset() == end, end);
        checkRecords(log, node, start);
        checkProducers(log);
    }

    /** What readers get from an offset on is what was appended, without gaps. */
    void checkRecords(PartitionLog log, SimulatedNode node, long from) {
        if (isCompacted()) {
            compaction.check(log, node, from);
            return;
        }
        long limit = log.visibleOffset();
        long at = from;
        int index = 0;
        while (at < limit) {
            List<String> values = read(log, node, at);
            if (node.disk.crashed() || at < log.logStartOffset()) {
                return; // gone, or the start has passed the reader meanwhile
            }
            require("noGapsInLog", !values.isEmpty(), at);
            for (String value : values) {
                int separator = value.indexOf(':');
                long offset = Long.parseLong(value.substring(0, separator));
                if (offset < at) {
                    continue; // the batch that holds the offset comes whole
                }
                require("noGapsInLog", offset == at, offset);
                while (index < batches.size() && batches.get(index).endOffset() <= offset) {
                    index++;
                }
                require("recoveredIsAPrefixOfAppended", index < batches.size(), offset);
                Batch batch = batches.get(index);
                String expected = batch.value((int) (offset - batch.baseOffset));
                require(
                        "recordsAreWhatWasAppended",
                        value.substring(separator + 1).equals(expected),
                        offset);
                at++;
            }
        }
    }

    private static List<String> read(PartitionLog log, SimulatedNode node, long at) {
        ReadResult.Records records = records(log, node, at);
        return records == null ? List.of() : TestBatches.values(records.slice());
    }

    /** What a reader gets, or null where the process ended or the log start has passed the reader. */
    static ReadResult.@Nullable Records records(PartitionLog log, SimulatedNode node, long at) {
        AtomicReference<ReadResult> result = new AtomicReference<>();
        log.read(new ReadRequest(at, 1 << 20, true, ReadRequest.Limit.VISIBLE, Runnable::run), result::set);
        node.runTasks();
        ReadResult got = Objects.requireNonNull(result.get(), "no result");
        if (node.disk.crashed() && !(got instanceof ReadResult.Records)) {
            return null;
        }
        if (got instanceof ReadResult.OutOfRange && at < log.logStartOffset()) {
            return null;
        }
        if (!(got instanceof ReadResult.Records records)) {
            throw new BrokenInvariantException("readersAreServed (" + got + " at " + at + ")");
        }
        return records;
    }

    private void checkProducers(PartitionLog log) {
        for (ProducerSnapshot producer : log.activeProducers()) {
            List<Batch> its = batches.stream()
                    .filter(batch -> batch.producer == producer.producerId())
                    .toList();
            // What bypassed the journal may be lost with its producers' progress: then the state is behind.
            List<Batch> possible = everMemory || its.isEmpty() ? its : its.subList(its.size() - 1, its.size());
            boolean known = possible.stream()
                    .anyMatch(batch ->
                            batch.epoch == producer.producerEpoch() && batch.lastSequence() == producer.lastSequence());
            require("producerStateNeverAheadOfLog", known, producer.lastSequence());
        }
    }

    void require(String invariant, boolean holds, long what) {
        if (!holds) {
            throw new BrokenInvariantException(invariant + " (" + what + ") " + this);
        }
    }

    @Override
    public String toString() {
        return "log " + logId + ": offsets " + lowestStart + ".." + endOffset() + ", acknowledged " + acknowledgedEnd
                + ", for certain " + safeEnd;
    }

    /** An invariant does not hold. */
    static final class BrokenInvariantException extends RuntimeException {
        BrokenInvariantException(String message) {
            super(message);
        }
    }
}
