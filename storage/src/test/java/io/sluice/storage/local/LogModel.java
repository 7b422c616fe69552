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

/** What is known, from outside, of one log: the batches it took, what it acknowledged, where it must begin. */
final class LogModel {
    final PartitionId partition;
    final long logId;
    final Map<String, String> configs;
    int epoch = -1;

    private final List<Batch> batches = new ArrayList<>();
    private final Map<Long, Integer> producerEpochs = new HashMap<>();
    private long acknowledgedEnd;
    private long lowestStart;
    private long highestStart;

    LogModel(PartitionId partition, long logId, Map<String, String> configs) {
        this.partition = partition;
        this.logId = logId;
        this.configs = configs;
    }

    /** A batch of the model; producer -1 for none. */
    record Batch(long id, long baseOffset, int records, int valueBytes, long producer, int epoch, int sequence) {
        long endOffset() {
            return baseOffset + records;
        }

        int lastSequence() {
            return sequence + records - 1;
        }

        Batch at(long newBaseOffset) {
            return new Batch(id, newBaseOffset, records, valueBytes, producer, epoch, sequence);
        }

        /** The batch as a client sends it. */
        ByteBuf bytes() {
            String[] values = new String[records];
            for (int i = 0; i < records; i++) {
                values[i] = value(i);
            }
            return producer < 0 ? TestBatches.of(values) : TestBatches.idempotent(producer, epoch, sequence, values);
        }

        String value(int index) {
            return id + "." + index + "x".repeat(valueBytes);
        }
    }

    boolean isMemory() {
        return "memory".equals(configs.get("sluice.durability"));
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

    void onAppended(Batch batch) {
        batches.add(batch);
    }

    void onAcknowledged(long end) {
        acknowledgedEnd = Math.max(acknowledgedEnd, end);
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
        if (isMemory() && memoryMayBeLost) {
            acknowledgedEnd = 0;
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
        require("recoveredIsAPrefixOfAppended", endOffset() == end, end);
        checkRecords(log, node, start);
        checkProducers(log);
    }

    /** What readers get from an offset on is what was appended, without gaps. */
    void checkRecords(PartitionLog log, SimulatedNode node, long from) {
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
        AtomicReference<ReadResult> result = new AtomicReference<>();
        log.read(new ReadRequest(at, 1 << 20, true, ReadRequest.Limit.VISIBLE, Runnable::run), result::set);
        node.runTasks();
        ReadResult got = Objects.requireNonNull(result.get(), "no result");
        if (node.disk.crashed() && !(got instanceof ReadResult.Records)) {
            return List.of();
        }
        if (got instanceof ReadResult.OutOfRange && at < log.logStartOffset()) {
            return List.of();
        }
        if (!(got instanceof ReadResult.Records records)) {
            throw new BrokenInvariantException("readersAreServed (" + got + " at " + at + ")");
        }
        return TestBatches.values(records.slice());
    }

    private void checkProducers(PartitionLog log) {
        for (ProducerSnapshot producer : log.activeProducers()) {
            List<Batch> its = batches.stream()
                    .filter(batch -> batch.producer == producer.producerId())
                    .toList();
            // What bypassed the journal may be lost with its producers' progress: then the state is behind.
            List<Batch> possible = isMemory() || its.isEmpty() ? its : its.subList(its.size() - 1, its.size());
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
        return "log " + logId + ": offsets " + lowestStart + ".." + endOffset() + ", acknowledged " + acknowledgedEnd;
    }

    /** An invariant does not hold. */
    static final class BrokenInvariantException extends RuntimeException {
        BrokenInvariantException(String message) {
            super(message);
        }
    }
}
