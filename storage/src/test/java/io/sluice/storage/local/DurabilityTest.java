package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.storage.config.TopicDefaults;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.file.StorageFile;
import io.sluice.storage.journal.JournalEntryKind;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.ReadRequest;
import io.sluice.storage.log.ReadResult;
import io.sluice.storage.log.RecordingDurability;
import io.sluice.storage.log.TestBatches;
import io.sluice.storage.log.VisibilityListener;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Logs that bypass the journal, and logs that change. */
class DurabilityTest {
    private static final PartitionId PARTITION = new PartitionId(new TopicId(1, 1), 0);
    private static final Map<String, String> MEMORY = Map.of("sluice.durability", "memory");
    private static final Map<String, String> DISK = Map.of("sluice.durability", "disk");

    private static final int BATCHES = 20;

    private static final int POWER_CUTS = 16;

    private LocalWorld world = new LocalWorld();
    private int epoch;

    private PartitionLog open(Map<String, String> configs) {
        var stage = world.store().open(PARTITION, "t", 1, ++epoch, configs).toCompletableFuture();
        world.settle();
        return stage.join();
    }

    private RecordingDurability append(PartitionLog log, String value) {
        ByteBuf batch = TestBatches.of(value);
        AppendResult result = log.append(batch, epoch, AppendOrigin.CLIENT);
        batch.release();
        assertThat(result).isInstanceOf(AppendResult.Appended.class);
        RecordingDurability waiter = new RecordingDurability();
        log.awaitDurable(log.endOffset(), waiter);
        return waiter;
    }

    private static List<String> values(PartitionLog log) {
        ReadRequest request =
                new ReadRequest(log.logStartOffset(), 1 << 20, true, ReadRequest.Limit.VISIBLE, Runnable::run);
        ReadResult result = ((LocalPartitionLog) log).reader().readNow(request);
        return TestBatches.values(((ReadResult.Records) result).slice());
    }

    private long journaledBatches() {
        return world.disk().count(JournalEntryKind.BATCH);
    }

    @Test
    void acknowledgesAtOnceInMemoryAndWritesNoJournal() {
        PartitionLog log = open(MEMORY);

        assertThat(append(log, "a").heard()).containsExactly("durable 1");
        world.settle();

        assertThat(log.visibleOffset()).isEqualTo(1);
        assertThat(journaledBatches()).isZero();
    }

    @Test
    void keepsAnInternalTopicOnDiskWhateverIsSet() {
        world.store().setDefaults(TopicDefaults.of(MEMORY));
        var opened = world.store()
                .open(PARTITION, "__consumer_offsets", 1, ++epoch, MEMORY)
                .toCompletableFuture();
        world.settle();
        PartitionLog log = opened.join();
        RecordingDurability first = append(log, "a");
        assertThat(first.heard()).isEmpty();
        world.settle();
        assertThat(first.heard()).containsExactly("durable 1");

        world.store().configure(PARTITION, Map.of());
        world.settle();
        RecordingDurability second = append(log, "b");
        assertThat(second.heard()).isEmpty();
        world.settle();
        assertThat(second.heard()).containsExactly("durable 2");
        assertThat(journaledBatches()).isEqualTo(2);
    }

    @Test
    void opensATopicThatContradictsTheNodesDefaults() {
        world.store().setDefaults(TopicDefaults.of(Map.of("log.cleaner.max.compaction.lag.ms", "500")));
        PartitionLog log = open(Map.of("min.compaction.lag.ms", "1000", "sluice.durability", "memory"));
        assertThat(append(log, "a").heard()).containsExactly("durable 1");
    }

    @Test
    void recoversWhatThePageCacheHoldsAfterAKill() {
        PartitionLog log = open(MEMORY);
        append(log, "a");
        append(log, "b");
        world.kill();

        assertThat(values(open(MEMORY))).containsExactly("0:a", "1:b");
    }

    /** Until then a scan reads from it what is known of producers. */
    @Test
    void keepsTheFileOfASegmentThatAReplayLeavesOutUntilTheCatalogueKnows() throws IOException {
        Map<String, String> memory = Map.of("sluice.durability", "memory", "segment.ms", "1000");
        Path file = LocalWorld.DIRECTORY.resolve("logs/1-t-0/00000000000000000000.log");
        PartitionLog log = open(memory);
        append(log, "a");
        world.time().advanceNanos(2_000_000_000L);
        append(log, "b");
        world.checkpoint();
        assertThat(log.trim(1)).isNotNull();
        world.settle();
        world.kill();
        world.settle();
        assertThat(world.simulatedFileSystem().exists(file)).isTrue();

        assertThat(values(open(memory))).containsExactly("1:b");
        assertThat(world.simulatedFileSystem().exists(file)).isTrue();
        world.checkpoint();
        world.settle();
        assertThat(world.simulatedFileSystem().exists(file)).isFalse();
    }

    @Test
    void forcesNothingAgainThatCouldNotBeForcedOnTheWayToMemory() {
        PartitionLog log = open(DISK);
        append(log, "a");
        world.settle();
        world.simulatedFileSystem()
                .failWith(
                        (operation, path) -> operation == SimulatedFileSystem.Operation.FORCE
                                && path.toString().endsWith(".log"),
                        0,
                        1);
        world.store().configure(PARTITION, MEMORY);
        world.settle();

        assertThat(world.store().isFenced()).isTrue();
    }

    @Test
    void keepsWhatIsOfALaterEpochThanTheJournalHasComeToWhereItLeadsAcrossAGap() {
        Map<String, String> memory = Map.of("sluice.durability", "memory", "segment.ms", "1000");
        PartitionLog log = open(memory);
        append(log, "bypassed");
        world.store().configure(PARTITION, DISK);
        append(log, "journaled");
        world.journal().flush();
        world.kill();

        log = open(memory);
        assertThat(log.endOffset()).isEqualTo(2);
        for (String value : List.of("c", "d", "e")) {
            world.time().advanceNanos(2_000_000_000);
            append(log, value);
        }
        world.kill();

        assertThat(open(memory).endOffset()).isEqualTo(5);
    }

    @Test
    void cutsAnUnsoundEndAfterAPowerCut() {
        PartitionLog log = open(MEMORY);
        append(log, "a");
        world.checkpoint();
        append(log, "b".repeat(100_000));
        world.checkpoint();
        append(log, "c".repeat(100_000));
        world.cutPower();
        PartitionLog again = open(MEMORY);

        assertThat(again.endOffset()).isBetween(2L, 3L);
        assertThat(values(again).get(0)).isEqualTo("0:a");
        append(again, "d");
        assertThat(again.endOffset()).isBetween(3L, 4L);
    }

    @Test
    void forcesTheSegmentBeforeTheFirstAcknowledgementOnTheWayToDisk() {
        PartitionLog log = open(MEMORY);
        append(log, "a");
        world.store().configure(PARTITION, DISK);
        RecordingDurability waiter = append(log, "b");

        assertThat(waiter.heard()).isEmpty();
        world.journal().flush();
        assertThat(waiter.heard()).isEmpty();
        world.settle();
        assertThat(waiter.heard()).containsExactly("durable 2");

        world.cutPower();
        assertThat(values(open(DISK))).containsExactly("0:a", "1:b");
    }

    @Test
    void bypassesTheJournalAfterTheWayToMemory() {
        PartitionLog log = open(DISK);
        RecordingDurability first = append(log, "a");
        world.store().configure(PARTITION, MEMORY);
        assertThat(first.heard()).isEmpty();
        world.settle();
        assertThat(first.heard()).containsExactly("durable 1");
        long before = journaledBatches();

        assertThat(append(log, "b").heard()).containsExactly("durable 2");
        world.settle();
        assertThat(journaledBatches()).isEqualTo(before);

        world.kill();
        assertThat(values(open(MEMORY))).containsExactly("0:a", "1:b");
    }

    @Test
    void neverAcknowledgesInMemoryBeforeWhatStillWaitsForTheJournal() {
        PartitionLog log = open(DISK);
        world.store().configure(PARTITION, MEMORY);
        world.settle();
        append(log, "a");
        world.store().configure(PARTITION, DISK);
        world.settle();
        RecordingDurability waiting = append(log, "b");
        assertThat(waiting.heard()).isEmpty();
        world.store().configure(PARTITION, MEMORY);
        world.settle();

        assertThat(waiting.heard()).containsExactly("durable 2");
        assertThat(log.durableOffset()).isEqualTo(2);
    }

    @Test
    void keepsOnTheWayToMemoryWhatWasAcknowledgedOnDisk() {
        PartitionLog log = open(DISK);
        for (int i = 0; i < BATCHES; i++) {
            append(log, "a" + i);
        }
        world.settle();
        world.store().configure(PARTITION, MEMORY);
        world.settle();
        world.checkpoint();
        world.cutPower();

        assertThat(open(MEMORY).endOffset()).isEqualTo(BATCHES);
    }

    @Test
    void keepsItAlsoWhereTheJournalHadToBringItBack() {
        PartitionLog log = open(DISK);
        for (int i = 0; i < BATCHES; i++) {
            append(log, "a" + i);
        }
        world.store().configure(PARTITION, MEMORY);
        world.settle();
        world.kill();
        open(MEMORY);
        world.checkpoint();
        world.cutPower();

        assertThat(open(MEMORY).endOffset()).isEqualTo(BATCHES);
    }

    @Test
    void keepsTheDirectoryOfALogThatWasEmptyOnItsWayToDisk() {
        PartitionLog log = open(MEMORY);
        world.store().configure(PARTITION, DISK);
        world.settle();
        append(log, "a".repeat(100_000));
        world.checkpoint();
        world.cutPower();

        assertThat(values(open(DISK))).hasSize(1);
    }

    @Test
    void isKnownToBypassTheJournalAlsoWhereACheckpointCameBetween() {
        PartitionLog log = open(DISK);
        world.store().configure(PARTITION, MEMORY);
        var checkpoint = world.store().checkpoint().toCompletableFuture();
        world.runTasks();
        world.settle();
        assertThat(checkpoint).isCompleted();
        append(log, "a");
        world.kill();

        assertThat(open(DISK).endOffset()).isEqualTo(1);
    }

    @Test
    void staysOnDiskWhereItIsChangedBackBeforeTheChangeToMemoryIsNoted() {
        PartitionLog log = open(DISK);
        world.store().configure(PARTITION, MEMORY);
        world.store().configure(PARTITION, DISK);
        world.settle();
        long before = journaledBatches();

        RecordingDurability waiter = append(log, "a");
        assertThat(waiter.heard()).isEmpty();
        world.settle();
        assertThat(waiter.heard()).containsExactly("durable 1");
        assertThat(journaledBatches()).isEqualTo(before + 1);
        assertThat(((LocalPartitionLog) log).contents().memory()).isFalse();
    }

    @Test
    void acknowledgesOnDiskAlsoWhereAWayBackToMemoryWasBegunAndGivenUp() {
        PartitionLog log = open(MEMORY);
        append(log, "a");
        world.store().configure(PARTITION, DISK);
        RecordingDurability waiter = append(log, "b");
        world.runTasks();
        world.journal().flush();
        world.runTasks();
        assertThat(((LocalPartitionLog) log).contents().memory())
                .as("the change to disk is noted, not durably")
                .isFalse();
        world.journal().setAtReplayBound(true);
        world.store().configure(PARTITION, MEMORY);
        world.journal().flush();
        world.store().configure(PARTITION, DISK);
        world.journal().setAtReplayBound(false);
        world.settle();

        assertThat(waiter.heard()).containsExactly("durable 2");
        RecordingDurability next = append(log, "c");
        assertThat(next.heard()).isEmpty();
        world.settle();
        assertThat(next.heard()).containsExactly("durable 3");
        world.cutPower();
        assertThat(values(open(DISK))).containsExactly("0:a", "1:b", "2:c");
    }

    @Test
    void acknowledgesNothingByTheCheckpointOfAnEarlierChangeToDisk() {
        PartitionLog log = open(MEMORY);
        append(log, "a");
        var other = world.store()
                .open(new PartitionId(new TopicId(1, 2), 0), "other", 2, 0, DISK)
                .toCompletableFuture();
        world.settle();
        ByteBuf batch = TestBatches.of("not flushed: the checkpoint has to wait");
        assertThat(other.join().append(batch, 0, AppendOrigin.CLIENT)).isInstanceOf(AppendResult.Appended.class);
        batch.release();
        world.store().configure(PARTITION, DISK);
        world.runTasks();
        world.store().configure(PARTITION, MEMORY);
        world.runTasks();
        world.journal().flush();
        assertThat(append(log, "b").heard()).as("back in memory").containsExactly("durable 2");
        world.store().configure(PARTITION, DISK);
        RecordingDurability waiter = append(log, "c");
        world.runTask(); // the end of the first checkpoint, which has not forced the second batch
        world.journal().flush();

        assertThat(waiter.heard()).isEmpty();
        world.settle();
        assertThat(waiter.heard()).containsExactly("durable 3");
        world.cutPower();
        assertThat(values(open(DISK))).containsExactly("0:a", "1:b", "2:c");
    }

    /** Epochs below the log start are forgotten, so that a scan could not tell the batches by them. */
    @Test
    void takesNothingOfARunBeforeForItsOwnAfterAPowerCut() throws IOException {
        for (int seed = 0; seed < POWER_CUTS; seed++) {
            world = new LocalWorld(new SimulatedFileSystem(seed), LocalWorld.DIRECTORY, LocalWorld.config(1 << 20));
            epoch = 0;
            requireThatNothingStaleIsFound(seed);
        }
    }

    private void requireThatNothingStaleIsFound(int seed) throws IOException {
        PartitionLog log = open(DISK);
        append(log, "a");
        world.settle();
        appendThree(log, "stale");
        forceSegment(log);
        world.kill();
        PartitionLog again = open(DISK);
        assertThat(again.endOffset()).isEqualTo(1);
        world.store().configure(PARTITION, MEMORY);
        world.settle();
        appendThree(again, "fresh");
        var trimmed = again.trim(3).toCompletableFuture();
        world.settle();
        assertThat(trimmed).isCompletedWithValue(3L);
        world.cutPower();

        PartitionLog last = open(MEMORY);
        assertThat(last.logStartOffset()).isEqualTo(3);
        List<String> found = values(last);
        assertThat(found).as("seed %s", seed).isSubsetOf("1:fresh", "2:fresh", "3:fresh");
    }

    private void appendThree(PartitionLog log, String value) {
        ByteBuf batch = TestBatches.of(value, value, value);
        assertThat(log.append(batch, epoch, AppendOrigin.CLIENT)).isInstanceOf(AppendResult.Appended.class);
        batch.release();
    }

    /** As the kernel does by itself after a while. */
    private void forceSegment(PartitionLog log) throws IOException {
        Path segment = ((LocalPartitionLog) log).contents().segments()[0].file().path();
        try (StorageFile file = world.simulatedFileSystem().open(segment, FileSystem.Access.READ_WRITE)) {
            file.force(true);
        }
        Path directory = Objects.requireNonNull(segment.getParent());
        world.simulatedFileSystem().forceDirectory(directory);
        world.simulatedFileSystem().forceDirectory(Objects.requireNonNull(directory.getParent()));
    }

    @Test
    void goesToMemoryWhereItIsChangedBackBeforeTheChangeToDiskIsNoted() {
        PartitionLog log = open(MEMORY);
        append(log, "a");
        world.store().configure(PARTITION, DISK);
        RecordingDurability waiter = append(log, "b");
        world.store().configure(PARTITION, MEMORY);
        world.settle();

        assertThat(waiter.heard()).containsExactly("durable 2");
        assertThat(append(log, "c").heard()).containsExactly("durable 3");
        assertThat(((LocalPartitionLog) log).contents().memory()).isTrue();
    }

    @Test
    void acknowledgesNothingThatBypassesTheJournalBetweenOpeningAndTheWayToDisk() {
        append(open(MEMORY), "a");
        world.restart();
        List<RecordingDurability> waiters = new ArrayList<>();
        var stage = world.store().open(PARTITION, "t", 1, ++epoch, DISK).toCompletableFuture();
        Objects.requireNonNull(world.store().find(PARTITION)).addVisibilityListener(new VisibilityListener() {
            @Override
            public void onVisible(PartitionLog log) {}

            @Override
            public void onStateChange(PartitionLog log) {
                waiters.add(append(log, "b"));
                waiters.forEach(waiter -> assertThat(waiter.heard()).isEmpty());
            }
        });
        world.settle();
        stage.join();
        world.settle();

        assertThat(waiters).hasSize(1);
        assertThat(waiters.get(0).heard()).containsExactly("durable 2");
        world.cutPower();
        assertThat(values(open(DISK))).containsExactly("0:a", "1:b");
    }

    @Test
    void takesOnlyWhatTheJournalHoldsWhenItIsOpenedToChangeToMemory() {
        PartitionLog log = open(DISK);
        append(log, "a");
        world.settle();
        append(log, "not flushed, and in the page cache only");
        world.kill();
        PartitionLog again = open(MEMORY);
        assertThat(again.endOffset()).isEqualTo(1);

        append(again, "b");
        world.kill();
        assertThat(values(open(MEMORY))).containsExactly("0:a", "1:b");
    }

    @Test
    void changesToDiskWhenItIsOpenedSo() {
        PartitionLog log = open(MEMORY);
        append(log, "a");
        world.restart();
        PartitionLog again = open(DISK);
        world.settle();
        RecordingDurability waiter = append(again, "b");
        assertThat(waiter.heard()).isEmpty();
        world.settle();
        assertThat(waiter.heard()).containsExactly("durable 2");

        world.cutPower();
        assertThat(values(open(DISK))).containsExactly("0:a", "1:b");
    }
}
