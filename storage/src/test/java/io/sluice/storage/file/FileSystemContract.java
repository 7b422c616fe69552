package io.sluice.storage.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What every file system does. */
abstract class FileSystemContract {
    abstract FileSystem files();

    /** An existing, empty directory. */
    abstract Path directory();

    @Test
    void readsBackWhatWasWrittenAndStopsAtTheEnd() throws IOException {
        try (StorageFile file = files().create(directory().resolve("a"))) {
            file.write(bytes("hello world"), 0);
            file.write(bytes("W"), 6);
            file.force(false);
        }
        try (StorageFile file = files().open(directory().resolve("a"), FileSystem.Access.READ)) {
            assertThat(file.size()).isEqualTo(11);
            ByteBuffer target = ByteBuffer.allocate(100);
            assertThat(file.read(target, 6)).isEqualTo(5);
            assertThat(text(target)).isEqualTo("World");
            assertThat(file.read(ByteBuffer.allocate(1), 11)).isZero();
        }
    }

    @Test
    void cutsAndPreallocates() throws IOException {
        try (StorageFile file = files().create(directory().resolve("a"))) {
            file.write(bytes("abcdef"), 0);
            file.truncate(2);
            file.truncate(4);
            assertThat(file.size()).isEqualTo(2);
            file.preallocate(2, 100_000);
            assertThat(file.size()).isEqualTo(100_002);
            ByteBuffer target = ByteBuffer.allocate(4);
            file.read(target, 0);
            assertThat(target.array()).containsExactly('a', 'b', 0, 0);
        }
    }

    @Test
    void deletesANameAndKeepsTheFileOpen() throws IOException {
        Path file = directory().resolve("a");
        try (StorageFile written = files().create(file)) {
            written.write(bytes("abcdef"), 0);
        }
        try (StorageFile held = files().deleteHolding(file)) {
            assertThat(files().exists(file)).isFalse();
            assertThat(held).isNotNull();
            assertThat(held.size()).isEqualTo(6);
            held.truncate(1);
            assertThat(held.size()).isEqualTo(1);
        }
        assertThat(files().deleteHolding(file)).isNull();
    }

    @Test
    void refusesToCreateOverAndToOpenNothing() throws IOException {
        Path file = directory().resolve("a");
        assertThatThrownBy(() -> files().open(file, FileSystem.Access.READ)).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> files().openDirect(file)).isInstanceOf(NoSuchFileException.class);
        files().create(file).close();
        assertThatThrownBy(() -> files().create(file)).isInstanceOf(FileAlreadyExistsException.class);
    }

    @Test
    void listsRenamesAndDeletes() throws IOException {
        files().createDirectories(directory().resolve("x/y"));
        files().create(directory().resolve("b")).close();
        files().create(directory().resolve("a")).close();
        assertThat(files().list(directory())).containsExactly("a", "b", "x");
        files().rename(directory().resolve("a"), directory().resolve("b"));
        assertThat(files().list(directory())).containsExactly("b", "x");
        files().rename(directory().resolve("x"), directory().resolve("z"));
        assertThat(files().isDirectory(directory().resolve("z/y"))).isTrue();
        files().forceDirectory(directory());
        assertThatThrownBy(() -> files().forceDirectory(directory().resolve("none")))
                .isInstanceOf(NoSuchFileException.class);
        files().deleteTree(directory().resolve("z"));
        files().delete(directory().resolve("b"));
        files().delete(directory().resolve("b"));
        assertThat(files().exists(directory().resolve("b"))).isFalse();
        assertThat(files().list(directory())).isEmpty();
    }

    @Test
    void writesWholeBlocksDurably() throws IOException {
        Path name = directory().resolve("direct");
        int block = files().blockSize(directory());
        try (StorageFile file = files().create(name)) {
            file.preallocate(0, 4L * block);
            file.force(true);
        }
        try (DirectFile file = files().openDirect(name)) {
            assertThat(file.alignment()).isEqualTo(block);
            ByteBuffer source = ByteBuffer.allocateDirect(3 * block).alignedSlice(block);
            source.put(0, (byte) 7).put(block, (byte) 8).limit(2 * block);
            file.writeDurably(source, block);
            assertThat(source.hasRemaining()).isFalse();
        }
        try (StorageFile file = files().open(name, FileSystem.Access.READ)) {
            ByteBuffer target = ByteBuffer.allocate(4 * block);
            assertThat(file.read(target, 0)).isEqualTo(4 * block);
            assertThat(target.get(block)).isEqualTo((byte) 7);
            assertThat(target.get(2 * block)).isEqualTo((byte) 8);
            assertThat(target.get(0)).isZero();
        }
    }

    @Test
    void namesTheHolderOfALock() throws IOException {
        Path name = directory().resolve("lock");
        DirectoryLock held = files().lock(name);
        assertThatThrownBy(() -> files().lock(name))
                .isInstanceOf(LockHeldException.class)
                .hasMessageContaining("process " + ProcessHandle.current().pid());
        held.close();
        files().lock(name).close();
    }

    @Test
    void locksAFileForWhichAnotherOfItsNameIsNoSubstitute() throws IOException {
        Path disposable = directory().resolve("lock");
        Path kept = directory().resolve("kept");
        assertThatThrownBy(() -> files().lockExisting(kept)).isInstanceOf(NoSuchFileException.class);
        try (StorageFile file = files().create(kept)) {
            file.write(bytes("kept"), 0);
        }
        DirectoryLock first = files().lock(disposable);
        DirectoryLock second = files().lockExisting(kept);

        files().delete(disposable);
        files().lock(disposable).close();

        assertThatThrownBy(() -> files().lockExisting(kept)).isInstanceOf(LockHeldException.class);
        first.close();
        second.close();
        files().lockExisting(kept).close();
        assertThat(files().sizeOf(kept)).isEqualTo(4);
    }

    @Test
    void makesOneDirectoryAndNoneAboveIt() throws IOException {
        files().createDirectory(directory().resolve("x"));
        files().createDirectory(directory().resolve("x"));
        assertThat(files().isDirectory(directory().resolve("x"))).isTrue();
        assertThatThrownBy(() -> files().createDirectory(directory().resolve("none/y")))
                .isInstanceOf(NoSuchFileException.class);
        files().create(directory().resolve("file")).close();
        assertThatThrownBy(() -> files().createDirectory(directory().resolve("file")))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThat(files().list(directory())).containsExactly("file", "x");
    }

    @Test
    void knowsWhetherAPathStillLeadsToTheSame() throws IOException {
        Path path = directory().resolve("x");
        assertThatThrownBy(() -> files().hold(path)).isInstanceOf(NoSuchFileException.class);
        files().createDirectory(path);
        try (HeldPath held = files().hold(path)) {
            assertThat(held.target()).isEqualTo(HeldPath.Target.SAME);
            files().create(path.resolve("in it")).close();
            assertThat(held.target()).isEqualTo(HeldPath.Target.SAME);
            files().rename(path, directory().resolve("y"));
            assertThat(held.target()).isEqualTo(HeldPath.Target.NOTHING);
            files().createDirectory(path);
            assertThat(held.target()).isEqualTo(HeldPath.Target.ANOTHER);
            files().delete(path);
            files().rename(directory().resolve("y"), path);
            assertThat(held.target()).isEqualTo(HeldPath.Target.SAME);
        }
    }

    @Test
    void takesNoneThatIsMadeAfterItForWhatItHolds() throws IOException {
        Path file = directory().resolve("file");
        Path made = directory().resolve("made");
        files().create(file).close();
        files().createDirectory(made);
        try (HeldPath heldFile = files().hold(file);
                HeldPath heldDirectory = files().hold(made)) {
            files().delete(file);
            files().delete(made);
            files().createDirectory(made);
            files().create(file).close();

            assertThat(heldFile.target()).isEqualTo(HeldPath.Target.ANOTHER);
            assertThat(heldDirectory.target()).isEqualTo(HeldPath.Target.ANOTHER);
        }
    }

    static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
    }

    static String text(ByteBuffer target) {
        byte[] read = new byte[target.position()];
        target.flip().get(read);
        return new String(read, StandardCharsets.US_ASCII);
    }

    @Test
    void tellsWhenAFileWasLastWrittenTo() throws IOException {
        Path name = directory().resolve("times");
        try (StorageFile file = files().create(name)) {
            file.write(ByteBuffer.wrap(new byte[] {1}), 0);
            long before = files().lastModifiedMillis(name);
            file.write(ByteBuffer.wrap(new byte[] {2}), 1);

            assertThat(files().lastModifiedMillis(name)).isGreaterThanOrEqualTo(before);
        }
    }
}
