package io.sluice.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Iterator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A directory that is held, by whom its lock file and a made-up /proc say. */
class DirectoryUseTest {
    private static final long NODE = 4711;

    @TempDir
    private Path root;

    private Path data;
    private Path lock;

    @BeforeEach
    void makeADirectory() throws Exception {
        data = Files.createDirectory(root.resolve("data"));
        lock = Files.writeString(data.resolve(".lock"), NODE + "\n");
    }

    private DirectoryUse held() throws IOException {
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.READ, StandardOpenOption.WRITE);
                var held = channel.lock()) {
            assertThat(held.isValid()).isTrue();
            return DirectoryUse.of(new SystemFiles(root), data);
        }
    }

    private Path process() throws IOException {
        Files.createDirectories(root.resolve("proc/self"));
        return Files.createDirectories(root.resolve("proc/" + NODE));
    }

    private void opens(Path file) throws IOException {
        Files.createSymbolicLink(
                Files.createDirectories(process().resolve("fd")).resolve("7"), file);
    }

    @Test
    void findsNobody() {
        assertThat(DirectoryUse.of(new SystemFiles(root), data)).isEqualTo(DirectoryUse.NONE);
        assertThat(DirectoryUse.of(new SystemFiles(root), root.resolve("none"))).isEqualTo(DirectoryUse.NONE);
    }

    @Test
    void takesTheLockFilesWordWhereNothingIsKnownOfProcesses() throws Exception {
        assertThat(held().pid()).hasValue(NODE);
    }

    @Test
    void findsTheProcessThatHasTheLockFileOpen() throws Exception {
        opens(lock);

        assertThat(held().pid()).hasValue(NODE);
    }

    @Test
    void seesThatADirectoryIsHeldWhoseLockFileWasRemoved() throws Exception {
        Path meta = Files.writeString(data.resolve("meta.properties"), "format=1\n");
        Files.delete(lock);
        assertThat(DirectoryUse.of(new SystemFiles(root), data)).isEqualTo(DirectoryUse.NONE);
        try (FileChannel channel = FileChannel.open(meta, StandardOpenOption.READ, StandardOpenOption.WRITE);
                var held = channel.lock()) {
            assertThat(held.isValid()).isTrue();
            assertThat(DirectoryUse.of(new SystemFiles(root), data).inUse()).isTrue();
            Files.writeString(lock, "1\n"); // left by a start that was refused

            assertThat(DirectoryUse.of(new SystemFiles(root), data).inUse()).isTrue();
            assertThat(DirectoryUse.of(new SystemFiles(root), data).pid()).isEmpty();
        }
    }

    @Test
    void doesNotTakeAStrangerForANodeInAContainer() throws Exception {
        Path other = Files.createDirectory(root.resolve("other"));
        opens(Files.writeString(other.resolve(".lock"), NODE + "\n"));

        assertThat(held().inUse()).isTrue();
        assertThat(held().pid()).isEmpty();
    }

    @Test
    void knowsAnotherUsersNodeByWhatRuns() throws Exception {
        Files.writeString(process().resolve("cmdline"), "java\0-cp\0lib/*\0io.sluice.server.Main\0start\0");

        assertThat(held().pid()).hasValue(NODE);
    }

    @Test
    void doesNotTakeAnotherUsersProcessForTheNode() throws Exception {
        Files.writeString(process().resolve("cmdline"), "/usr/bin/sshd\0-D\0");

        assertThat(held().inUse()).isTrue();
        assertThat(held().pid()).isEmpty();
    }

    @Test
    void hearsThatAProcessEndedWhileItWasLookedAt() {
        assertThatThrownBy(() -> SystemFiles.all(new EndingProcess()))
                .isInstanceOf(IOException.class)
                .hasMessage("No such process");
    }

    /** What it has open cannot be listed to the end. */
    private static final class EndingProcess implements DirectoryStream<Path> {
        @Override
        public Iterator<Path> iterator() {
            return new Iterator<>() {
                @Override
                public boolean hasNext() {
                    throw new DirectoryIteratorException(new IOException("No such process"));
                }

                @Override
                public Path next() {
                    throw new DirectoryIteratorException(new IOException("No such process"));
                }
            };
        }

        @Override
        public void close() {}
    }
}
