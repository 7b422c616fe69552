package io.sluice.storage.file;

import io.sluice.storage.file.SimulatedFileSystem.Operation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;

/** A file of the simulation, written past its page cache. */
final class SimulatedDirectFile implements DirectFile {
    private final SimulatedFileSystem system;
    private final Path path;
    private final SimulatedFile.Inode inode;
    private final int alignment;
    private final int boot;
    private boolean closed;

    SimulatedDirectFile(SimulatedFileSystem system, Path path, SimulatedFile.Inode inode, int alignment) {
        this.system = system;
        this.path = path;
        this.inode = inode;
        this.alignment = alignment;
        this.boot = system.boot();
    }

    @Override
    public Path path() {
        return path;
    }

    @Override
    public Mechanism mechanism() {
        return Mechanism.DIRECT;
    }

    @Override
    public int alignment() {
        return alignment;
    }

    @Override
    public void writeDurably(ByteBuffer source, long position) throws IOException {
        synchronized (system) {
            if (closed || boot != system.boot()) {
                throw new ClosedChannelException();
            }
            requireAligned(source, position);
            boolean torn;
            byte[] bytes = new byte[source.remaining()];
            source.get(bytes);
            try {
                torn = system.before(Operation.DIRECT_WRITE, path);
            } catch (SimulatedFileSystem.InjectedFaultException e) {
                inode.writeDurably(bytes, position, true, system.random());
                throw e;
            }
            inode.writeDurably(bytes, position, torn, system.random());
            system.after(torn, path);
        }
    }

    private void requireAligned(ByteBuffer source, long position) throws IOException {
        boolean aligned = position % alignment == 0
                && source.remaining() % alignment == 0
                && source.isDirect()
                && source.alignmentOffset(source.position(), alignment) == 0;
        if (!aligned) {
            throw new IOException(path + ": a direct write that is not aligned to " + alignment + " bytes");
        }
        if (position + source.remaining() > inode.bytes()) {
            throw new IOException(path + ": a direct write beyond the preallocated " + inode.bytes() + " bytes");
        }
    }

    @Override
    public void close() {
        synchronized (system) {
            closed = true;
        }
    }
}
