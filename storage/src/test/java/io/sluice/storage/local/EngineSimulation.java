package io.sluice.storage.local;

import io.netty.buffer.ByteBuf;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.file.SimulatedFileSystem.Operation;
import io.sluice.storage.journal.JournalDamagedException;
import io.sluice.storage.local.LogModel.Batch;
import io.sluice.storage.local.content.LogContents;
import io.sluice.storage.local.segment.Segment;
import io.sluice.storage.local.segment.SegmentName;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.AppendResult.Refusal;
import io.sluice.storage.log.DurabilityListener;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.metadata.GivenNumbers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * One seed of the simulation of the whole local engine: several partitions, idempotent producers, deletes, trims, checkpoints,
 * changes of durability, retention, full disks, errors, power cuts, kills and clean stops; one seed of four on a file system
 * that refuses direct writes. {@link LogModel} has the invariants.
 */
final class EngineSimulation {
    private static final int PARTITIONS = 6;
    private static final int PRODUCERS = 3;
    private static final int MAX_CLEANINGS = 1_000;
    private static final int[] VALUE_BYTES = {0, 10, 10, 100, 1_000, 1_000, 5_000, 20_000, 90_000};
    /** Room for two of a log's nine keys, less than a batch may have; for four; and for all. */
    private static final int[] KEY_MAP_BYTES = {3 * 24, 6 * 24, 4 << 10};

    private static final List<Operation> OPERATIONS = List.of(Operation.values());
    private static final List<Map<String, String>> CONFIGS = List.of(
            Map.of(),
            Map.of("segment.ms", "2000"),
            Map.of("segment.ms", "1000", "retention.bytes", "60000"),
            Map.of("segment.ms", "1500", "sluice.durability", "memory"),
            compacted("segment.ms", "500", "max.compaction.lag.ms", "6000"),
            compacted("segment.ms", "700", "sluice.durability", "memory"));

    private static Map<String, String> compacted(String... more) {
        Map<String, String> configs = new HashMap<>(Map.of(
                "cleanup.policy", "compact",
                "min.cleanable.dirty.ratio", "0.01",
                "delete.retention.ms", "300"));
        for (int i = 0; i < more.length; i += 2) {
            configs.put(more[i], more[i + 1]);
        }
        return Map.copyOf(configs);
    }

    private static final Pattern REWRITTEN = Pattern.compile("\\d{20}-\\d+\\.(log|index)");

    private static final boolean TRACE = Boolean.getBoolean("sluice.simulation.trace");

    private final Random random;
    private final SimulatedNode node;
    private final List<LogModel> models = new ArrayList<>();
    private final Set<Long> deleted = new HashSet<>();
    private final Set<Long> deletedForEver = new HashSet<>();
    private long nextBatch = 1;
    private long nextLogId = 1;
    private int newestEpoch = -1;
    private boolean powerLost;
    private boolean broken;
    private boolean limited;
    private boolean wasLimited;
    private int crashesInCleaning;

    EngineSimulation(long seed, UnaryOperator<FileSystem> seen) {
        this.random = new Random(new SplittableRandom(seed).nextLong());
        this.node = new SimulatedNode(new SimulatedFileSystem(seed), seen);
        if (seed % 4 == 0) {
            node.disk.refuseDirectWrites();
        }
        node.setKeyMapBytes(KEY_MAP_BYTES[(int) Math.floorMod(seed, (long) KEY_MAP_BYTES.length)]);
        for (int i = 0; i < PARTITIONS; i++) {
            models.add(newModel(i));
        }
    }

    private LogModel newModel(int partition) {
        return new LogModel(
                new PartitionId(new TopicId(1, nextLogId), partition),
                nextLogId++,
                CONFIGS.get(partition % CONFIGS.size()));
    }

    /** Runs so many steps, then one start more. */
    void run(int steps) throws IOException {
        for (int step = 0; step < steps; step++) {
            if (!node.isRunning()) {
                start();
            } else {
                step();
                checkAll();
            }
        }
        if (node.isRunning()) {
            end(false);
        }
        node.disk.limitCapacity(Long.MAX_VALUE);
        while (!node.isRunning()) {
            start();
        }
        node.settle();
        checkAll();
        node.store().checkpoint(); // files may have to stay until the catalogue knows
        node.settle();
        checkFiles();
        checkCleaning();
    }

    /** Also a map that holds less than one batch comes to the end, and readers of what it leaves come there, too. */
    private void checkCleaning() {
        node.disk.clearFaults();
        node.disk.limitCapacity(Long.MAX_VALUE);
        for (LogModel model : models) {
            LocalPartitionLog log =
                    (LocalPartitionLog) Objects.requireNonNull(node.store().find(model.partition));
            for (int i = 0; model.isCompacted() && i < MAX_CLEANINGS && isLeftToClean(log.contents()); i++) {
                long before = log.contents().cleanedUpTo();
                node.time().advanceNanos(1_000_000_000);
                node.settle();
                model.require("cleaningGoesOn", log.contents().cleanedUpTo() > before, before);
            }
            model.require("cleaningEnds", !model.isCompacted() || !isLeftToClean(log.contents()), log.endOffset());
            model.checkRecords(log, node, log.logStartOffset());
        }
    }

    private static boolean isLeftToClean(LogContents contents) {
        Segment active = contents.active();
        long total = 0;
        long dirty = 0;
        for (Segment segment : contents.segments()) {
            if (segment != active) {
                total += segment.sizeBytes();
                dirty += segment.nextOffset() > contents.cleanedUpTo() ? segment.sizeBytes() : 0;
            }
        }
        return dirty > 0 && dirty >= 0.01 * total;
    }

    /** What crashes left of segments is gone, and nothing else is. */
    private void checkFiles() throws IOException {
        for (LogModel model : models) {
            LocalPartitionLog log =
                    (LocalPartitionLog) Objects.requireNonNull(node.store().find(model.partition));
            Set<String> listed = new HashSet<>();
            for (Segment segment : log.contents().segments()) {
                if (segment.sizeBytes() > 0) {
                    listed.add(segment.name().fileName());
                }
            }
            Path directory = log.contents().directory().path();
            Set<String> found = new HashSet<>();
            if (node.disk.exists(directory)) {
                found.addAll(node.disk.list(directory));
                found.removeIf(name -> name.endsWith(".index"));
            }
            model.require("everySegmentHasItsFile", found.containsAll(listed), listed.size());
            found.removeIf(name -> isUnborn(log, name));
            model.require("nothingIsLeftOfSegments " + found + listed, listed.containsAll(found), found.size());
        }
    }

    /** A crash may leave the file of a segment that began and never had a durable batch: it is used when one comes. */
    private static boolean isUnborn(LocalPartitionLog log, String fileName) {
        SegmentName name = SegmentName.parse(fileName);
        return name != null && name.version() == 0 && name.baseOffset() >= log.endOffset();
    }

    /**
     * What the cleaner was seen to do.
     *
     * @param crashes ends of the process while a rewritten segment was worked on
     * @param recordsGone that were superseded
     * @param tombstonesGone whose time was over
     */
    record CleanerCoverage(int crashes, long recordsGone, long tombstonesGone) {}

    CleanerCoverage cleanerCoverage() {
        return new CleanerCoverage(
                crashesInCleaning,
                models.stream().mapToLong(LogModel::recordsGone).sum(),
                models.stream().mapToLong(LogModel::tombstonesGone).sum());
    }

    private void checkAll() {
        if (!node.isRunning() || node.disk.crashed()) {
            return;
        }
        for (LogModel model : models) {
            PartitionLog log = node.store().find(model.partition);
            if (log != null) {
                model.check(log);
            }
        }
    }

    // ---- steps ----

    private void step() {
        switch (random.nextInt(40)) {
            case 0 -> trim();
            case 1 -> checkpoint();
            case 2, 25 -> node.time().advanceNanos(random.nextLong(3_000_000_000L));
            case 3 -> maybeDelete();
            case 4 -> maybeLimitCapacity();
            case 5 -> maybeBreakSomething();
            case 6 -> maybeCrashLater();
            case 7 -> maybeEnd();
            case 8, 9 -> read();
            case 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 -> appendIdempotent();
            case 20, 21, 22, 23 -> appendPlain();
            case 24 -> node.time().advanceNanos(random.nextInt(1_000_000));
            case 26 -> maybeChangeDurability();
            default -> node.runSomething(random);
        }
        if (node.disk.crashed()) {
            noteCrash();
            end(random.nextInt(4) == 0);
        } else if (node.isRunning() && node.store().isFenced() && random.nextInt(10) == 0) {
            end(random.nextInt(4) == 0);
        }
    }

    /** With {@code -Dsluice.simulation.trace=true}, for one seed at a time: what happened. */
    private void trace(String what, Object detail) {
        if (TRACE) {
            System.out.println(node.disk.operations() + " " + what + " " + detail);
        }
    }

    /** Now and then twice in a row, before the first change is through. */
    private void maybeChangeDurability() {
        LogModel model = someModel();
        changeDurability(model);
        if (random.nextInt(3) == 0) {
            for (int i = random.nextInt(4); i > 0; i--) {
                node.runSomething(random);
            }
            changeDurability(model);
        }
    }

    private void changeDurability(LogModel model) {
        model.changeDurability();
        trace("durability " + model.configs(), model);
        node.store().configure(model.partition, model.configs());
    }

    private LogModel someModel() {
        return models.get(random.nextInt(models.size()));
    }

    private void checkpoint() {
        trace("checkpoint", "");
        node.store().checkpoint().whenComplete((done, failure) -> trace("checkpoint done", String.valueOf(failure)));
    }

    private void appendPlain() {
        LogModel model = someModel();
        append(model, newBatch(model, -1, 0, 0));
    }

    private Batch newBatch(LogModel model, long producer, int epoch, int sequence) {
        int records = 1 + random.nextInt(3);
        int bytes = VALUE_BYTES[random.nextInt(VALUE_BYTES.length)];
        return new Batch(nextBatch++, -1, records, bytes, producer, epoch, sequence, model.isCompacted());
    }

    private void appendIdempotent() {
        LogModel model = someModel();
        long producer = 1000L + random.nextInt(PRODUCERS);
        List<Batch> before = model.batchesOf(producer);
        if (!before.isEmpty() && random.nextInt(4) == 0) {
            int back = 1 + random.nextInt(Math.min(5, before.size()));
            appendDuplicate(model, before.get(before.size() - back));
            return;
        }
        int sequence = before.isEmpty() ? 0 : before.get(before.size() - 1).lastSequence() + 1;
        append(model, newBatch(model, producer, model.producerEpoch(producer), sequence));
    }

    private void append(LogModel model, Batch batch) {
        PartitionLog log = node.store().find(model.partition);
        if (log == null) {
            return;
        }
        AppendResult result = send(model, log, batch);
        trace("append to " + model.logId + " " + batch, result);
        if (result instanceof AppendResult.Appended appended) {
            model.require("offsetsNeverReused", appended.baseOffset() == model.endOffset(), appended.baseOffset());
            model.require(
                    "lastOffset", appended.lastOffset() == appended.baseOffset() + batch.records() - 1, batch.id());
            model.onAppended(batch.at(appended.baseOffset()), node.time().epochMillis());
            await(model, log, appended.lastOffset() + 1, model.timesChanged());
        } else if (result instanceof AppendResult.Refused refused) {
            onRefused(model, batch, refused);
        } else {
            model.require("noFalseDuplicate", false, batch.id());
        }
    }

    private AppendResult send(LogModel model, PartitionLog log, Batch batch) {
        ByteBuf bytes = node.untracked(batch.bytes());
        try {
            return log.append(bytes, model.epoch, AppendOrigin.CLIENT);
        } finally {
            bytes.release();
        }
    }

    private void onRefused(LogModel model, Batch batch, AppendResult.Refused refused) {
        boolean expected = refused.reason() == Refusal.FULL
                || refused.reason() == Refusal.STORAGE
                || refused.reason() == Refusal.NOT_SERVING;
        if (!expected && batch.producer() >= 0) {
            model.require("producerStateIsKept", false, batch.sequence());
        }
        model.require("refusedForAReason " + refused, expected, batch.id());
        if (node.disk.crashed() && model.isMemory()) {
            model.onCutShort(batch.at(model.endOffset()), node.time().epochMillis());
        }
        if (refused.reason() == Refusal.STORAGE) {
            boolean reason = broken || node.disk.crashed() || node.store().isFenced() || wasLimited;
            model.require("refusedForAReason " + refused, reason, batch.id());
        }
    }

    /** The same batch again, as a client sends it that has heard nothing. */
    private void appendDuplicate(LogModel model, Batch original) {
        PartitionLog log = node.store().find(model.partition);
        if (log == null) {
            return;
        }
        AppendResult result = send(model, log, original);
        if (result instanceof AppendResult.Duplicate duplicate) {
            model.require("duplicateIsTheOriginal", duplicate.baseOffset() == original.baseOffset(), original.id());
            await(model, log, duplicate.lastOffset() + 1, -1);
        } else if (result instanceof AppendResult.Refused refused) {
            onRefused(model, original, refused);
        } else {
            model.require("duplicateIsFound", false, original.id());
        }
    }

    private void await(LogModel model, PartitionLog log, long end, int changesBefore) {
        Executor executor = random.nextBoolean() ? Runnable::run : node.executor();
        log.awaitDurable(end, new DurabilityListener() {
            @Override
            public Executor executor() {
                return executor;
            }

            @Override
            public void onDurable(PartitionLog durable, long offset) {
                model.require("duplicateWaitsForOriginal", offset >= end && durable.durableOffset() >= end, end);
                model.onAcknowledged(end, changesBefore);
            }

            @Override
            public void onUnknown(PartitionLog unknown, long offset, IOException cause) {
                // the client is told that it does not know: the record may survive or not
            }
        });
    }

    private void trim() {
        LogModel model = someModel();
        PartitionLog log = node.store().find(model.partition);
        if (log == null || random.nextInt(3) != 0) {
            return;
        }
        long from = log.logStartOffset();
        long to = log.visibleOffset();
        long target = from + random.nextLong(Math.max(1, to - from + 1));
        trace("trim " + target, model);
        log.trim(target).whenComplete((start, failure) -> {
            if (failure == null) {
                model.onTrimmed(target);
            }
        });
    }

    private void maybeDelete() {
        if (random.nextInt(8) != 0) {
            return;
        }
        LogModel model = someModel();
        models.remove(model);
        deleted.add(model.logId);
        trace("delete", model);
        node.store().delete(model.partition);
        if (random.nextBoolean()) {
            node.settle();
            if (!node.disk.crashed() && !node.store().isFenced() && !wasLimited) {
                deletedForEver.addAll(deleted);
            }
        }
        LogModel anew = newModel(model.partition.partition());
        models.add(anew);
        if (!node.disk.crashed()) {
            open(anew, 0);
        }
    }

    private void maybeLimitCapacity() {
        if (random.nextInt(3) == 0) {
            limit(random.nextBoolean() ? node.disk.usedBytes() + random.nextInt(300_000) : Long.MAX_VALUE);
            if (!limited && wasLimited) {
                heal();
            }
        }
    }

    private void limit(long bytes) {
        limited = bytes != Long.MAX_VALUE;
        wasLimited |= limited;
        node.disk.limitCapacity(bytes);
        trace("limit", bytes);
    }

    /** There is room again: within seconds everybody is served, without a restart. */
    private void heal() {
        if (broken || node.store().isFenced()) {
            return;
        }
        LogModel model = someModel();
        long before = model.endOffset();
        for (int i = 0; i < 10 && model.endOffset() == before; i++) {
            node.time().advanceNanos(1_000_000_000);
            node.settle();
            append(model, newBatch(model, -1, 0, 0));
        }
        boolean healed = model.endOffset() > before || node.disk.crashed();
        model.require("healsWhenRoomReturns", healed, before);
        wasLimited = false;
    }

    private void maybeBreakSomething() {
        if (random.nextInt(12) == 0) {
            Operation operation = OPERATIONS.get(random.nextInt(OPERATIONS.size()));
            if (operation != Operation.READ) {
                broken = true;
                trace("break", operation);
                node.disk.failWith((each, path) -> each == operation, random.nextInt(4), 1);
            }
        }
    }

    private void maybeCrashLater() {
        switch (random.nextInt(12)) {
            case 0, 1 -> node.disk.crashAfter(1 + random.nextInt(30));
            case 2, 3 -> node.disk.crashWhen((operation, path) -> isCleaners(path), random.nextInt(12));
            default -> {
                // goes on
            }
        }
    }

    private static boolean isCleaners(Path path) {
        return REWRITTEN.matcher(String.valueOf(path.getFileName())).matches();
    }

    private void noteCrash() {
        Path at = node.disk.crashedAt();
        crashesInCleaning += at != null && isCleaners(at) ? 1 : 0;
    }

    private void maybeEnd() {
        switch (random.nextInt(8)) {
            case 0 -> end(random.nextInt(4) == 0);
            case 1 -> {
                node.settle();
                noteStarts();
                node.stop();
                end(random.nextBoolean());
            }
            default -> {
                // goes on
            }
        }
    }

    private void end(boolean killOnly) {
        trace("end", killOnly);
        if (node.isRunning()) {
            noteStarts();
        }
        node.crash(!killOnly);
        powerLost |= !killOnly;
        broken = false;
    }

    private void noteStarts() {
        for (LogModel model : models) {
            PartitionLog log = node.store().find(model.partition);
            if (log != null) {
                model.noteStart(log);
            }
        }
    }

    private void read() {
        LogModel model = someModel();
        PartitionLog log = node.store().find(model.partition);
        if (log == null || broken || node.disk.crashed()) {
            return;
        }
        long from = log.logStartOffset();
        long visible = log.visibleOffset();
        if (visible > from) {
            model.checkRecords(log, node, from + random.nextLong(visible - from));
        }
    }

    // ---- starts ----

    private void start() throws IOException {
        if (random.nextInt(5) == 0) {
            node.disk.crashAfter(1 + random.nextInt(60));
        }
        wasLimited = false;
        limit(random.nextInt(10) == 0 ? node.disk.usedBytes() + random.nextInt(100_000) : Long.MAX_VALUE);
        try {
            node.setGiven(new GivenNumbers(nextLogId, newestEpoch));
            node.start();
            openAll();
        } catch (JournalDamagedException e) {
            throw e; // nothing is damaged here
        } catch (IOException e) {
            if (!node.disk.crashed() && !limited) {
                throw e;
            }
        }
        if (!node.isRunning() || node.disk.crashed()) {
            end(random.nextInt(4) == 0);
        }
    }

    private void openAll() {
        for (long logId : deletedForEver) {
            if (node.store().recoveredLeaderEpoch(logId).isPresent()) {
                throw new LogModel.BrokenInvariantException("deletedNeverReturns (" + logId + ")");
            }
        }
        node.store().deleteUnless(logId -> models.stream().anyMatch(model -> model.logId == logId));
        int raise = node.store().startedClean() ? 0 : 1;
        for (LogModel model : List.copyOf(models)) {
            open(model, raise);
        }
        if (node.disk.crashed()) {
            return;
        }
        for (LogModel model : models) {
            PartitionLog log = node.store().find(model.partition);
            if (log == null) {
                model.require("opens", limited, model.logId);
                continue;
            }
            trace("recovered", log);
            for (Segment segment : ((LocalPartitionLog) log).contents().segments()) {
                model.require("noFileLacksWhatTheCatalogueLists " + segment, segment.loss() == null, model.logId);
            }
            model.checkRecovered(log, node, powerLost);
        }
        powerLost = false;
    }

    private void open(LogModel model, int raise) {
        model.epoch = Math.max(0, model.epoch + raise);
        newestEpoch = Math.max(newestEpoch, model.epoch);
        var stage = node.store()
                .open(model.partition, "t", model.logId, model.epoch, model.configs())
                .toCompletableFuture();
        for (int i = 0; i < 100 && !stage.isDone() && !node.disk.crashed(); i++) {
            node.settle();
        }
    }
}
