package io.sluice.storage.local.aborted;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.ForwardingFileSystem;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.file.SimulationSeeds;
import io.sluice.storage.file.StorageFile;
import io.sluice.storage.local.segment.Deletable;
import io.sluice.storage.local.segment.DurableStep;
import io.sluice.storage.local.segment.LogDirectory;
import io.sluice.storage.log.ReadResult.AbortedTransaction;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The aborted transactions of a log against a plain list of them, and how much of them is in the heap. */
class AbortedTransactionsTest {
    private static final Path DIRECTORY = Path.of("/1-t-0");
    private static final int STEPS = 600;

    /** Counts the files that are opened for reading. */
    private static final class Counting extends ForwardingFileSystem {
        int opened;

        Counting(FileSystem files) {
            super(files);
        }

        @Override
        public StorageFile open(Path file, Access access) throws IOException {
            opened++;
            return super.open(file, access);
        }
    }

    private static AbortedChunks chunks(FileSystem files, int blockEntries) {
        return new AbortedChunks(new LogDirectory(new DurableStep(files), DIRECTORY), new ChunkCache(blockEntries));
    }

    private static SimulatedFileSystem disk(long seed) {
        SimulatedFileSystem disk = new SimulatedFileSystem(seed);
        try {
            disk.createDirectories(DIRECTORY);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return disk;
    }

    @Test
    void holdsWhatAPlainListHoldsOnEverySeed() {
        SimulationSeeds.runAll(AbortedTransactionsTest.class, seed -> new Model(seed).run());
    }

    private record Plain(long producerId, long firstOffset, long markerOffset, long stableOffset) {}

    /** One seed: transactions of a few producers, some long, in a log that is cleaned, trimmed, checkpointed and opened again. */
    private static final class Model {
        private static final int PRODUCERS = 7;

        private final Random random;
        private final SimulatedFileSystem disk;
        private final int blockEntries;
        private final TreeMap<Long, Long> openByProducer = new TreeMap<>();
        private final List<Plain> plain = new ArrayList<>();
        private AbortedChunks files;
        private AbortedTransactions aborted;
        private ByteBuf record = Unpooled.buffer();
        private List<Plain> sinceRecord = new ArrayList<>();
        private long end;
        private long floor;
        private long recordFloor;

        Model(long seed) {
            random = new Random(new SplittableRandom(seed).nextLong());
            disk = disk(seed);
            blockEntries = 1 + random.nextInt(6);
            files = chunks(disk, blockEntries);
            aborted = new AbortedTransactions(blockEntries);
            aborted.writeTo(record);
        }

        void run() throws IOException {
            for (int i = 0; i < STEPS; i++) {
                step();
                check(aborted.view());
            }
            checkpoint();
            check(aborted.view());
        }

        private void step() throws IOException {
            switch (random.nextInt(16)) {
                case 0 -> checkpoint();
                case 1 -> forget();
                case 2 -> maybeReopen();
                default -> transact();
            }
        }

        private void transact() {
            long producer = random.nextInt(PRODUCERS);
            Long start = openByProducer.get(producer);
            if (start == null) {
                openByProducer.put(producer, end++);
            } else if (producer > 1 || random.nextInt(20) == 0) { // those of the first two are long
                openByProducer.remove(producer);
                long marker = end++;
                if (random.nextInt(4) > 0) {
                    long stable = openByProducer.values().stream()
                            .mapToLong(Long::longValue)
                            .min()
                            .orElse(marker + 1);
                    Plain one = new Plain(producer, start, marker, stable);
                    plain.add(one);
                    sinceRecord.add(one);
                    aborted.add(producer, start, marker, stable);
                }
            } else {
                end++;
            }
        }

        private void forget() {
            floor = Math.max(floor, end - random.nextInt(60));
            aborted.forgetBelow(floor);
        }

        private void checkpoint() throws IOException {
            AbortedView before = aborted.view();
            if (aborted.isMoveDue()) {
                AbortedTransactions.Move move = aborted.prepareMove(files);
                if (random.nextInt(4) == 0) {
                    forget();
                }
                move.finish();
            }
            assertThat(aborted.isMoveDue()).isFalse();
            assertThat(aborted.inHeap()).isLessThanOrEqualTo(2 * blockEntries);
            record = Unpooled.buffer();
            aborted.writeTo(record);
            assertThat(aborted.sizeInBytes()).isEqualTo(record.readableBytes());
            sinceRecord = new ArrayList<>();
            recordFloor = floor;
            checkOlder(before);
            Deletable.deleteAll(aborted.takeDropped());
            assertThat(disk.list(DIRECTORY)).containsExactlyInAnyOrderElementsOf(names());
        }

        private List<String> names() {
            return aborted.chunks().stream()
                    .map(chunk -> chunk.path().getFileName().toString())
                    .toList();
        }

        /** What is forgotten may be in the view of who took it before, until its file goes. */
        private void checkOlder(AbortedView before) throws IOException {
            long from = random.nextLong(end + 1);
            List<AbortedTransaction> found = before.between(from, end, true);
            assertThat(found).containsAll(expected(from, end, floor));
        }

        private void maybeReopen() throws IOException {
            if (random.nextBoolean()) {
                return;
            }
            disk.kill();
            files = chunks(disk, blockEntries);
            aborted = new AbortedTransactions(blockEntries);
            aborted.readFrom(record.duplicate(), files, true);
            aborted.forgetBelow(recordFloor);
            floor = recordFloor;
            sinceRecord.forEach(
                    one -> aborted.add(one.producerId, one.firstOffset, one.markerOffset, one.stableOffset));
            for (String name : disk.list(DIRECTORY)) {
                files.deleteIfLeftBehind(name);
            }
        }

        private List<AbortedTransaction> expected(long from, long to, long lowest) {
            return plain.stream()
                    .filter(one -> one.markerOffset >= Math.max(from, lowest) && one.firstOffset < to)
                    .map(one -> new AbortedTransaction(one.producerId, one.firstOffset))
                    .toList();
        }

        private void check(AbortedView view) throws IOException {
            long from = random.nextLong(end + 1);
            long stable = openByProducer.values().stream()
                    .mapToLong(Long::longValue)
                    .min()
                    .orElse(end);
            long to = Math.min(stable, from + random.nextInt(40));
            if (from < to) {
                assertThat(view.between(from, to, true)).isEqualTo(expected(from, to, floor));
            }
            long producer = random.nextInt(PRODUCERS);
            boolean inOne = plain.stream()
                    .anyMatch(one -> one.producerId == producer
                            && one.firstOffset <= from
                            && one.markerOffset >= Math.max(from, floor));
            assertThat(view.isAborted(producer, from)).isEqualTo(inOne);
        }
    }

    @Test
    void keepsABoundedNumberInTheHeapAndInTheRecordHoweverManyThereAre() {
        AbortedTransactions aborted = new AbortedTransactions(ChunkCache.BLOCK_ENTRIES);
        AbortedChunks files = chunks(disk(1), ChunkCache.BLOCK_ENTRIES);
        int most = 0;
        int mostBytes = 0;
        for (int i = 0; i < 1_000_000; i++) {
            aborted.add(i % 100, 2L * i, 2L * i + 1, 2L * i + 2);
            if (i % 50_000 == 49_999) {
                aborted.prepareMove(files).finish();
                most = Math.max(most, aborted.inHeap());
                mostBytes = Math.max(mostBytes, aborted.sizeInBytes());
            }
        }

        assertThat(most).isLessThanOrEqualTo(2 * ChunkCache.BLOCK_ENTRIES);
        assertThat(mostBytes).isLessThan(300_000);
        assertThat(aborted.chunks()).hasSize(1_000_000 / ChunkCache.BLOCK_ENTRIES - 1);
    }

    /** A million under one long transaction: those behind the range were begun behind it, too. */
    @Test
    void readsOnlyWhatARangeNeeds() throws IOException {
        Counting counting = new Counting(disk(1));
        AbortedTransactions aborted = new AbortedTransactions(ChunkCache.BLOCK_ENTRIES);
        AbortedChunks files = chunks(counting, ChunkCache.BLOCK_ENTRIES);
        for (int i = 0; i < 1_000_000; i++) {
            aborted.add(7, 2L * i + 1, 2L * i + 2, 0);
            if (i % 100_000 == 0) {
                aborted.prepareMove(files).finish();
            }
        }
        aborted.prepareMove(files).finish();

        assertThat(aborted.view().between(0, 100, true)).hasSize(50);
        assertThat(counting.opened).isEqualTo(1);
        assertThat(aborted.view().isAborted(7, 1_000_001)).isTrue();
        assertThat(aborted.view().isAborted(8, 1_000_001)).isFalse();
        assertThat(counting.opened).isEqualTo(2);
        assertThat(aborted.view().between(1_500_000, 1_500_100, false))
                .as("would have to be read")
                .isNull();
        assertThat(aborted.view().between(1_999_900, 2_000_000, false)).hasSize(51);
    }

    @Test
    void keepsABoundedNumberOfChunksThatWereRead() throws IOException {
        AbortedTransactions aborted = new AbortedTransactions(8);
        ChunkCache cache = new ChunkCache(8);
        AbortedChunks files = new AbortedChunks(new LogDirectory(new DurableStep(disk(1)), DIRECTORY), cache);
        for (int i = 0; i < 1_000; i++) {
            aborted.add(7, 2L * i, 2L * i + 1, 2L * i + 2);
        }
        aborted.prepareMove(files).finish();

        assertThat(aborted.view().between(0, 2_000, true)).hasSize(1_000);
        assertThat(cache.count()).isEqualTo(ChunkCache.LIMIT);
        aborted.forgetBelow(2_000);
        Deletable.deleteAll(aborted.takeDropped());
        assertThat(cache.count()).isZero();
    }

    @Test
    void keepsThemInTheHeapWhileThereIsNoRoomForAFile() throws IOException {
        SimulatedFileSystem disk = disk(1);
        AbortedTransactions aborted = new AbortedTransactions(8);
        AbortedChunks files = chunks(disk, 8);
        for (int i = 0; i < 100; i++) {
            aborted.add(7, 2L * i, 2L * i + 1, 2L * i + 2);
        }
        disk.limitCapacity(ChunkFile.sizeInBytes(8) * 3L + 20);
        aborted.prepareMove(files).finish();

        assertThat(aborted.chunks()).hasSize(3);
        assertThat(aborted.inHeap()).isEqualTo(100 - 24);
        assertThat(disk.list(DIRECTORY)).hasSize(3);
        assertThat(aborted.view().between(0, 200, true)).hasSize(100);
        disk.limitCapacity(Long.MAX_VALUE);
        aborted.prepareMove(files).finish();
        assertThat(aborted.inHeap()).isLessThanOrEqualTo(16);
        assertThat(aborted.view().between(0, 200, true)).hasSize(100);
    }

    /** A sweep of what a crash left and a checkpoint may come to the same name. */
    @Test
    void writesAFileAnewThatACrashHasLeftAndDeletesNoneThatIsUsed() throws IOException {
        SimulatedFileSystem disk = disk(1);
        disk.create(DIRECTORY.resolve(ChunkFile.name(1))).close();
        disk.create(DIRECTORY.resolve(ChunkFile.name(99))).close();
        disk.create(DIRECTORY.resolve("99999999999999999999.aborted")).close();
        AbortedTransactions aborted = new AbortedTransactions(2);
        AbortedChunks files = chunks(disk, 2);
        for (int i = 0; i < 4; i++) {
            aborted.add(7, 2L * i, 2L * i + 1, 2L * i + 2);
        }
        aborted.add(7, 8, 9, 10);
        aborted.prepareMove(files).finish();
        List<String> names = disk.list(DIRECTORY);
        assertThat(names).hasSize(3);
        List<Boolean> deleted = new ArrayList<>();
        for (String name : names) {
            deleted.add(files.deleteIfLeftBehind(name));
        }

        assertThat(deleted).containsExactly(false, true, false);
        assertThat(Objects.requireNonNull(aborted.view().between(0, 10, true))).hasSize(5);
    }

    /** One that ended with a marker at an odd offset for each two offsets below an end that only grows. */
    @Test
    void isSearchedByOthersWhileItGrowsAndIsMovedToFilesAndForgotten() throws Exception {
        long transactions = 100_000;
        long last = 2 * transactions;
        SimulatedFileSystem disk = disk(1);
        AbortedChunks files = chunks(disk, 64);
        AbortedTransactions aborted = new AbortedTransactions(64);
        AtomicLong end = new AtomicLong();
        AtomicLong start = new AtomicLong();
        ExecutorService readers = Executors.newFixedThreadPool(2);
        List<Future<Long>> searches = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            searches.add(readers.submit(() -> search(aborted, start, end, last)));
        }
        for (long i = 0; i < transactions; i++) {
            aborted.add(7, 2 * i, 2 * i + 1, 2 * i + 2);
            end.set(2 * i + 2);
            if (i % 500 == 499) {
                aborted.prepareMove(files).finish();
                start.set(Math.max(0L, 2 * i - 10_000));
                aborted.forgetBelow(start.get());
                Deletable.deleteAll(aborted.takeDropped());
            }
        }
        readers.shutdown();
        for (Future<Long> search : searches) {
            assertThat(search.get(60, TimeUnit.SECONDS)).isGreaterThan(10);
        }
    }

    private static long search(AbortedTransactions aborted, AtomicLong start, AtomicLong end, long last)
            throws IOException {
        Random random = new Random(1);
        long searches = 0;
        for (long to = 0; to < last; searches++) {
            to = end.get();
            long from = start.get() + 2L * random.nextInt(100);
            long until = Math.min(to, from + random.nextInt(1_000));
            List<AbortedTransaction> expected = new ArrayList<>();
            for (long first = from; first < until; first += 2) {
                expected.add(new AbortedTransaction(7, first));
            }
            try {
                List<AbortedTransaction> found = aborted.view().between(from, until, true);
                if (from >= start.get()) { // else they may have been forgotten before the view was taken
                    assertThat(found).isEqualTo(expected);
                }
            } catch (NoSuchFileException e) {
                assertThat(from).isLessThan(start.get());
            }
        }
        return searches;
    }
}
