package io.sluice.storage.file;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A file or directory that a path led to when it was taken hold of. It is known by what it is and not by its name, and as long
 * as it is held no other can be taken for it, as one that is made after it was deleted might be. Safe on every thread.
 */
public interface HeldPath extends Closeable {
    /** Where it was. */
    Path path();

    /**
     * What the path leads to now, links followed.
     *
     * @throws IOException where that cannot be told
     */
    Target target() throws IOException;

    /** Lets go of it. */
    @Override
    void close() throws IOException;

    /** What a path leads to. */
    enum Target {
        /** What it led to when it was taken hold of. */
        SAME,
        /** Another file or directory: it was replaced, or something is mounted over it. */
        ANOTHER,
        /** Nothing: it was removed or renamed. */
        NOTHING
    }
}
