package io.sluice.storage.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.sluice.base.error.UserException;
import io.sluice.base.id.PartitionId;
import io.sluice.base.id.TopicId;
import io.sluice.storage.file.LocalFileSystem;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.file.StorageFile;
import io.sluice.storage.log.AppendOrigin;
import io.sluice.storage.log.PartitionLog;
import io.sluice.storage.log.TestBatches;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which directories a node takes, and which it does not. */
class DataDirectoryTest {
    private static final Path NEW = Path.of("/new");
    private static final String KAFKAS = "version=1\ncluster.id=abc\nnode.id=1\n";

    private final LocalWorld world = new LocalWorld();
    private final SimulatedFileSystem disk = world.simulatedFileSystem();

    private void append(String... values) {
        var stage = world.store()
                .open(new PartitionId(new TopicId(1, 1), 0), "t", 1, 0, Map.of())
                .toCompletableFuture();
        world.settle();
        PartitionLog log = stage.join();
        ByteBuf batch = TestBatches.of(values);
        log.append(batch, log.leaderEpoch(), AppendOrigin.CLIENT);
        batch.release();
        world.settle();
    }

    private void write(Path file, String content) throws IOException {
        disk.createDirectories(file.resolveSibling("."));
        try (StorageFile made = disk.create(file)) {
            made.write(ByteBuffer.wrap(content.getBytes(StandardCharsets.UTF_8)), 0);
        }
    }

    private void opens(Path path) throws IOException {
        DataDirectory.open(disk, path, null, 1).close();
    }

    @Test
    void refusesADirectoryThatIsInUseOrSomebodyElses() {
        SimulatedFileSystem disk = world.simulatedFileSystem();
        assertThatThrownBy(() -> DataDirectory.open(disk, LocalWorld.DIRECTORY, LocalWorld.CLUSTER, 1))
                .isInstanceOf(UserException.class)
                .hasMessageContaining("in use by");

        world.close();
        assertThatThrownBy(() -> DataDirectory.open(disk, LocalWorld.DIRECTORY, "another", 1))
                .isInstanceOf(UserException.class)
                .hasMessageContaining("belongs to cluster " + LocalWorld.CLUSTER);
        assertThatThrownBy(() -> DataDirectory.open(disk, LocalWorld.DIRECTORY, LocalWorld.CLUSTER, 2))
                .isInstanceOf(UserException.class)
                .hasMessageContaining("belongs to node 1");
    }

    @Test
    void refusesADirectoryInUseWhoseLockFileWasRemoved() throws IOException {
        disk.delete(LocalWorld.DIRECTORY.resolve(DataDirectory.LOCK_FILE));
        for (int i = 0; i < 2; i++) { // the first attempt has made another lock file
            assertThatThrownBy(() -> DataDirectory.open(disk, LocalWorld.DIRECTORY, LocalWorld.CLUSTER, 1))
                    .isInstanceOf(UserException.class)
                    .hasMessageContaining("in use by another process");
        }
        world.close();

        DataDirectory.open(disk, LocalWorld.DIRECTORY, LocalWorld.CLUSTER, 1).close();
    }

    @Test
    void refusesADirectoryWithoutMetaPropertiesAndChangesNothing() throws IOException {
        SimulatedFileSystem disk = world.simulatedFileSystem();
        Path meta = LocalWorld.DIRECTORY.resolve(DataDirectory.META_FILE);
        append("a");
        world.close();
        disk.delete(meta);
        List<String> before = disk.list(LocalWorld.DIRECTORY);
        for (int i = 0; i < 2; i++) { // the first attempt must not have made the second look right
            assertThatThrownBy(() -> DataDirectory.open(disk, LocalWorld.DIRECTORY, null, 1))
                    .isInstanceOf(UserException.class)
                    .hasMessageContaining("/data/meta.properties is missing although there is /data/catalogue")
                    .hasMessageContaining("Restore that file from a copy")
                    .hasMessageNotContaining("accept.loss");
            assertThat(disk.list(LocalWorld.DIRECTORY)).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "journal/lost+found/x",
                "metadata/lost+found/x",
                "logs/lost+found/x",
                "lost+found/x",
                "logs/node.log",
                "logs/2026-01-02",
                "logs/2026-01-02/access.log",
                "logs/2026-01-02.deleted/access.log",
                "journal/20260102.journal",
                "metadata/notes.txt",
                "catalogue/x"
            })
    void beginsBesideWhatAnotherProgramMade(String file) throws IOException {
        write(NEW.resolve(file), "something else");
        opens(NEW);
        opens(NEW);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"logs/1-t-0/00000000000000000000.log", "metadata/changes-00000000000000000000.log", "catalogue"})
    void refusesWhatANodeMadeWithoutMetaProperties(String file) throws IOException {
        write(NEW.resolve(file), "");
        assertThatThrownBy(() -> opens(NEW))
                .isInstanceOf(UserException.class)
                .hasMessageContaining("/new/meta.properties is missing although there is /new/");
    }

    @Test
    void refusesAJournalWithoutMetaProperties() throws IOException {
        write(NEW.resolve("journal/00000001.journal"), "SLJF");
        assertThatThrownBy(() -> opens(NEW)).hasMessageContaining("although there is /new/journal");
    }

    @Test
    void leavesOtherProgramsDirectoriesAmongTheLogsAlone() throws IOException {
        Path logs = LocalWorld.DIRECTORY.resolve("logs");
        List<Path> others = List.of(
                logs.resolve("2026-01-02/access.log"), logs.resolve("2026-01-03"), logs.resolve("old.deleted/notes"));
        for (Path other : others) {
            write(other, "something else");
        }
        append("a");
        world.kill();
        world.runTasks();
        for (Path other : others) {
            assertThat(disk.exists(other)).as("%s", other).isTrue();
        }
    }

    @Test
    void makesNothingInsideAnotherNodesDirectory() throws IOException {
        List<String> before = disk.list(LocalWorld.DIRECTORY);
        Path inner = LocalWorld.DIRECTORY.resolve("a").resolve("b");
        for (int i = 0; i < 2; i++) { // the first attempt must not have made the second look right
            assertThatThrownBy(() -> opens(inner))
                    .isInstanceOf(UserException.class)
                    .hasMessageContaining("Data directory /data/a/b would lie inside data directory /data.");
            assertThat(disk.list(LocalWorld.DIRECTORY)).isEqualTo(before);
        }
    }

    /** Both would name their files alike, and each take the other's for its own or delete them. */
    @ParameterizedTest
    @ValueSource(strings = {"/elsewhere", "/elsewhere/below"})
    void makesNothingInsideAJournal(String inner) throws IOException {
        write(Path.of("/elsewhere/00000001.journal"), "SLJF");
        List<String> before = disk.list(Path.of("/elsewhere"));
        assertThatThrownBy(() -> opens(Path.of(inner)))
                .isInstanceOf(UserException.class)
                .hasMessageContaining("Data directory " + inner)
                .hasMessageContaining("the directory of a journal");
        assertThat(disk.list(Path.of("/elsewhere"))).isEqualTo(before);
    }

    @Test
    void keepsNoJournalInAnotherNodesDirectory() throws IOException {
        opens(NEW);
        List<String> before = disk.list(LocalWorld.DIRECTORY);
        for (Path journal : List.of(LocalWorld.DIRECTORY, LocalWorld.DIRECTORY.resolve("a/b"))) {
            assertThatThrownBy(() -> DataDirectory.requireJournalPlace(disk, NEW, journal))
                    .isInstanceOf(UserException.class)
                    .hasMessageContaining("Journal directory " + journal + " (sluice.journal.dir)")
                    .hasMessageContaining("data directory")
                    .hasMessageContaining("of another node. Choose a directory outside it.");
        }
        assertThat(disk.list(LocalWorld.DIRECTORY)).isEqualTo(before);
        DataDirectory.requireJournalPlace(disk, NEW, NEW.resolve("journal"));
        DataDirectory.requireJournalPlace(disk, NEW, Path.of("/elsewhere"));
        DataDirectory.requireJournalPlace(disk, Path.of("/not/yet"), Path.of("/not/there"));
    }

    @Test
    void keepsNoJournalInItsOwnDirectoryItself() throws IOException {
        opens(NEW);
        List<String> before = disk.list(NEW);
        assertThatThrownBy(() -> DataDirectory.requireJournalPlace(disk, NEW, NEW))
                .isInstanceOf(UserException.class)
                .hasMessageContaining(
                        "Journal directory " + NEW + " (sluice.journal.dir) is the data directory itself.")
                .hasMessageContaining("unset it");
        assertThat(disk.list(NEW)).isEqualTo(before);
    }

    /** It may be a copy's, or have been put there before this was looked at: what is in it must not be lost for that. */
    @Test
    void servesAJournalThatHasBegunInAnotherNodesDirectory() throws IOException {
        Path journal = LocalWorld.DIRECTORY.resolve("other-journal");
        write(journal.resolve("00000001.journal"), "SLJF");
        DataDirectory.requireJournalPlace(disk, NEW, journal);
    }

    @Test
    void servesADirectoryWithACopyInItAndTheCopy() throws IOException {
        world.close();
        Path copy = LocalWorld.DIRECTORY.resolve("backup");
        disk.createDirectories(copy.resolve("logs"));
        write(copy.resolve("meta.properties"), "format=1\ncluster.id=" + LocalWorld.CLUSTER + "\nnode.id=1\n");
        opens(LocalWorld.DIRECTORY);
        opens(copy);
    }

    @ParameterizedTest
    @ValueSource(strings = {KAFKAS, "", "\\u", "format=1\ncluster.id=x\nnode.id=1\n"})
    void opensBelowAndAboveAnyOtherFileOfThatName(String content) throws IOException {
        write(Path.of("/other/meta.properties"), content);
        write(Path.of("/other/new/child/meta.properties"), content);
        disk.createDirectories(Path.of("/other/new/odd/meta.properties"));
        opens(Path.of("/other/new"));
        opens(Path.of("/other/new"));
    }

    @Test
    void saysThatKafkasDirectoryIsNotItsOwn() throws IOException {
        write(NEW.resolve("meta.properties"), KAFKAS);
        assertThatThrownBy(() -> opens(NEW))
                .isInstanceOf(UserException.class)
                .hasMessageContaining("/new/meta.properties has no format: it is another program's");
    }

    @Test
    void looksAroundTheRealDirectory(@TempDir Path temporary) throws IOException {
        LocalFileSystem files = new LocalFileSystem();
        Path node = temporary.resolve("node");
        Path elsewhere = Files.createDirectories(temporary.resolve("elsewhere"));
        DataDirectory.open(files, node, null, 1).close();

        Path outward = Files.createSymbolicLink(node.resolve("outward"), elsewhere);
        DataDirectory.open(files, outward, null, 1).close();
        assertThat(elsewhere.resolve("meta.properties")).exists();

        Path inward = Files.createSymbolicLink(temporary.resolve("inward"), Files.createDirectories(node.resolve("x")));
        assertThatThrownBy(() -> DataDirectory.open(files, inward.resolve("new"), null, 1))
                .isInstanceOf(UserException.class)
                .hasMessageContaining("would lie inside data directory");
        assertThat(node.resolve("x")).isEmptyDirectory();
    }
}
