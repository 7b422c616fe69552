package io.sluice.storage.file;

import io.sluice.storage.file.SimulatedFileSystem.Operation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A file of the simulation, through its page cache. */
final class SimulatedFile implements StorageFile {
    private final SimulatedFileSystem system;
    private final Path path;
    private final Inode inode;
    private final boolean writable;
    private final int boot;
    private boolean closed;

    SimulatedFile(SimulatedFileSystem system, Path path, Inode inode, boolean writable) {
        this.system = system;
        this.path = path;
        this.inode = inode;
        this.writable = writable;
        this.boot = system.boot();
    }

    @Override
    public Path path() {
        return path;
    }

    @Override
    public long size() throws IOException {
        synchronized (system) {
            requireOpen();
            return inode.size;
        }
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        synchronized (system) {
            requireOpen();
            system.before(Operation.READ, path);
            int count = (int) Math.max(0, Math.min(target.remaining(), inode.size - position));
            if (count > 0) {
                target.put(inode.current, (int) position, count);
            }
            return count;
        }
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
        synchronized (system) {
            requireWritable();
            boolean last = system.before(Operation.WRITE, path);
            byte[] bytes = new byte[last ? system.random().nextInt(source.remaining() + 1) : source.remaining()];
            source.get(bytes);
            writeWhatFits(bytes, position);
            inode.onModified(system.wallClockMillis());
            system.after(last, path);
        }
    }

    private void writeWhatFits(byte[] bytes, long position) throws IOException {
        long growth = position + bytes.length - inode.size;
        long room = system.room(growth);
        if (room < growth) {
            int fits = (int) Math.max(0, bytes.length - (growth - room));
            inode.write(Arrays.copyOf(bytes, fits), position);
            throw new OutOfSpaceException(path, null);
        }
        inode.write(bytes, position);
    }

    @Override
    public void preallocate(long position, long length) throws IOException {
        synchronized (system) {
            requireWritable();
            boolean last = system.before(Operation.PREALLOCATE, path);
            writeWhatFits(new byte[last ? system.random().nextInt((int) length + 1) : (int) length], position);
            system.after(last, path);
        }
    }

    @Override
    public void force(boolean metadata) throws IOException {
        synchronized (system) {
            requireOpen();
            boolean last;
            try {
                last = system.before(Operation.FORCE, path);
            } catch (SimulatedFileSystem.InjectedFaultException e) {
                inode.forceBadly(system.random());
                throw e;
            }
            if (last) {
                inode.forceBadly(system.random());
            } else {
                inode.force();
            }
            system.after(last, path);
        }
    }

    @Override
    public void truncate(long size) throws IOException {
        synchronized (system) {
            requireWritable();
            boolean last = system.before(Operation.TRUNCATE, path);
            inode.truncate(size);
            system.after(last, path);
        }
    }

    @Override
    public @Nullable FileChannel channel() {
        return null;
    }

    @Override
    public void close() {
        synchronized (system) {
            closed = true;
        }
    }

    private void requireOpen() throws IOException {
        if (closed || boot != system.boot()) {
            throw new ClosedChannelException();
        }
    }

    private void requireWritable() throws IOException {
        requireOpen();
        if (!writable) {
            throw new IOException(path + " is open for reading only");
        }
    }

    /** The bytes behind a name: as the page cache shows them and as the device holds them. */
    static final class Inode extends SimulatedFileSystem.Entry {
        private static final int SECTOR = SimulatedFileSystem.SECTOR_BYTES;

        private byte[] current = new byte[0];
        private byte[] durable = new byte[0];
        private long size;
        private long durableSize;
        private final BitSet dirtySectors = new BitSet();
        private boolean sizeDirty;
        private long modifiedMillis;

        long lastModifiedMillis() {
            return modifiedMillis;
        }

        void onModified(long nowMillis) {
            modifiedMillis = nowMillis;
        }

        void write(byte[] bytes, long position) {
            if (bytes.length == 0) {
                return;
            }
            int end = (int) position + bytes.length;
            if (end > current.length) {
                current = Arrays.copyOf(current, Math.max(end, current.length * 2));
            }
            System.arraycopy(bytes, 0, current, (int) position, bytes.length);
            dirtySectors.set(sectorOf(Math.min(position, size)), sectorOf(end - 1) + 1);
            if (end > size) {
                size = end;
                sizeDirty = true;
            }
        }

        /** Writes past the page cache; what is lost when the process or the power goes in the middle is arbitrary. */
        void writeDurably(byte[] bytes, long position, boolean torn, Random random) {
            for (int at = 0; at < bytes.length; at += SECTOR) {
                if (!torn || random.nextBoolean()) {
                    int sector = sectorOf(position + at);
                    write(Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + SECTOR)), position + at);
                    persistSector(sector);
                    dirtySectors.clear(sector);
                }
            }
            if (!torn) {
                durableSize = Math.max(durableSize, position + bytes.length);
            }
        }

        void force() {
            dirtySectors.stream().forEach(this::persistSector);
            dirtySectors.clear();
            setDurableSize(size);
            sizeDirty = false;
        }

        /** Some of it gets there; all of it looks clean. */
        void forceBadly(Random random) {
            loseOrKeep(random);
            dirtySectors.clear();
        }

        void truncate(long newSize) {
            if (newSize >= size) {
                return;
            }
            Arrays.fill(current, (int) newSize, (int) size, (byte) 0);
            dirtySectors.clear(sectorOf(newSize), sectorOf(size - 1) + 1);
            if (newSize % SECTOR != 0) {
                dirtySectors.set(sectorOf(newSize));
            }
            size = newSize;
            sizeDirty = true;
        }

        void flip(long position) {
            current[(int) position] ^= 0x40;
            if (position < durable.length) {
                durable[(int) position] ^= 0x40;
            }
        }

        @Override
        void losePower(Random random) {
            loseOrKeep(random);
            dirtySectors.clear();
            sizeDirty = false;
            size = durableSize;
            current = Arrays.copyOf(durable, (int) size);
            durable = current.clone();
        }

        @Override
        long bytes() {
            return size;
        }

        private void loseOrKeep(Random random) {
            int survivors = random.nextInt(3); // none, all, or each by chance
            dirtySectors.stream().forEach(sector -> {
                if (survivors == 1 || (survivors == 2 && random.nextBoolean())) {
                    persistSector(sector);
                }
            });
            if (sizeDirty) {
                long spread = Math.abs(size - durableSize);
                long part = survivors == 0 ? 0 : survivors == 1 ? spread : random.nextInt((int) spread + 1);
                setDurableSize(size > durableSize ? durableSize + part : durableSize - part);
                sizeDirty = false;
            }
        }

        /** Blocks that a cut frees do not come back when the file grows again. */
        private void setDurableSize(long newSize) {
            if (newSize < durableSize) {
                Arrays.fill(durable, (int) newSize, (int) Math.min(durable.length, durableSize), (byte) 0);
            }
            durableSize = newSize;
            durable = Arrays.copyOf(durable, Math.max(durable.length, (int) durableSize));
        }

        private void persistSector(int sector) {
            int from = sector * SECTOR;
            int to = from + SECTOR;
            if (to > durable.length) {
                durable = Arrays.copyOf(durable, Math.max(to, durable.length * 2));
            }
            int available = Math.max(0, Math.min(to, current.length) - from);
            if (available > 0) {
                System.arraycopy(current, from, durable, from, available);
            }
            Arrays.fill(durable, from + available, to, (byte) 0);
        }

        private static int sectorOf(long position) {
            return (int) (position / SECTOR);
        }
    }
}
