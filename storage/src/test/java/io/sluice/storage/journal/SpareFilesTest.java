package io.sluice.storage.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.storage.file.DirectFile;
import io.sluice.storage.file.ForwardingFileSystem;
import io.sluice.storage.file.SimulatedFileSystem;
import io.sluice.storage.file.SimulatedFileSystem.Operation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Files that cannot be prepared leave nothing behind. */
class SpareFilesTest {
    private final SimulatedFileSystem disk = new SimulatedFileSystem(1);
    private final Counting files = new Counting(disk);
    private final SpareFiles spares =
            new SpareFiles(files, JournalWorld.DIRECTORY, JournalWorld.SMALL, Runnable::run, new Object(), 1);

    /** Counts the handles that are open. */
    private static final class Counting extends ForwardingFileSystem {
        private int open;

        Counting(SimulatedFileSystem files) {
            super(files);
        }

        @Override
        public DirectFile openDirect(Path file) throws IOException {
            DirectFile opened = super.openDirect(file);
            open++;
            return new DirectFile() {
                @Override
                public Path path() {
                    return opened.path();
                }

                @Override
                public Mechanism mechanism() {
                    return opened.mechanism();
                }

                @Override
                public int alignment() {
                    return opened.alignment();
                }

                @Override
                public void writeDurably(ByteBuffer source, long position) throws IOException {
                    opened.writeDurably(source, position);
                }

                @Override
                public void close() throws IOException {
                    open--;
                    opened.close();
                }
            };
        }
    }

    @BeforeEach
    void makeDirectory() throws IOException {
        disk.createDirectories(JournalWorld.DIRECTORY);
    }

    @Test
    void closesAndDeletesAFileWhoseHeaderCannotBeWritten() throws IOException {
        disk.failWith((operation, path) -> operation == Operation.DIRECT_WRITE, 0, 1);

        assertThatThrownBy(spares::createFirst).isInstanceOf(IOException.class);

        assertThat(files.open).isZero();
        assertThat(disk.list(JournalWorld.DIRECTORY)).isEmpty();
    }

    @Test
    void opensAFileLaterThatCannotBeOpenedWhenItIsTakenBack() throws IOException {
        JournalFile full = fullFile();
        disk.failWith((operation, path) -> operation == Operation.OPEN, 0, 1);

        spares.retire(full, 1);
        assertThat(spares.count()).isZero();
        assertThat(files.open).isZero();
        assertThat(disk.exists(full.path())).isTrue();

        spares.wantOne(0);
        assertThat(spares.count()).isEqualTo(1);
        assertThat(files.open).isEqualTo(1);
        assertThat(disk.list(JournalWorld.DIRECTORY))
                .containsExactly(full.path().getFileName().toString());
    }

    @Test
    void makesAnotherFileWhereOneThatWasTakenBackHasGone() throws IOException {
        JournalFile full = fullFile();
        disk.failWith((operation, path) -> operation == Operation.OPEN, 0, 1);
        spares.retire(full, 1);
        disk.delete(full.path());

        spares.wantOne(0);
        assertThat(spares.count()).isEqualTo(1);
        assertThat(disk.exists(full.path())).isFalse();
    }

    private JournalFile fullFile() throws IOException {
        JournalFile first = spares.createFirst();
        first.close();
        return JournalFile.kept(first.path(), JournalWorld.SMALL.fileBytes(), 1, 0);
    }
}
