package io.sluice.storage.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.sluice.base.memory.CountedAllocator;
import io.sluice.storage.file.FileSystem.Access;
import io.sluice.storage.file.OutOfSpaceException;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.file.SimulatedFileSystem.Operation;
import io.sluice.storage.journal.JournalWorld.Replayed;
import io.sluice.storage.journal.JournalWorld.Started;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class GroupCommitJournalTest {
    private static final int HEADER = JournalFormat.ENTRY_HEADER_BYTES;

    private final SimulatedFileSystem files = new SimulatedFileSystem(1);
    private JournalWorld world = new JournalWorld(files, JournalWorld.SMALL);
    private Journal journal;
    private final List<Long> durable = new ArrayList<>();
    private final List<IOException> failures = new ArrayList<>();

    @BeforeEach
    void startEmpty() throws IOException {
        Started started = start();
        journal = started.journal();
        assertThat(started.recovery().endedCleanly()).isTrue();
        assertThat(started.replayed()).isEmpty();
        world.settle();
    }

    private Started start() throws IOException {
        world = new JournalWorld(files, JournalWorld.SMALL);
        Started started = world.start();
        journal = started.journal();
        journal.addFlushListener(new Journal.FlushListener() {
            @Override
            public void onDurable(long durablePosition) {
                durable.add(durablePosition);
            }

            @Override
            public void onFailure(IOException cause) {
                failures.add(cause);
            }
        });
        return started;
    }

    @Test
    void writesAtOnceWhenIdleAndTellsAfterTheWrite() {
        long before = files.operations();
        long position = JournalWorld.append(journal, 7, bytes(100));
        assertThat(position).isEqualTo(HEADER + 100);
        assertThat(journal.durablePosition()).isZero();
        assertThat(durable).isEmpty();
        assertThat(world.driver.step()).isTrue();
        assertThat(journal.durablePosition()).isEqualTo(position);
        assertThat(durable).containsExactly(position);
        assertThat(files.operations() - before).as("device operations").isEqualTo(1);
        world.driver.drain();
        assertThat(world.driver.isIdle()).isTrue();
    }

    @Test
    void oneFlushServesAllWhoWait() {
        JournalWorld.append(journal, 1, bytes(10));
        JournalWorld.append(journal, 2, bytes(20));
        long last = JournalWorld.append(journal, 3, bytes(30));
        world.driver.step();
        assertThat(durable).containsExactly(last);
    }

    @Test
    void holdsAGroupBackUnderLoadUntilItsTimeOrSize() {
        world.cpuNanos = 0;
        for (int i = 0; i < 64; i++) { // each flush costs 60 µs of processor time: at most one in 600 µs
            JournalWorld.append(journal, 1, bytes(10));
            JournalWorld.append(journal, 2, bytes(10));
            world.cpuNanos += 60_000;
            world.settle();
        }
        int flushes = durable.size();
        JournalWorld.append(journal, 1, bytes(10));
        world.driver.drain();
        assertThat(durable).hasSize(flushes);
        world.time.advanceNanos(500_000);
        world.driver.drain();
        assertThat(durable).hasSize(flushes + 1);

        JournalWorld.append(journal, 1, bytes(10));
        world.driver.drain();
        assertThat(durable).hasSize(flushes + 1);
        JournalWorld.append(journal, 1, bytes(16 << 10));
        world.driver.drain();
        assertThat(durable.size()).isGreaterThan(flushes + 1);
    }

    @Test
    void doesNotHoldBackALoneAppender() {
        world.cpuNanos = 0;
        for (int i = 0; i < 64; i++) {
            JournalWorld.append(journal, 1, bytes(10));
            world.cpuNanos += 60_000;
            world.driver.drain();
            assertThat(journal.durablePosition()).isEqualTo(journal.endPosition());
            world.settle();
        }
    }

    @Test
    void replaysWhatWasAppendedAfterACleanStop() throws IOException {
        JournalWorld.append(journal, 7, bytes(100));
        long end = JournalWorld.append(journal, 8, bytes(50_000));
        journal.close();
        files.powerCut();
        Started started = start();
        assertThat(started.recovery().endedCleanly()).isTrue();
        assertThat(started.recovery().endPosition()).isEqualTo(end);
        assertThat(started.replayed()).hasSize(2);
        assertEntry(started.replayed().get(0), 7, 100, HEADER + 100);
        assertEntry(started.replayed().get(1), 8, 50_000, end);
        assertThat(JournalWorld.append(journal, 9, bytes(1))).isEqualTo(end + HEADER + 1);
    }

    @Test
    void knowsThatAStopWasNotCleanEvenIfNothingWasAppended() throws IOException {
        journal.close();
        start();
        world.settle();
        files.powerCut();
        assertThat(start().recovery().endedCleanly()).isFalse();
    }

    @Test
    void writesEntriesLargerThanAFileAcrossFiles() throws IOException {
        byte[] large = bytes(600_000);
        long position = -1;
        for (int tries = 0; position < 0 && tries < 10; tries++) {
            position = JournalWorld.append(journal, 5, large);
            world.settle();
        }
        long end = JournalWorld.append(journal, 6, bytes(3));
        world.settle();
        assertThat(journal.durablePosition()).isEqualTo(end);
        files.powerCut();
        Started started = start();
        assertThat(started.replayed()).hasSize(2);
        assertEntry(started.replayed().get(0), 5, 600_000, position);
        assertEntry(started.replayed().get(1), 6, 3, end);
    }

    @Test
    void refusesBeyondTheBufferAndCallsBackWhenThereIsRoom() {
        AtomicInteger called = new AtomicInteger();
        int accepted = fillUntilRefused(4_000);
        assertThat(accepted).isBetween(10, 16);
        assertThat(journal.lack()).isEqualTo(Journal.Lack.BUFFER);
        journal.awaitCapacity(called::incrementAndGet);
        assertThat(called).hasValue(0);
        world.settle();
        assertThat(called).hasValue(1);
        assertThat(JournalWorld.append(journal, 1, bytes(4_000))).isPositive();
    }

    @Test
    void doesNotCallBackInALoopWhileNothingChanges() {
        fillUntilUnreleasedBound();
        AtomicInteger called = new AtomicInteger();
        Runnable again = new Runnable() {
            @Override
            public void run() {
                called.incrementAndGet();
                if (!journal.tryReserve(4_000)) {
                    journal.awaitCapacity(this);
                }
            }
        };
        journal.awaitCapacity(again);
        world.settle();
        assertThat(called).hasValue(0);
        journal.releaseBefore(journal.durablePosition());
        world.settle();
        assertThat(called).hasValue(1);
    }

    @Test
    void doesNotCallBackInALoopWhoNeedsRoomForTwoEntriesAndFindsItForOne() {
        while (journal.tryReserveWithSegment(10)) {
            journal.cancelReservation(10);
            journal.cancelReservation(0);
            JournalWorld.append(journal, 1, bytes(10));
            world.settle();
        }
        assertThat(journal.lack()).isEqualTo(Journal.Lack.REPLAY);
        assertThat(journal.tryReserve(10)).isTrue();
        journal.cancelReservation(10);
        AtomicInteger called = new AtomicInteger();
        Runnable again = new Runnable() {
            @Override
            public void run() {
                if (called.incrementAndGet() < 10 && !journal.tryReserveWithSegment(10)) {
                    journal.awaitCapacity(this);
                }
            }
        };
        journal.awaitCapacity(again);
        world.settle();
        assertThat(called).hasValue(0);
        journal.releaseBefore(journal.durablePosition());
        world.settle();
        assertThat(called).hasValue(1);
    }

    @Test
    void refusesBeyondTheReplayBoundUntilReleasedButLetsTheCheckpointThrough() {
        fillUntilUnreleasedBound();
        assertThat(journal.unreleasedBytes()).isBetween(900_000L, journal.maxUnreleasedBytes());
        assertThat(journal.tryReserve(4_000)).isFalse();
        assertThat(journal.tryReserveForCheckpoint(4_000)).isTrue();
        journal.cancelReservation(4_000);
        journal.releaseBefore(journal.durablePosition());
        world.settle();
        assertThat(journal.unreleasedBytes()).isZero();
        assertThat(journal.tryReserve(4_000)).isTrue();
    }

    @Test
    void usesItsFilesAgain() throws IOException {
        for (int i = 0; i < 2_000; i++) {
            if (JournalWorld.append(journal, 1, bytes(4_000)) < 0) {
                world.settle();
                journal.releaseBefore(journal.durablePosition());
            }
            world.settle();
        }
        assertThat(files.list(JournalWorld.DIRECTORY).size()).isLessThanOrEqualTo(8);
    }

    @Test
    void fencesItselfForEverAfterAFailedWrite() {
        long kept = JournalWorld.append(journal, 1, bytes(10));
        world.settle();
        files.failWith((operation, path) -> operation == Operation.DIRECT_WRITE, 0, 1);
        JournalWorld.append(journal, 1, bytes(10));
        world.settle();
        assertThat(failures).hasSize(1);
        assertThat(journal.isFailed()).isTrue();
        assertThat(journal.tryReserve(1)).isFalse();
        assertThat(journal.durablePosition()).isEqualTo(kept);
        assertThat(durable).containsExactly(kept);
    }

    @Test
    void dropsWhatIsAppendedAfterAFailure() throws IOException {
        assertThat(journal.tryReserve(10)).isTrue();
        files.failWith((operation, path) -> operation == Operation.DIRECT_WRITE, 0, 1);
        JournalWorld.append(journal, 1, bytes(10));
        world.settle();
        long position = journal.append(JournalEntryKind.BATCH, 1, 1, Unpooled.wrappedBuffer(bytes(10)));
        assertThat(position).isGreaterThan(journal.durablePosition());
        world.settle();
        journal.close();
        assertThat(start().recovery().endedCleanly()).isFalse();
    }

    @Test
    void saysThatTheDeviceIsFullBeforeAnythingIsAcceptedAndHeals() throws IOException {
        files.limitCapacity(files.usedBytes());
        int refusals = 0;
        while (refusals < 3) {
            if (JournalWorld.append(journal, 1, bytes(4_000)) < 0) {
                refusals++;
            }
            world.settle();
        }
        assertThat(journal.isFailed()).isFalse();
        assertThat(journal.shortage()).isInstanceOf(OutOfSpaceException.class);
        assertThat(journal.lack()).isEqualTo(Journal.Lack.FILE);
        assertThat(journal.durablePosition()).isEqualTo(journal.endPosition());
        files.limitCapacity(Long.MAX_VALUE);
        world.time.advanceNanos(1_000_000_000);
        assertThat(journal.tryReserve(4_000)).isFalse();
        world.settle();
        assertThat(journal.shortage()).isNull();
        assertThat(journal.tryReserve(4_000)).isTrue();
        journal.cancelReservation(4_000);
        journal.close();
    }

    @Test
    void failsWhenFilesCannotBePreparedForAnotherReasonThanRoom() {
        List<Long> attempts = new ArrayList<>();
        files.failWith(
                (operation, path) -> operation == Operation.PREALLOCATE && attempts.add(world.time.nanoTime()),
                0,
                Integer.MAX_VALUE);
        List<String> heard = new ArrayList<>();
        journal.addFlushListener(new Journal.FlushListener() {
            @Override
            public void onDurable(long durablePosition) {}

            @Override
            public void onFailure(IOException cause) {
                heard.add(String.valueOf(cause.getMessage()));
            }
        });
        for (int i = 0; i < 400 && !journal.isFailed(); i++) {
            JournalWorld.append(journal, 1, bytes(4_000));
            world.time.advanceNanos(300_000_000);
            world.settle();
        }

        assertThat(journal.isFailed()).isTrue();
        assertThat(world.time.nanoTime() - attempts.get(0))
                .as("file handles that many connections have taken come back")
                .isBetween(30_000_000_000L, 35_000_000_000L);
        assertThat(journal.tryReserve(1)).isFalse();
        assertThat(heard).singleElement().asString().contains("no journal file can be prepared in /data/journal");
    }

    @Test
    void goesOnWhenAFileCanBePreparedAtTheThirdAttempt() throws IOException {
        files.failWith((operation, path) -> operation == Operation.PREALLOCATE, 0, 2);
        long appended = 0;
        for (int i = 0; i < 400 && appended < 400_000; i++) {
            appended += JournalWorld.append(journal, 1, bytes(4_000)) < 0 ? 0 : 4_000;
            world.time.advanceNanos(300_000_000);
            world.settle();
        }

        assertThat(appended).isGreaterThanOrEqualTo(400_000);
        assertThat(journal.isFailed()).isFalse();
        journal.close();
    }

    @Test
    void goesOnForWhoWaitsWhenFilesCannotBePreparedForAWhile() throws IOException {
        files.failWith((operation, path) -> operation == Operation.PREALLOCATE, 0, 20);
        while (JournalWorld.append(journal, 1, bytes(4_000)) > 0) {
            world.settle();
        }
        assertThat(journal.lack()).isEqualTo(Journal.Lack.FILE);
        AtomicInteger appended = new AtomicInteger();
        journal.awaitCapacity(new Runnable() {
            @Override
            public void run() {
                if (JournalWorld.append(journal, 1, bytes(4_000)) > 0) {
                    appended.incrementAndGet();
                } else {
                    journal.awaitCapacity(this);
                }
            }
        });
        for (int i = 0; i < 100 && appended.get() == 0; i++) {
            world.time.advanceNanos(300_000_000);
            world.settle();
        }

        assertThat(appended).hasValue(1);
        assertThat(journal.isFailed()).isFalse();
        journal.close();
    }

    @Test
    void findsDamageInTheMiddleAndSaysWhere() throws IOException {
        for (int i = 0; i < 10; i++) {
            JournalWorld.append(journal, 1, bytes(100));
            world.settle();
        }
        files.powerCut();
        files.flipByte(JournalWorld.DIRECTORY.resolve("00000001.journal"), 4096 * 4 + 60);
        assertThatThrownBy(() -> start())
                .isInstanceOf(JournalDamagedException.class)
                .hasMessageContaining("00000001.journal")
                .hasMessageContaining("16384");
    }

    @Test
    void knowsALastBlockThatIsNotWholeFromNone() throws IOException {
        for (int i = 0; i < 10; i++) {
            JournalWorld.append(journal, 1, bytes(100));
            world.settle();
        }
        assertThat(hasBrokenBlockBehind(10)).isFalse();
        files.flipByte(JournalWorld.DIRECTORY.resolve("00000001.journal"), 4096 * 10 + 60);
        assertThat(hasBrokenBlockBehind(9)).isTrue();

        files.powerCut();
        assertThat(start().replayed()).hasSize(9);
    }

    private boolean hasBrokenBlockBehind(int blocks) throws IOException {
        JournalDirectory.Found file = JournalDirectory.scan(files, JournalWorld.DIRECTORY).stream()
                .filter(found -> found.generation() == 1)
                .findFirst()
                .orElseThrow();
        try (BlockReader reader =
                new BlockReader(files.open(file.path(), Access.READ), Objects.requireNonNull(file.header()))) {
            for (int i = 0; i < blocks; i++) {
                assertThat(reader.next()).isTrue();
            }
            assertThat(reader.next()).isFalse();
            assertThat(reader.hasLaterBlocks()).isFalse();
            return reader.hasBrokenBlock();
        }
    }

    @Test
    void findsThatTheHeaderOfTheNewestFileIsBroken() throws IOException {
        JournalWorld.append(journal, 1, bytes(100));
        world.settle();
        files.powerCut();
        files.flipByte(JournalWorld.DIRECTORY.resolve("00000001.journal"), 30);
        assertThatThrownBy(() -> start())
                .isInstanceOf(JournalDamagedException.class)
                .hasMessageContaining("00000001.journal: the header is broken")
                .hasMessageContaining("generation 1");
        assertThat(files.list(JournalWorld.DIRECTORY)).contains("00000001.journal");
    }

    @Test
    void findsThatTheHeaderOfALaterFileIsBroken() throws IOException {
        for (int i = 0; i < 100; i++) {
            JournalWorld.append(journal, 1, bytes(4_000));
            world.settle();
        }
        journal.close();
        Path newest = newestFile();
        files.flipByte(newest, 5_000);
        files.flipByte(newest, 2);
        assertThatThrownBy(() -> start())
                .isInstanceOf(JournalDamagedException.class)
                .hasMessageContaining(newest + ": the header is broken");
    }

    private Path newestFile() throws IOException {
        List<JournalDirectory.Found> found = JournalDirectory.scan(files, JournalWorld.DIRECTORY);
        return found.get(found.size() - 1).path();
    }

    @Test
    void findsAMissingFile() throws IOException {
        for (int i = 0; i < 100; i++) {
            JournalWorld.append(journal, 1, bytes(4_000));
            world.settle();
        }
        journal.close();
        files.delete(JournalWorld.DIRECTORY.resolve("00000001.journal"));
        assertThatThrownBy(() -> start())
                .isInstanceOf(JournalDamagedException.class)
                .hasMessageContaining("generation 1");
    }

    @Test
    void keepsItsPromiseWhereThereIsNoMemoryToCopyInto() throws IOException {
        journal.close();
        int block = JournalWorld.SMALL.maxBlockBytes();
        CountedAllocator tight = new CountedAllocator(2L * block + 3 * 4096, 4096, 1);
        world = new JournalWorld(files, JournalWorld.SMALL);
        journal = world.start(tight).journal();
        int accepted = fillUntilRefused(4_000);
        long end = journal.endPosition();
        assertThat(tight.refusals()).isPositive();
        world.settle();
        assertThat(journal.durablePosition()).isEqualTo(end);
        assertThat(fillUntilRefused(4_000))
                .as("bytes are given back as they were taken")
                .isEqualTo(accepted);
        journal.close();
        assertThat(tight.usedBytes()).isZero();
        assertThat(start().replayed()).hasSize(2 * accepted);
    }

    @Test
    void keepsItsPromiseToEntriesWithoutPayloadWhereThereIsNoMemory() throws IOException {
        journal.close();
        int block = JournalWorld.SMALL.maxBlockBytes();
        CountedAllocator tight = new CountedAllocator(2L * block + 3 * 4096, 4096, 1);
        world = new JournalWorld(files, JournalWorld.SMALL);
        journal = world.start(tight).journal();
        fillBlocks(block);
        long refusedBefore = tight.refusals();
        assertThat(journal.tryReserve(0)).isTrue();
        long end = journal.append(JournalEntryKind.SEGMENT, 3, -3, Unpooled.EMPTY_BUFFER);
        assertThat(tight.refusals()).as("retained, not copied").isGreaterThan(refusedBefore);
        world.settle();
        assertThat(journal.durablePosition()).isEqualTo(end);
        long last = JournalWorld.append(journal, 4, bytes(10));
        journal.close();

        List<Replayed> replayed = start().replayed();
        assertThat(replayed.get(replayed.size() - 2).kind()).isEqualTo(JournalEntryKind.SEGMENT);
        assertEntry(replayed.get(replayed.size() - 2), 3, 0, end);
        assertEntry(replayed.get(replayed.size() - 1), 4, 10, last);
    }

    /** Leaves no room in the block that is being filled, even for an entry without payload. */
    private void fillBlocks(int block) {
        int room = block - JournalFormat.BLOCK_HEADER_BYTES - HEADER;
        assertThat(JournalWorld.append(journal, 1, bytes(room))).isPositive();
    }

    @Test
    void callsBackWhoeverWasRefusedBeforeOthersWereCalled() {
        fillUntilRefused(4_000);
        AtomicInteger called = new AtomicInteger();
        Runnable other = called::incrementAndGet;
        for (int round = 0; round < 2; round++) { // who was refused hears of the room although others were called first
            journal.awaitCapacity(other);
            world.settle();
        }
        assertThat(called).hasValue(2);
        AtomicInteger late = new AtomicInteger();
        journal.awaitCapacity(late::incrementAndGet);
        world.settle();

        assertThat(late).hasValue(1);
    }

    @Test
    void givesAllMemoryBackWhenClosed() throws IOException {
        fillUntilRefused(4_000);
        world.settle();
        JournalWorld.append(journal, 1, bytes(50_000));
        journal.close();
        assertThat(world.allocator.metric().usedDirectMemory()).isZero();
    }

    private int fillUntilRefused(int payloadBytes) {
        int accepted = 0;
        while (JournalWorld.append(journal, 1, bytes(payloadBytes)) > 0) {
            accepted++;
        }
        return accepted;
    }

    private void fillUntilUnreleasedBound() {
        int refusedInARow = 0;
        while (refusedInARow < 3) {
            refusedInARow = JournalWorld.append(journal, 1, bytes(4_000)) < 0 ? refusedInARow + 1 : 0;
            world.settle();
        }
    }

    static void assertEntry(Replayed entry, long logId, int bytes, long endPosition) {
        assertThat(entry.logId()).isEqualTo(logId);
        assertThat(entry.argument()).isEqualTo(-logId);
        assertThat(entry.endPosition()).isEqualTo(endPosition);
        assertThat(entry.payload()).isEqualTo(Unpooled.wrappedBuffer(bytes(bytes)));
    }

    static byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        new Random(count).nextBytes(bytes);
        return bytes;
    }
}
