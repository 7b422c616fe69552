package io.sluice.storage.local;

import io.netty.buffer.ByteBuf;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.local.LogModel.BrokenInvariantException;
import io.sluice.storage.local.aborted.AbortedChunk;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.DurabilityListener;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.ReadResult;
import io.sluice.storage.log.TestBatches;
import io.sluice.storage.log.VerifiedAppend;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * One seed of a simulation of transactions, most of which are aborted: a log that is deleted from by trims, and one that is
 * compacted; checkpoints, full disks, crashes in the middle of files of aborted transactions and elsewhere, and clean stops.
 * Readers see what is committed, all of it and nothing else.
 */
final class AbortedSimulation {
    private static final int PRODUCERS = 5;
    private static final int KEYS = 6;
    private static final int BLOCK_ENTRIES = 3;
    private static final String SUFFIX = ".aborted";
    private static final List<Map<String, String>> CONFIGS = List.of(
            Map.of("segment.ms", "5000"),
            Map.of(
                    "cleanup.policy", "compact",
                    "min.cleanable.dirty.ratio", "0.01",
                    "delete.retention.ms", "300",
                    "segment.ms", "500"));

    private final Random random;
    private final SimulatedNode node;
    private final List<Model> models = new ArrayList<>();
    private int epoch = -1;
    private int crashesInChunks;
    private int chunksSeen;
    private boolean wasLimited;

    private enum Kind {
        PLAIN,
        DATA,
        COMMIT,
        ABORT
    }

    /** A batch of one record; its offset is its place among all. */
    private record Entry(Kind kind, long producer, String key, String value) {}

    /** What one log took. */
    private static final class Model {
        final PartitionId partition;
        final long logId;
        final Map<String, String> configs;
        final List<Entry> entries = new ArrayList<>();
        long acknowledgedEnd;
        long lowestStart;

        Model(int index) {
            partition = new PartitionId(new TopicId(1, 1), index);
            logId = index + 1L;
            configs = CONFIGS.get(index);
        }

        boolean isCompacted() {
            return configs.containsKey("cleanup.policy");
        }

        boolean isOpen(long producer) {
            for (int i = entries.size() - 1; i >= 0; i--) {
                if (entries.get(i).producer == producer) {
                    return entries.get(i).kind == Kind.DATA;
                }
            }
            return false;
        }

        /** The values of a range that readers of what is committed have to find, by offset. */
        NavigableMap<Long, String> committed(long from, long to) {
            TreeMap<Long, String> expected = new TreeMap<>();
            Map<Long, Boolean> outcome = new HashMap<>();
            for (int i = entries.size() - 1; i >= from; i--) {
                Entry entry = entries.get(i);
                switch (entry.kind) {
                    case COMMIT -> outcome.put(entry.producer, true);
                    case ABORT -> outcome.put(entry.producer, false);
                    case PLAIN, DATA -> {
                        boolean counts = entry.kind == Kind.PLAIN || outcome.getOrDefault(entry.producer, false);
                        if (counts && i < to) {
                            expected.put((long) i, entry.value);
                        }
                    }
                }
            }
            return expected;
        }

        void require(String invariant, boolean holds, Object what) {
            if (!holds) {
                throw new BrokenInvariantException(invariant + " (" + what + ") of log " + logId + " " + entries);
            }
        }
    }

    AbortedSimulation(long seed, UnaryOperator<FileSystem> seen) {
        random = new Random(new SplittableRandom(seed).nextLong());
        node = new SimulatedNode(new SimulatedFileSystem(seed), seen);
        node.setAbortedInBlock(BLOCK_ENTRIES);
        for (int i = 0; i < CONFIGS.size(); i++) {
            models.add(new Model(i));
        }
    }

    /** Runs so many steps, then one start more. */
    void run(int steps) throws IOException {
        for (int i = 0; i < steps; i++) {
            if (!node.isRunning()) {
                start();
            } else {
                step();
            }
        }
        end();
        node.disk.limitCapacity(Long.MAX_VALUE);
        while (!node.isRunning()) {
            start();
        }
        node.disk.crashAfter(Long.MAX_VALUE / 2); // what the start has set is taken back
        checkAll();
        node.store().checkpoint();
        node.settle();
        node.store().checkpoint(); // the first may have met one that had begun before
        node.settle();
        models.forEach(this::checkFiles);
        checkAll();
    }

    /** Ends of the process in the middle of a file of aborted transactions. */
    int crashesInChunks() {
        return crashesInChunks;
    }

    /** Files of aborted transactions that starts have found. */
    int chunksSeen() {
        return chunksSeen;
    }

    private void step() {
        switch (random.nextInt(40)) {
            case 0 -> trim();
            case 1, 2 -> node.store().checkpoint();
            case 3, 4 -> node.time().advanceNanos(random.nextLong(2_000_000_000L));
            case 5, 6 -> maybeRead();
            case 7 -> maybeCrashLater();
            case 8 -> maybeEnd();
            case 9 -> maybeLimitCapacity();
            case 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28 -> append();
            default -> node.runSomething(random);
        }
        if (node.disk.crashed()) {
            Path at = node.disk.crashedAt();
            crashesInChunks += at != null && at.toString().endsWith(SUFFIX) ? 1 : 0;
            end();
        } else if (node.isRunning() && node.store().isFenced()) {
            throw new BrokenInvariantException("nothingFencesWithoutAFault");
        }
    }

    private Model someModel() {
        return models.get(random.nextInt(models.size()));
    }

    private void append() {
        Model model = someModel();
        PartitionLog log = node.store().find(model.partition);
        if (log == null) {
            return;
        }
        long producer = random.nextInt(PRODUCERS);
        boolean open = model.isOpen(producer);
        int dice = random.nextInt(10);
        Kind kind = dice == 0 ? Kind.PLAIN : !open || dice == 1 ? Kind.DATA : dice < 4 ? Kind.COMMIT : Kind.ABORT;
        if (producer == 0 && open && random.nextInt(6) > 0) {
            kind = Kind.DATA; // its transactions are long
        }
        String key = "k" + random.nextInt(KEYS);
        Entry entry = new Entry(kind, kind == Kind.PLAIN ? -1 : producer, key, "v" + model.entries.size());
        ByteBuf bytes = node.untracked(bytes(entry));
        AppendResult result = VerifiedAppend.append(log, bytes, AppendOrigin.COORDINATOR);
        bytes.release();
        if (result instanceof AppendResult.Appended appended) {
            model.require("offsetsNeverReused", appended.baseOffset() == model.entries.size(), appended);
            model.entries.add(entry);
            awaitDurable(model, log);
        } else {
            boolean full =
                    result instanceof AppendResult.Refused refused && refused.reason() == AppendResult.Refusal.FULL;
            model.require("refusedForAReason", full || wasLimited || node.disk.crashed(), result);
        }
    }

    private static ByteBuf bytes(Entry entry) {
        return switch (entry.kind) {
            case PLAIN -> TestBatches.keyed(entry.key, entry.value);
            case DATA -> TestBatches.transactionalKeyed(entry.producer, 0, -1, entry.key, entry.value);
            case COMMIT -> TestBatches.marker(entry.producer, 0, 0, true);
            case ABORT -> TestBatches.marker(entry.producer, 0, 0, false);
        };
    }

    private static void awaitDurable(Model model, PartitionLog log) {
        long end = model.entries.size();
        log.awaitDurable(end, new DurabilityListener() {
            @Override
            public java.util.concurrent.Executor executor() {
                return Runnable::run;
            }

            @Override
            public void onDurable(PartitionLog durable, long offset) {
                model.acknowledgedEnd = Math.max(model.acknowledgedEnd, end);
            }

            @Override
            public void onUnknown(PartitionLog unknown, long offset, IOException cause) {
                // may survive or not
            }
        });
    }

    private void trim() {
        Model model = models.get(0);
        PartitionLog log = node.store().find(model.partition);
        if (log != null && random.nextInt(3) == 0) {
            long from = log.logStartOffset();
            long target = from + random.nextLong(log.visibleOffset() - from + 1);
            log.trim(target).whenComplete((start, failure) -> {
                if (failure == null) {
                    model.lowestStart = Math.max(model.lowestStart, target);
                }
            });
        }
    }

    private void maybeLimitCapacity() {
        if (random.nextInt(3) == 0) {
            boolean limited = random.nextBoolean();
            wasLimited |= limited;
            node.disk.limitCapacity(limited ? node.disk.usedBytes() + random.nextInt(20_000) : Long.MAX_VALUE);
        }
    }

    private void maybeCrashLater() {
        switch (random.nextInt(6)) {
            case 0 -> node.disk.crashAfter(1 + random.nextInt(40));
            case 1, 2 ->
                node.disk.crashWhen((operation, path) -> path.toString().endsWith(SUFFIX), random.nextInt(10));
            default -> {
                // goes on
            }
        }
    }

    private void maybeEnd() {
        if (random.nextInt(6) == 0) {
            if (random.nextBoolean()) {
                node.settle();
                if (!node.disk.crashed()) {
                    node.stop();
                }
            }
            end();
        }
    }

    private void end() {
        node.crash(random.nextBoolean());
    }

    private void start() throws IOException {
        if (random.nextInt(5) == 0) {
            node.disk.crashAfter(1 + random.nextInt(60));
        }
        wasLimited = false;
        node.disk.limitCapacity(Long.MAX_VALUE);
        try {
            node.start();
            epoch++;
            models.forEach(this::open);
        } catch (IOException e) {
            if (!node.disk.crashed()) {
                throw e;
            }
        }
        if (!node.isRunning() || node.disk.crashed()) {
            end();
        }
    }

    private void open(Model model) {
        var stage = node.store()
                .open(model.partition, "t", model.logId, epoch, model.configs)
                .toCompletableFuture();
        for (int i = 0; i < 100 && !stage.isDone() && !node.disk.crashed(); i++) {
            node.settle();
        }
        if (node.disk.crashed()) {
            return;
        }
        PartitionLog log = stage.join();
        long end = log.endOffset();
        model.require("acknowledgedNeverLost", end >= model.acknowledgedEnd, end);
        model.require("recoveredIsAPrefixOfAppended", end <= model.entries.size(), end);
        model.require("startNeverGoesBack", log.logStartOffset() >= model.lowestStart, log.logStartOffset());
        model.entries.subList((int) end, model.entries.size()).clear();
        chunksSeen += contents(log).aborted().chunks().size();
        model.require(
                "noFileLacksWhatTheCatalogueLists", contents(log).lostChunks().isEmpty(), log);
        check(model, log.logStartOffset());
    }

    private static io.sluice.storage.local.content.LogContents contents(PartitionLog log) {
        return ((LocalPartitionLog) log).contents();
    }

    private void checkAll() {
        for (Model model : models) {
            check(
                    model,
                    Objects.requireNonNull(node.store().find(model.partition)).logStartOffset());
        }
    }

    private void maybeRead() {
        Model model = someModel();
        PartitionLog log = node.store().find(model.partition);
        if (log != null && log.lastStableOffset() > log.logStartOffset()) {
            long start = log.logStartOffset();
            check(model, start + random.nextLong(log.lastStableOffset() - start));
        }
    }

    private void check(Model model, long from) {
        PartitionLog log = Objects.requireNonNull(node.store().find(model.partition));
        CommittedReader reader = new CommittedReader(log, node::runTasks, 1 + random.nextInt(2_000)).readFrom(from);
        if (node.disk.crashed() || log.logStartOffset() > from) {
            return;
        }
        ReadResult ending = reader.ending();
        model.require("readersAreServed", ending == null, String.valueOf(ending));
        NavigableMap<Long, String> committed = model.committed(from, reader.offset());
        if (!model.isCompacted()) {
            model.require("readersSeeWhatIsCommitted", reader.found().equals(committed), reader.found());
            return;
        }
        for (Map.Entry<Long, String> one : reader.found().entrySet()) {
            model.require("nothingAbortedIsSeen", one.getValue().equals(committed.get(one.getKey())), one);
        }
        Set<String> keys = new HashSet<>();
        for (Map.Entry<Long, String> one : committed.descendingMap().entrySet()) {
            if (keys.add(model.entries.get(one.getKey().intValue()).key)) {
                model.require("newestOfEachKeyIsSeen", reader.found().containsKey(one.getKey()), one);
            }
        }
    }

    /** The heap holds little, and the files are those that the log knows. */
    private void checkFiles(Model model) {
        PartitionLog log = Objects.requireNonNull(node.store().find(model.partition));
        int inHeap = contents(log).aborted().inHeap();
        model.require("heapIsBounded", inHeap <= 2 * BLOCK_ENTRIES, inHeap);
        Set<String> listed = new HashSet<>();
        for (AbortedChunk chunk : contents(log).aborted().chunks()) {
            listed.add(chunk.path().getFileName().toString());
        }
        Set<String> found = new HashSet<>();
        try {
            Path directory = contents(log).directory().path();
            if (node.disk.exists(directory)) {
                found.addAll(node.disk.list(directory));
            }
        } catch (IOException e) {
            throw new BrokenInvariantException("directoryCanBeRead " + e);
        }
        found.removeIf(name -> !name.endsWith(SUFFIX));
        model.require("filesAreThoseThatAreNamed", found.equals(listed), found + " " + listed);
    }
}
