package io.sluice.storage.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalFileSystemTest extends FileSystemContract {
    @TempDir
    Path directory;

    private final FileSystem files = new LocalFileSystem();

    @Override
    FileSystem files() {
        return files;
    }

    @Override
    Path directory() {
        return directory;
    }

    /** A backup made of hard links keeps what it has. */
    @Test
    void holdsNoFileThatAnotherNameLeadsTo() throws IOException {
        Path file = Files.writeString(directory.resolve("a"), "abc");
        Path backup = Files.createLink(directory.resolve("backup"), file);
        Path link = Files.createSymbolicLink(directory.resolve("link"), backup);

        assertThat(files().deleteHolding(file)).isNull();
        assertThat(files().deleteHolding(link)).isNull();

        assertThat(file).doesNotExist();
        assertThat(Files.isSymbolicLink(link)).isFalse();
        assertThat(backup).hasContent("abc");
    }

    @Test
    void fallsBackToFlushingWhereDirectWritesAreOff() throws IOException {
        Path name = directory.resolve("direct");
        files.create(name).close();
        try (DirectFile file = new LocalFileSystem(false).openDirect(name)) {
            assertThat(file.mechanism()).isEqualTo(DirectFile.Mechanism.DATA_SYNC);
        }
    }

    @Test
    void tellsADirectoryThatCannotBeOpenedFromOneThatCannotBeForced() {
        Path name = directory.resolve("x".repeat(300)); // longer than names may be

        assertThatThrownBy(() -> files.forceDirectory(name))
                .isInstanceOf(CannotOpenException.class)
                .hasMessageStartingWith(name + ": ");
    }

    @Test
    void handsOutItsChannelForSending() throws IOException {
        try (StorageFile file = files.create(directory.resolve("a"))) {
            assertThat(file.channel()).isNotNull();
        }
    }

    /** The file of this name is not the open one, so that what is asked to tell the failure fails, too. */
    @Test
    void tellsAWritesOwnFailureWhateverFailsInFindingOutMore() throws IOException {
        Path gone = directory.resolve("gone");
        try (LocalFile file = new LocalFile(gone, FileChannel.open(Path.of("/dev/full"), StandardOpenOption.WRITE))) {
            assertThatThrownBy(() -> file.write(ByteBuffer.wrap(new byte[1]), 0))
                    .isInstanceOf(OutOfSpaceException.class)
                    .hasMessageContaining(gone.toString());
        }
    }

    @Test
    void saysThatThereAreTooManyOpenFilesAndWhatToDo() {
        Path file = directory.resolve("a");
        IOException refused = new FileSystemException(file.toString(), null, "Too many open files");

        assertThat(new CannotOpenException(file, refused, 300))
                .matches(CannotOpenException::lacksDescriptor)
                .hasMessage(
                        file + ": too many open files: this process may have no more than 300. Raise the limit (ulimit"
                                + " -Hn, or LimitNOFILE in a systemd unit), or let fewer connect (max.connections)");
        assertThat(new CannotOpenException(file, new AccessDeniedException(file.toString()), 300))
                .matches(other -> !other.lacksDescriptor())
                .hasMessage(file + ": permission denied");
    }

    @Test
    void knowsAFullDeviceInEveryLanguage() {
        Path file = directory.resolve("a");
        IOException german = new IOException("Auf dem Gerät ist kein Speicherplatz mehr verfügbar");

        assertThat(LocalFile.translated(file, german, 4096, 0)).isInstanceOf(OutOfSpaceException.class);
        assertThat(LocalFile.translated(file, german, 4096, 1 << 20)).isNotInstanceOf(OutOfSpaceException.class);
        assertThat(LocalFile.translated(file, new IOException("No space left on device"), 4096, 1 << 20))
                .isInstanceOf(OutOfSpaceException.class);
    }
}
