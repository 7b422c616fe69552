package io.sluice.storage.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** A preallocated file of the operating system, opened for durable writes. */
final class LocalDirectFile implements DirectFile {
    private final Path path;
    private final FileChannel channel;
    private final int alignment;
    private final Mechanism mechanism;

    LocalDirectFile(Path path, FileChannel channel, int alignment, Mechanism mechanism) {
        this.path = path;
        this.channel = channel;
        this.alignment = alignment;
        this.mechanism = mechanism;
    }

    @Override
    public Path path() {
        return path;
    }

    @Override
    public Mechanism mechanism() {
        return mechanism;
    }

    @Override
    public int alignment() {
        return alignment;
    }

    @Override
    public void writeDurably(ByteBuffer source, long position) throws IOException {
        try {
            long at = position;
            while (source.hasRemaining()) {
                at += channel.write(source, at);
            }
            if (mechanism == Mechanism.DATA_SYNC) {
                channel.force(false);
            }
        } catch (IOException e) {
            throw LocalFile.translated(path, e);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
