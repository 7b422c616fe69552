package io.sluice.storage.file;

import io.sluice.storage.file.SimulatedFileSystem.Operation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A file of the simulation, written past its page cache; where that is refused, through it and then forced, and a force that
 * fails leaves what {@link SimulatedFile#force} does.
 */
final class SimulatedDirectFile implements DirectFile {
    private final SimulatedFileSystem system;
    private final Path path;
    private final SimulatedFile.Inode inode;
    private final int alignment;
    private final Mechanism mechanism;
    private final int boot;
    private boolean closed;

    SimulatedDirectFile(
            SimulatedFileSystem system, Path path, SimulatedFile.Inode inode, int alignment, Mechanism mechanism) {
        this.mechanism = mechanism;
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
        return mechanism;
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
                write(bytes, position, true);
                throw e;
            }
            write(bytes, position, torn);
            system.after(torn, path);
        }
    }

    private void write(byte[] bytes, long position, boolean torn) {
        if (mechanism == Mechanism.DIRECT) {
            inode.writeDurably(bytes, position, torn, system.random());
        } else if (!torn) {
            inode.write(bytes, position);
            inode.force();
        } else if (system.random().nextBoolean()) { // ended by the write, not by the force
            inode.write(Arrays.copyOf(bytes, system.random().nextInt(bytes.length + 1)), position);
        } else {
            inode.write(bytes, position);
            inode.forceBadly(system.random());
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
