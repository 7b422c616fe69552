package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.sluice.base.error.UserException;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.file.SimulatedFileSystem.Operation;
import io.sluice.storage.file.StorageFile;
import io.sluice.storage.journal.InMemoryJournal;
import io.sluice.storage.journal.JournalMismatchException;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.AppendResult;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.TestBatches;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Test;

/** Journals that are missing, old or of another time than the data directory. */
class JournalMatchTest {
    private static final Path LOGS = LocalWorld.DIRECTORY.resolve("logs");
    private static final Path CATALOGUE = LocalWorld.DIRECTORY.resolve("catalogue");
    private static final String DIRECTORY = "1-t-0";

    private final LocalWorld world = new LocalWorld();
    private final SimulatedFileSystem files = world.simulatedFileSystem();

    /** All but the note of the journal's position. */
    private List<String> logs() throws IOException {
        List<String> names = new ArrayList<>(files.list(LOGS));
        names.remove(JournalNote.FILE_NAME);
        return names;
    }

    private PartitionLog open(int logId) {
        var stage = world.store()
                .open(new PartitionId(new TopicId(1, logId), 0), "t", logId, 0, Map.of())
                .toCompletableFuture();
        world.settle();
        return stage.join();
    }

    private void append(PartitionLog log, int bytes) {
        ByteBuf batch = TestBatches.of("x".repeat(bytes));
        assertThat(log.append(batch, 0, AppendOrigin.CLIENT)).isInstanceOf(AppendResult.Appended.class);
        batch.release();
        world.settle();
    }

    private void requireRefused(String reason) {
        for (int i = 0; i < 2; i++) { // the first attempt must not have made the second look right
            assertThatThrownBy(world::kill)
                    .hasRootCauseInstanceOf(JournalMismatchException.class)
                    .hasMessageContaining(reason)
                    .hasMessageContaining("sluice.journal.dir")
                    .hasMessageContaining("sluice.journal.accept.loss=true");
        }
    }

    @Test
    void refusesToStartWithAnEmptyJournalBesideLogsThatOnlyTheJournalKnew() throws IOException {
        append(open(1), 10);
        InMemoryJournal.Disk journal = world.disk();
        world.putJournal(new InMemoryJournal.Disk());
        requireRefused("the journal of /data is missing: no file in its directory is one that was in use");
        assertThat(logs()).containsExactly(DIRECTORY);

        world.putJournal(journal);
        world.kill();
        assertThat(open(1).endOffset()).isEqualTo(1);
    }

    @Test
    void refusesToStartWithAnEmptyJournalBesideAFullCatalogue() {
        append(open(1), 100_000);
        world.checkpoint();
        append(open(1), 10);
        world.putJournal(new InMemoryJournal.Disk());

        requireRefused("the journal of /data is missing");
    }

    @Test
    void startsWithoutItsJournalWhereThatIsAcceptedAndKeepsWhatNobodyKnows() throws IOException {
        append(open(1), 100_000);
        world.checkpoint();
        append(open(1), 10);
        append(open(2), 10);
        world.putJournal(new InMemoryJournal.Disk());
        world.setConfig(accepting(true));
        world.kill();

        assertThat(world.store().startedClean()).isFalse();
        assertThat(open(1).endOffset()).isEqualTo(1);
        assertThat(logs()).containsExactlyInAnyOrder(DIRECTORY, "2-t-0.unclaimed");
        append(open(2), 10);
        world.checkpoint();

        world.setConfig(accepting(false));
        world.kill();
        assertThat(open(2).endOffset()).isEqualTo(1);
        assertThat(logs()).containsExactlyInAnyOrder(DIRECTORY, "2-t-0", "2-t-0.unclaimed");
    }

    @Test
    void losesItsJournalMoreThanOnce() throws IOException {
        world.setConfig(accepting(true));
        for (int i = 0; i < 3; i++) {
            append(open(2), 10);
            world.putJournal(new InMemoryJournal.Disk());
            world.kill();
        }
        assertThat(logs()).containsExactlyInAnyOrder("2-t-0.unclaimed", "2-t-0.2.unclaimed", "2-t-0.3.unclaimed");
    }

    @Test
    void setsAsideAllThatNobodyKnowsAlsoWhereTheFirstStartEndsInTheMiddle() throws IOException {
        append(open(2), 10);
        append(open(3), 10);
        startWithoutJournalUntil((operation, path) -> operation == Operation.RENAME && path.startsWith(LOGS));
        world.kill();

        assertThat(logs()).containsExactlyInAnyOrder("2-t-0.unclaimed", "3-t-0.unclaimed");
    }

    @Test
    void startsWithoutItsJournalAlsoWhereTheFirstStartEndsBeforeItTakesNoteOfTheNewOne() throws IOException {
        append(open(1), 100_000);
        world.checkpoint();
        append(open(2), 10);
        startWithoutJournalUntil((operation, path) ->
                !world.disk().recover().isNew() && path.toString().contains("catalogue"));
        assertThat(world.disk().recover().isNew()).isFalse();
        world.kill();

        assertThat(world.store().startedClean()).isFalse();
        assertThat(open(1).endOffset()).isEqualTo(1);
        assertThat(logs()).containsExactlyInAnyOrder(DIRECTORY, "2-t-0.unclaimed");
    }

    /** Gives the journal up in a process that ends in the middle of what matches. */
    private void startWithoutJournalUntil(BiPredicate<Operation, Path> matches) {
        world.putJournal(new InMemoryJournal.Disk());
        world.setConfig(accepting(true));
        files.kill();
        files.crashWhen(matches, 0);
        assertThatThrownBy(world::start).hasRootCauseInstanceOf(IOException.class);
        assertThat(files.crashed()).isTrue();
    }

    @Test
    void saysWhyTheSettingIsNotNeeded() {
        assertThat(JournalMatch.needlessAcceptance(new InMemoryJournal.Disk().recover()))
                .contains("there was no journal before")
                .contains("take the setting back");
        assertThat(JournalMatch.needlessAcceptance(world.disk().recover()))
                .contains("the journal is there")
                .contains("take the setting back");
    }

    private static LocalStorageConfig accepting(boolean acceptJournalLoss) {
        LocalStorageConfig config = LocalWorld.config(1 << 20);
        return new LocalStorageConfig(
                config.maxOpenFiles(),
                config.checkpointBytes(),
                config.checkpointSliceBytes(),
                config.smallTailBytes(),
                config.catchUpBytes(),
                config.lowSpaceBytes(),
                config.retentionCheckMillis(),
                config.producers(),
                config.cleaner(),
                acceptJournalLoss);
    }

    @Test
    void refusesAnOlderCopyOfTheJournal() {
        append(open(1), 10);
        InMemoryJournal.Disk copy = world.disk().copy();
        append(open(1), 100_000);
        world.checkpoint();
        world.putJournal(copy);

        requireRefused("the journal of /data is an older copy");
    }

    @Test
    void refusesAnOlderCopyOfTheDataDirectory() throws IOException {
        append(open(1), 10);
        byte[] catalogue = read();
        append(open(1), 100_000);
        world.checkpoint();
        write(catalogue);

        requireRefused("/data is an older copy than its journal");
    }

    /** As where the disk of the logs is newer than the one with the rest. */
    @Test
    void refusesAnOlderCopyOfBothBesideTheLogs() throws IOException {
        append(open(1), 10);
        byte[] catalogue = read();
        InMemoryJournal.Disk journal = world.disk().copy();
        append(open(1), 10);
        append(open(2), 10);
        world.close();
        InMemoryJournal.Disk newer = world.disk();
        byte[] newerCatalogue = read();
        write(catalogue);
        world.putJournal(journal);
        for (int i = 0; i < 2; i++) { // the first attempt must not have made the second look right
            assertThatThrownBy(world::kill)
                    .isInstanceOf(UserException.class)
                    .hasMessageContaining(
                            "The catalogue and the journal of /data are older than its logs, as /data/logs/1-t-0")
                    .hasMessageContaining("Restore the data directory, its logs and its journal")
                    .hasMessageContaining("move /data/logs/journal-position away");
            assertThat(logs()).containsExactlyInAnyOrder(DIRECTORY, "2-t-0");
        }

        write(newerCatalogue);
        world.putJournal(newer);
        world.kill();
        assertThat(open(1).endOffset()).isEqualTo(2);
        assertThat(open(2).endOffset()).isEqualTo(1);
    }

    @Test
    void findsTheOlderCopyAlsoOfANodeThatWasKilledASecondLater() throws IOException {
        append(open(1), 10);
        byte[] catalogue = read();
        InMemoryJournal.Disk journal = world.disk().copy();
        append(open(1), 10);
        world.time().advanceNanos(1_000_000_000);
        world.settle();
        write(catalogue);
        world.putJournal(journal);

        assertThatThrownBy(world::kill)
                .isInstanceOf(UserException.class)
                .hasMessageContaining("are older than its logs");
    }

    @Test
    void keepsWhatAnOlderCopyDoesNotKnowWhereTheNoteIsMovedAway() throws IOException {
        append(open(1), 10);
        byte[] catalogue = read();
        InMemoryJournal.Disk journal = world.disk().copy();
        append(open(2), 10);
        world.close();
        write(catalogue);
        world.putJournal(journal);
        files.delete(LOGS.resolve(JournalNote.FILE_NAME));
        world.kill();

        assertThat(logs()).containsExactlyInAnyOrder(DIRECTORY, "2-t-0.unclaimed");
    }

    @Test
    void takesADamagedNoteForNone() throws IOException {
        append(open(1), 10);
        world.close();
        files.flipByte(LOGS.resolve(JournalNote.FILE_NAME), 0);
        world.kill();

        assertThat(open(1).endOffset()).isEqualTo(1);
    }

    @Test
    void beginsAnewWhereAllRecordsWereMovedAwayAndOnlyTheNoteWasNot() throws IOException {
        append(open(1), 10);
        world.close();
        files.deleteTree(LOGS.resolve(DIRECTORY));
        files.delete(CATALOGUE);
        world.putJournal(new InMemoryJournal.Disk());
        world.kill();
        append(open(2), 10);
        world.kill();

        assertThat(open(2).endOffset()).isEqualTo(1);
    }

    @Test
    void setsAsideADirectoryThatSomebodyPutBesideTheLogs() throws IOException {
        append(open(1), 10);
        world.close();
        files.rename(LOGS.resolve(DIRECTORY), LOGS.resolve("99-t-0"));
        world.kill();
        world.settle();

        assertThat(logs()).containsExactlyInAnyOrder(DIRECTORY, "99-t-0.unclaimed"); // the journal makes the first anew
        assertThat(files.list(LOGS.resolve("99-t-0.unclaimed"))).contains("00000000000000000000.log");
    }

    @Test
    void refusesAJournalThatWasLetGoBesideADirectoryWithoutACatalogue() throws IOException {
        append(open(1), 100_000);
        world.checkpoint();
        world.store().delete(new PartitionId(new TopicId(1, 1), 0));
        world.settle();
        files.delete(CATALOGUE);

        requireRefused("/data has no catalogue");
    }

    @Test
    void refusesLogsWithoutACatalogueWhateverIsAcceptedAndDeletesNone() throws IOException {
        append(open(1), 10);
        files.delete(CATALOGUE);
        requireCatalogueMissed();
        world.setConfig(accepting(true));
        requireCatalogueMissed();
        world.putJournal(new InMemoryJournal.Disk());
        requireCatalogueMissed();
    }

    @Test
    void refusesLogsWithoutACatalogueAlsoWhereTheJournalWasLetGo() throws IOException {
        append(open(1), 100_000);
        world.checkpoint();
        files.delete(CATALOGUE);
        requireCatalogueMissed();
        world.putJournal(new InMemoryJournal.Disk());
        requireCatalogueMissed();
    }

    /** Twice: the first attempt must not have made the second look right. */
    private void requireCatalogueMissed() throws IOException {
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(world::kill)
                    .isInstanceOf(UserException.class)
                    .hasMessageContaining("/data/catalogue is missing although there are logs, as /data/logs/1-t-0")
                    .hasMessageContaining("from one copy")
                    .hasMessageNotContaining("accept.loss");
            assertThat(logs()).containsExactly(DIRECTORY);
            assertThat(files.exists(CATALOGUE)).isFalse();
        }
    }

    private byte[] read() throws IOException {
        try (StorageFile file = files.open(CATALOGUE, FileSystem.Access.READ)) {
            ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
            file.read(bytes, 0);
            return bytes.array();
        }
    }

    private void write(byte[] bytes) throws IOException {
        files.delete(CATALOGUE);
        try (StorageFile file = files.create(CATALOGUE)) {
            file.write(ByteBuffer.wrap(bytes), 0);
        }
    }
}
