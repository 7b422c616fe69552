package io.sluice.storage.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** A file of the operating system, through the page cache. */
final class LocalFile implements StorageFile {
    private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(64 << 10).asReadOnlyBuffer();

    private final Path path;
    private final FileChannel channel;

    LocalFile(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    @Override
    public Path path() {
        return path;
    }

    @Override
    public long size() throws IOException {
        return channel.size();
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        int total = 0;
        while (target.hasRemaining()) {
            int count = channel.read(target, position + total);
            if (count < 0) {
                break;
            }
            total += count;
        }
        return total;
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
        try {
            long at = position;
            while (source.hasRemaining()) {
                at += channel.write(source, at);
            }
        } catch (IOException e) {
            throw translatedWrite(e, position, source);
        }
    }

    /** Whatever fails in finding out more, the write's own failure is what is told. */
    private IOException translatedWrite(IOException e, long position, ByteBuffer source) {
        long usable = Long.MAX_VALUE;
        try {
            if (position + source.limit() > channel.size()) {
                usable = Files.getFileStore(path).getUsableSpace();
            }
        } catch (IOException unknown) {
            e.addSuppressed(unknown);
        }
        return translated(path, e, source.remaining(), usable);
    }

    @Override
    public void preallocate(long position, long length) throws IOException {
        ByteBuffer zeros = ZEROS.duplicate();
        long end = position + length;
        for (long at = position; at < end; at += zeros.capacity()) {
            zeros.clear().limit((int) Math.min(zeros.capacity(), end - at));
            write(zeros, at);
        }
    }

    @Override
    public void force(boolean metadata) throws IOException {
        try {
            channel.force(metadata);
        } catch (IOException e) {
            throw translated(path, e);
        }
    }

    @Override
    public void truncate(long size) throws IOException {
        channel.truncate(size);
    }

    @Override
    public FileChannel channel() {
        return channel;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    /**
     * As {@link #translated(Path, IOException)} for a write that makes the file grow: the system's words for a full device
     * depend on its language, so less room than was to be written counts as well.
     */
    static IOException translated(Path file, IOException e, long wantedBytes, long usableBytes) {
        return usableBytes < wantedBytes ? new OutOfSpaceException(file, e) : translated(file, e);
    }

    /** The same failure with its file's name, and with a type of its own when the device is full. */
    static IOException translated(Path file, IOException e) {
        String message = e.getMessage() == null ? "" : e.getMessage();
        String lower = message.toLowerCase(Locale.ROOT);
        if (lower.contains("no space left") || lower.contains("quota exceeded") || lower.contains("not enough space")) {
            return new OutOfSpaceException(file, e);
        }
        if (e instanceof java.nio.file.FileSystemException || e instanceof OutOfSpaceException) {
            return e;
        }
        return new IOException(file + ": " + (message.isEmpty() ? e.toString() : message), e);
    }
}
