package io.sluice.storage.file;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * An open file. All positions are absolute: there is no cursor, so readers and the one writer do not disturb each other.
 * See {@link FileSystem} for durability, errors and threads.
 */
public interface StorageFile extends Closeable {
    /** The name under which it was opened; a later rename does not change it. */
    Path path();

    /** Bytes in it. */
    long size() throws IOException;

    /**
     * Reads until the target is full or the file ends.
     *
     * @return bytes read, 0 at or beyond the end
     */
    int read(ByteBuffer target, long position) throws IOException;

    /**
     * Writes everything that remains in the source, into the page cache; the source's position moves to its limit. After
     * an {@link OutOfSpaceException} a part may have been written: cut it with {@link #truncate}.
     */
    void write(ByteBuffer source, long position) throws IOException;

    /**
     * Fills a range with zeros, so that its blocks are allocated and written (never sparse). The range becomes durable
     * with the next {@link #force} that includes metadata.
     */
    void preallocate(long position, long length) throws IOException;

    /**
     * Makes what was written durable.
     *
     * @param metadata also the file's times; its size is always included
     */
    void force(boolean metadata) throws IOException;

    /** Cuts the file to this size; does nothing to a shorter file. Durable after the next force. */
    void truncate(long size) throws IOException;

    /** For sending without a copy; null where the file system has no descriptors to send from. Owned by this file. */
    @Nullable FileChannel channel();

    /** Closes; does not force. Closing twice does nothing. */
    @Override
    void close() throws IOException;
}
