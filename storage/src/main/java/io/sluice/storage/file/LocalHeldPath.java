package io.sluice.storage.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Known by device and inode. A file system gives the number of an inode again once nobody has it open, so it is kept open.
 * Where there are no such numbers all that is told is whether there is something.
 */
final class LocalHeldPath implements HeldPath {
    private final Path path;
    private final @Nullable FileChannel open;
    private final @Nullable Object key;

    private LocalHeldPath(Path path, @Nullable FileChannel open, @Nullable Object key) {
        this.path = path;
        this.open = open;
        this.key = key;
    }

    static LocalHeldPath of(Path path) throws IOException {
        FileChannel open = open(path);
        boolean done = false;
        try {
            LocalHeldPath held = new LocalHeldPath(path, open, keyOf(path));
            done = true;
            return held;
        } finally {
            if (!done && open != null) {
                open.close();
            }
        }
    }

    /** Null for what this user may go through and not read, and where a system opens no directories. */
    private static @Nullable FileChannel open(Path path) throws IOException {
        try {
            return FileChannel.open(path, StandardOpenOption.READ);
        } catch (AccessDeniedException e) {
            return null;
        }
    }

    private static @Nullable Object keyOf(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    }

    @Override
    public Path path() {
        return path;
    }

    @Override
    public Target target() throws IOException {
        try {
            return Objects.equals(keyOf(path), key) ? Target.SAME : Target.ANOTHER;
        } catch (NoSuchFileException e) {
            return Target.NOTHING;
        }
    }

    @Override
    public void close() throws IOException {
        if (open != null) {
            open.close();
        }
    }
}
