package io.sluice.storage.journal;

import io.netty.buffer.Unpooled;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.file.SimulatedFileSystem.Operation;
import io.sluice.storage.journal.JournalWorld.Replayed;
import io.sluice.storage.journal.JournalWorld.Started;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One seed of the journal's simulation: random appends, releases, restarts, power cuts, errors, full disks and times without
 * memory; one seed of four on a file system that refuses direct writes. Checked after every restart against what a model knows:
 *
 * <ul>
 *   <li>acknowledgedNeverLost: what was reported durable, and not released, is replayed;
 *   <li>recoveredIsAPrefixOfAppended: what is replayed is what was appended, whole, in order, without holes;
 *   <li>staleBlocksNeverReturn: what one recovery did not find, none finds later;
 *   <li>cleanStopIsKnown: a start knows whether the last run ended cleanly.
 * </ul>
 */
final class JournalSimulation {
    private static final int[] SIZES = {0, 1, 100, 1_000, 4_000, 12_000, 40_000};

    private static final List<Operation> OPERATIONS = List.of(Operation.values());

    private final Random random;
    private final SimulatedFileSystem disk;
    private final JournalWorld world;
    private final ScarceMemory memory = new ScarceMemory();
    private final List<Entry> history = new ArrayList<>();
    private final Set<Long> lostForEver = new HashSet<>();
    private @Nullable Journal journal;
    private long nextId = 1;
    private long acknowledged;
    private long released;
    private boolean stoppedCleanly = true;
    /** Whether the end, clean or not, may be taken for the other. */
    private boolean mayLookUnclean;

    /** An entry of the model: its number, which is its log id too, its payload's size and its position. */
    private record Entry(long id, int bytes, long endPosition) {}

    /**
     * A world of this seed.
     *
     * @param seen what the journal sees of the disk: the disk itself, or a broken view of it
     */
    JournalSimulation(long seed, UnaryOperator<FileSystem> seen) {
        this.random = new Random(new SplittableRandom(seed).nextLong());
        this.disk = new SimulatedFileSystem(seed);
        this.world = new JournalWorld(seen.apply(disk), JournalWorld.SMALL);
        if (seed % 4 == 0) {
            disk.refuseDirectWrites();
        }
    }

    /** Runs so many steps. */
    void run(int steps) throws IOException {
        for (int step = 0; step < steps; step++) {
            if (journal == null) {
                start();
            } else {
                step(journal);
            }
        }
    }

    /** How often there was no memory when some was wanted. */
    int timesWithoutMemory() {
        return memory.refusals();
    }

    // ---- steps ----

    private void step(Journal running) throws IOException {
        switch (random.nextInt(25)) {
            case 0 -> running.releaseBefore(someDurablePosition());
            case 1 -> world.time.advanceNanos(random.nextInt(1_000_000));
            case 2, 3, 4 -> runBackground();
            case 5 -> maybeCrashLater();
            case 6 -> maybeBreakSomething();
            case 7 ->
                disk.limitCapacity(random.nextBoolean() ? Long.MAX_VALUE : disk.usedBytes() + random.nextInt(400_000));
            case 8 -> maybeEnd(running);
            case 24 -> memory.setExhausted(random.nextInt(3) > 0);
            case 9, 10, 11, 12, 13, 14 -> world.driver.step();
            default -> append(running);
        }
        if (disk.crashed()) {
            crash();
        } else if (journal != null && running.isFailed() && random.nextInt(10) == 0) {
            disk.clearFaults();
            crash();
        }
    }

    private void append(Journal running) {
        int bytes = random.nextInt(200) == 0 ? 150_000 : SIZES[random.nextInt(SIZES.length)];
        boolean failedBefore = running.isFailed();
        long position = JournalWorld.append(running, nextId, payload(nextId, bytes));
        if (position > 0) {
            require("noAppendAfterFailure", !failedBefore, nextId);
            history.add(new Entry(nextId, bytes, position));
            nextId++;
        }
    }

    private void runBackground() {
        Runnable task = world.background.poll();
        if (task != null) {
            task.run();
        }
    }

    private void maybeCrashLater() {
        if (random.nextInt(4) == 0) {
            disk.crashAfter(1 + random.nextInt(20));
        }
    }

    private void maybeBreakSomething() {
        if (random.nextInt(8) == 0) {
            Operation broken =
                    random.nextBoolean() ? Operation.DIRECT_WRITE : OPERATIONS.get(random.nextInt(OPERATIONS.size()));
            disk.failWith((operation, path) -> operation == broken, random.nextInt(5), 1);
        }
    }

    private void maybeEnd(Journal running) throws IOException {
        switch (random.nextInt(6)) {
            case 0 -> crash();
            case 1 -> stop(running);
            default -> {
                // goes on
            }
        }
    }

    private void stop(Journal running) {
        boolean failed = running.isFailed();
        try {
            running.close();
            stoppedCleanly = !failed && !disk.crashed();
            acknowledge(running);
        } catch (IOException e) {
            stoppedCleanly = true; // the marker may have got there or not
            mayLookUnclean = true;
        }
        end();
    }

    private void crash() {
        stoppedCleanly = false;
        end();
    }

    private void end() {
        journal = null;
        memory.setExhausted(false);
        if (random.nextInt(4) == 0) {
            disk.kill();
        } else {
            disk.powerCut();
        }
    }

    private long someDurablePosition() {
        long position = released;
        for (Entry entry : history) {
            if (entry.endPosition > acknowledged || random.nextInt(5) == 0) {
                break;
            }
            position = entry.endPosition;
        }
        released = Math.max(released, position);
        return position;
    }

    private void acknowledge(Journal running) {
        acknowledged = Math.max(acknowledged, running.durablePosition());
    }

    // ---- starts ----

    private void start() throws IOException {
        if (random.nextInt(4) == 0) {
            disk.crashAfter(1 + random.nextInt(30));
        }
        boolean full = random.nextInt(10) == 0;
        disk.limitCapacity(full ? disk.usedBytes() : Long.MAX_VALUE);
        try {
            Started started = world.start(memory);
            check(started);
            Journal running = started.journal();
            running.addFlushListener(new Journal.FlushListener() {
                @Override
                public void onDurable(long durablePosition) {
                    acknowledged = Math.max(acknowledged, durablePosition);
                }

                @Override
                public void onFailure(IOException cause) {
                    require("failsOnceOnly", running.isFailed(), 0);
                }
            });
            journal = running;
            stoppedCleanly = false;
        } catch (JournalDamagedException e) {
            throw e; // nothing is damaged here
        } catch (IOException e) {
            if (!disk.crashed() && !full) {
                throw e;
            }
            mayLookUnclean = true;
            end();
        }
    }

    private void check(Started started) {
        long from = started.recovery().releasedPosition();
        require("releasedOnlyWhatWasAsked", from <= released, from);
        boolean clean = started.recovery().endedCleanly();
        require("cleanStopIsKnown", clean ? stoppedCleanly : !stoppedCleanly || mayLookUnclean, from);
        mayLookUnclean = false;
        List<Entry> expected = new ArrayList<>();
        for (Entry entry : history) {
            if (entry.endPosition > from) {
                expected.add(entry);
            }
        }
        List<Replayed> replayed = started.replayed();
        for (int i = 0; i < replayed.size(); i++) {
            Replayed found = replayed.get(i);
            require("staleBlocksNeverReturn", !lostForEver.contains(found.logId()), found.logId());
            require(
                    "recoveredIsAPrefixOfAppended",
                    i < expected.size() && matches(found, expected.get(i)),
                    found.logId());
        }
        for (Entry missing : expected.subList(replayed.size(), expected.size())) {
            require("acknowledgedNeverLost", missing.endPosition > acknowledged, missing.id);
            lostForEver.add(missing.id);
            history.remove(missing);
        }
        long end = history.isEmpty() ? started.recovery().endPosition() : history.get(history.size() - 1).endPosition;
        require("positionsGoOn", started.recovery().endPosition() == end, end);
    }

    private static boolean matches(Replayed found, Entry entry) {
        return found.logId() == entry.id
                && found.argument() == -entry.id
                && found.kind() == JournalEntryKind.BATCH
                && found.endPosition() == entry.endPosition
                && found.payload().equals(Unpooled.wrappedBuffer(payload(entry.id, entry.bytes)));
    }

    private static byte[] payload(long id, int bytes) {
        byte[] payload = new byte[bytes];
        new Random(id).nextBytes(payload);
        return payload;
    }

    private void require(String invariant, boolean holds, long what) {
        if (!holds) {
            throw new BrokenInvariantException(invariant + " (" + what + ")");
        }
    }

    /** An invariant does not hold. */
    static final class BrokenInvariantException extends RuntimeException {
        BrokenInvariantException(String message) {
            super(message);
        }
    }
}
