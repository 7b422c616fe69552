package io.sluice.storage.file;

import io.sluice.storage.file.DirectFile.Mechanism;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A file system in memory that forgets what a real one may forget. Same seed and same calls, same outcome.
 *
 * <p>Each file has what the page cache shows and what the device holds. A {@linkplain #powerCut power cut} keeps, of what
 * was not forced, an arbitrary subset, sector by sector for data and name by name for directories; sizes not forced end
 * anywhere in between. A {@linkplain #kill kill} keeps the page cache. Both may be set to happen {@linkplain
 * #crashAfter in the middle of} a later operation: from then on every call fails, as it would for a process that is
 * gone, until the world is restarted with one of the two.
 *
 * <p>A failed force leaves, as on Linux, pages that look clean and never reach the device.
 *
 * <p>Safe on every thread.
 */
public final class SimulatedFileSystem implements FileSystem {
    /** Data is torn at multiples of this many bytes. */
    public static final int SECTOR_BYTES = 512;

    private static final int BLOCK_BYTES = 4096;
    private static final Set<Operation> NEED_DESCRIPTORS =
            EnumSet.of(Operation.OPEN, Operation.CREATE, Operation.FORCE_DIRECTORY);

    private final Random random;
    private final Set<Object> locks = Collections.newSetFromMap(new IdentityHashMap<>());
    private final List<InjectedFault> faults = new ArrayList<>();
    private Directory root = new Directory();
    private long capacityBytes = Long.MAX_VALUE;
    private long operations;
    private long crashAt = Long.MAX_VALUE;
    private @Nullable InjectedFault crashOn;
    private boolean crashed;
    private boolean directWritesRefused;
    private @Nullable Path crashedAt;
    private LongSupplier wallClock = () -> 0;
    private int boot;

    /** An empty file system. */
    public SimulatedFileSystem(long seed) {
        this.random =
                new Random(new SplittableRandom(seed).nextLong()); // neighbouring seeds differ from the first draw on
    }

    /** Operations that can fail. */
    public enum Operation {
        OPEN,
        CREATE,
        READ,
        WRITE,
        DIRECT_WRITE,
        PREALLOCATE,
        FORCE,
        TRUNCATE,
        LIST,
        CREATE_DIRECTORY,
        RENAME,
        DELETE,
        FORCE_DIRECTORY
    }

    // ---- what the test does to the world ----

    /** Gives it a wall clock, by which files have the times of their last write. */
    public synchronized void setClock(LongSupplier newWallClock) {
        wallClock = newWallClock;
    }

    /** From now on files are not {@linkplain #openDirect opened} past the page cache, as by some file systems. */
    public synchronized void refuseDirectWrites() {
        directWritesRefused = true;
    }

    /** Limits the bytes that all files together may hold. */
    public synchronized void limitCapacity(long bytes) {
        capacityBytes = bytes;
    }

    /** Bytes that all files hold now. */
    public synchronized long usedBytes() {
        return root.bytes();
    }

    /**
     * Lets operations fail with an input/output error.
     *
     * @param skip how many that match succeed first
     * @param times how many then fail
     */
    public synchronized void failWith(BiPredicate<Operation, Path> matches, int skip, int times) {
        faults.add(new InjectedFault(matches, false, skip, times));
    }

    /**
     * Lets files and directories not be opened or made, for want of a descriptor.
     *
     * @param skip how many that match are opened first
     * @param times how many then are not
     */
    public synchronized void withholdDescriptors(BiPredicate<Operation, Path> matches, int skip, int times) {
        faults.add(new InjectedFault(
                (operation, path) -> NEED_DESCRIPTORS.contains(operation) && matches.test(operation, path),
                true,
                skip,
                times));
    }

    /**
     * Lets directories not be opened where they are to be forced, for want of handles.
     *
     * @param skip how many are opened first
     * @param times how many then are not
     */
    public synchronized void refuseDirectories(int skip, int times) {
        withholdDescriptors((operation, path) -> operation == Operation.FORCE_DIRECTORY, skip, times);
    }

    /** Takes back all faults that were set and did not happen yet. */
    public synchronized void clearFaults() {
        faults.clear();
    }

    /** The process ends in the middle of the n-th operation from now (1 is the next). */
    public synchronized void crashAfter(long n) {
        crashAt = operations + n;
    }

    /**
     * The process ends in the middle of a later operation that matches.
     *
     * @param skip how many that match end well first
     */
    public synchronized void crashWhen(BiPredicate<Operation, Path> matches, int skip) {
        crashOn = new InjectedFault(matches, false, skip, 1);
    }

    /** Whether the process has ended, by {@link #crashAfter} or {@link #crashWhen}. */
    public synchronized boolean crashed() {
        return crashed;
    }

    /** On what the process was at work when it ended, or null where it did not end by itself. */
    public synchronized @Nullable Path crashedAt() {
        return crashedAt;
    }

    /** How many operations there have been. */
    public synchronized long operations() {
        return operations;
    }

    /** Ends the process and starts another: open files and locks are gone, the page cache is not. */
    public synchronized void kill() {
        boot++;
        locks.clear();
        faults.clear();
        crashed = false;
        crashAt = Long.MAX_VALUE;
        crashOn = null;
        crashedAt = null;
    }

    /** Cuts the power and starts again: of what was not forced, an arbitrary part is lost. */
    public synchronized void powerCut() {
        root.losePower(random);
        kill();
    }

    /** Changes one byte of a file, in cache and on the device, as a failing disk might. */
    public synchronized void flipByte(Path file, long position) throws IOException {
        SimulatedFile.Inode inode = requireFile(file);
        inode.flip(position);
    }

    // ---- FileSystem ----

    @Override
    public synchronized StorageFile open(Path file, Access access) throws IOException {
        before(Operation.OPEN, file);
        return new SimulatedFile(this, file, requireFile(file), access == Access.READ_WRITE);
    }

    @Override
    public synchronized StorageFile create(Path file) throws IOException {
        boolean last = before(Operation.CREATE, file);
        Directory parent = requireDirectory(parentOf(file));
        if (parent.current.containsKey(nameOf(file))) {
            throw new FileAlreadyExistsException(file.toString());
        }
        SimulatedFile.Inode inode = new SimulatedFile.Inode();
        parent.put(nameOf(file), inode);
        after(last, file);
        return new SimulatedFile(this, file, inode, true);
    }

    @Override
    public synchronized DirectFile openDirect(Path file) throws IOException {
        before(Operation.OPEN, file);
        return new SimulatedDirectFile(
                this,
                file,
                requireFile(file),
                BLOCK_BYTES,
                directWritesRefused ? Mechanism.DATA_SYNC : Mechanism.DIRECT);
    }

    @Override
    public synchronized boolean exists(Path path) throws IOException {
        before(Operation.LIST, path);
        return find(path) != null;
    }

    @Override
    public synchronized boolean isDirectory(Path path) throws IOException {
        before(Operation.LIST, path);
        return find(path) instanceof Directory;
    }

    @Override
    public synchronized long sizeOf(Path file) throws IOException {
        before(Operation.LIST, file);
        return find(file) == null ? -1 : requireFile(file).bytes();
    }

    @Override
    public synchronized List<String> list(Path directory) throws IOException {
        before(Operation.LIST, directory);
        return List.copyOf(requireDirectory(directory).current.keySet());
    }

    @Override
    public synchronized void createDirectories(Path directory) throws IOException {
        boolean last = before(Operation.CREATE_DIRECTORY, directory);
        Directory at = root;
        for (Path name : directory.toAbsolutePath()) {
            Entry next = at.current.get(name.toString());
            if (next == null) {
                next = new Directory();
                at.put(name.toString(), next);
            }
            if (!(next instanceof Directory below)) {
                throw new FileAlreadyExistsException(directory.toString());
            }
            at = below;
        }
        after(last, directory);
    }

    @Override
    public synchronized void createDirectory(Path directory) throws IOException {
        requireDirectory(parentOf(directory));
        createDirectories(directory);
    }

    @Override
    public synchronized void rename(Path from, Path to) throws IOException {
        boolean last = before(Operation.RENAME, from);
        Directory source = requireDirectory(parentOf(from));
        Directory target = requireDirectory(parentOf(to));
        Entry moved = source.current.get(nameOf(from));
        if (moved == null) {
            throw new NoSuchFileException(from.toString());
        }
        if (target.current.get(nameOf(to)) instanceof Directory) {
            throw new FileAlreadyExistsException(to.toString());
        }
        Directory.rename(source, nameOf(from), target, nameOf(to));
        after(last, from);
    }

    @Override
    public synchronized void delete(Path path) throws IOException {
        boolean last = before(Operation.DELETE, path);
        Entry found = find(path);
        if (found == null) {
            return;
        }
        if (found instanceof Directory directory && !directory.current.isEmpty()) {
            throw new DirectoryNotEmptyException(path.toString());
        }
        requireDirectory(parentOf(path)).remove(nameOf(path));
        after(last, path);
    }

    @Override
    public synchronized @Nullable StorageFile deleteHolding(Path file) throws IOException {
        StorageFile held = find(file) == null ? null : open(file, Access.READ_WRITE);
        delete(file);
        return held;
    }

    @Override
    public synchronized void forceDirectory(Path directory) throws IOException {
        boolean last = before(Operation.FORCE_DIRECTORY, directory);
        Directory forced = requireDirectory(directory);
        if (last) {
            forced.persistSome(random);
        } else {
            forced.persist();
        }
        after(last, directory);
    }

    @Override
    public synchronized DirectoryLock lock(Path file) throws IOException {
        if (find(file) == null) {
            create(file).close();
        }
        return lockAs(file, ProcessHandle.current().pid());
    }

    @Override
    public synchronized DirectoryLock lockExisting(Path file) throws IOException {
        requireFile(file);
        return lockAs(file, -1);
    }

    /** As a real one, it goes by the file and not by its name: one that is deleted and made anew is another. */
    private DirectoryLock lockAs(Path file, long holderPid) throws IOException {
        Object locked = requireFile(file);
        if (!locks.add(locked)) {
            throw new LockHeldException(file, holderPid);
        }
        int bootOfLock = boot;
        return () -> unlock(locked, bootOfLock);
    }

    @Override
    public synchronized HeldPath hold(Path path) throws IOException {
        Entry held = look(path);
        if (held == null) {
            throw new NoSuchFileException(path.toString());
        }
        return new SimulatedHeldPath(path, held, this::look);
    }

    private synchronized @Nullable Entry look(Path path) throws IOException {
        before(Operation.LIST, path);
        return find(path);
    }

    @Override
    public synchronized long lastModifiedMillis(Path file) throws IOException {
        before(Operation.LIST, file);
        return requireFile(file).lastModifiedMillis();
    }

    @Override
    public synchronized long usableSpace(Path path) throws IOException {
        before(Operation.LIST, path);
        return Math.max(0, capacityBytes - usedBytes());
    }

    @Override
    public int blockSize(Path path) {
        return BLOCK_BYTES;
    }

    private synchronized void unlock(Object locked, int bootOfLock) {
        if (bootOfLock == boot) {
            locks.remove(locked);
        }
    }

    // ---- for the files ----

    int boot() {
        return boot;
    }

    long wallClockMillis() {
        return wallClock.getAsLong();
    }

    Random random() {
        return random;
    }

    /**
     * Counts an operation and fails it if it must fail.
     *
     * @return whether the process ends in the middle of it: do part of it, then call {@link #after}
     */
    boolean before(Operation operation, Path path) throws IOException {
        if (crashed) {
            throw new IOException(path + ": the simulated process has ended");
        }
        operations++;
        if (operations >= crashAt || isCrashDue(operation, path)) {
            crashed = true;
            crashedAt = path;
            return true;
        }
        for (InjectedFault fault : faults) {
            if (fault.times > 0 && fault.matches.test(operation, path)) {
                if (fault.skip > 0) {
                    fault.skip--;
                } else {
                    fault.times--;
                    if (fault.lacksDescriptor) {
                        throw new CannotOpenException(path, new IOException("Too many open files"));
                    }
                    throw new InjectedFaultException(path + ": input/output error (" + operation + ")");
                }
            }
        }
        return false;
    }

    private boolean isCrashDue(Operation operation, Path path) {
        return crashOn != null && crashOn.matches.test(operation, path) && crashOn.skip-- == 0;
    }

    /** Ends an operation in the middle of which the process ended. */
    void after(boolean last, Path path) throws IOException {
        if (last) {
            throw new IOException(path + ": the simulated process ended here");
        }
    }

    /** How many of these bytes fit on the device. */
    long room(long bytes) {
        return bytes <= 0 ? bytes : Math.max(0, Math.min(bytes, capacityBytes - usedBytes()));
    }

    /** An error set by {@link #failWith}. */
    static final class InjectedFaultException extends IOException {
        InjectedFaultException(String message) {
            super(message);
        }
    }

    // ---- names ----

    private SimulatedFile.Inode requireFile(Path file) throws IOException {
        Entry found = find(file);
        if (found == null) {
            throw new NoSuchFileException(file.toString());
        }
        if (!(found instanceof SimulatedFile.Inode inode)) {
            throw new FileNotFoundException(file + " is a directory");
        }
        return inode;
    }

    private Directory requireDirectory(Path directory) throws IOException {
        Entry found = find(directory);
        if (found == null) {
            throw new NoSuchFileException(directory.toString());
        }
        if (!(found instanceof Directory result)) {
            throw new NotDirectoryException(directory.toString());
        }
        return result;
    }

    private @Nullable Entry find(Path path) {
        Entry at = root;
        for (Path name : path.toAbsolutePath()) {
            if (!(at instanceof Directory directory)) {
                return null;
            }
            at = directory.current.get(name.toString());
            if (at == null) {
                return null;
            }
        }
        return at;
    }

    private static Path parentOf(Path path) {
        Path parent = path.toAbsolutePath().getParent();
        if (parent == null) {
            throw new IllegalArgumentException("the root has no name");
        }
        return parent;
    }

    private static String nameOf(Path path) {
        Path name = path.getFileName();
        if (name == null) {
            throw new IllegalArgumentException("the root has no name");
        }
        return name.toString();
    }

    /** What a name stands for. */
    abstract static class Entry {
        abstract void losePower(Random random);

        abstract long bytes();
    }

    /** A directory: names as the process sees them, and as the device holds them. */
    private static final class Directory extends Entry {
        final TreeMap<String, Entry> current = new TreeMap<>();
        private final TreeMap<String, Entry> durable = new TreeMap<>();
        private final List<Change> pending = new ArrayList<>();

        void put(String name, Entry entry) {
            current.put(name, entry);
            pending.add(new Change(Map.of(name, entry), Set.of()));
        }

        void remove(String name) {
            current.remove(name);
            pending.add(new Change(Map.of(), Set.of(name)));
        }

        /** Within one directory a rename is one change; between two it may be half lost, but the entry never is. */
        static void rename(Directory source, String from, Directory target, String to) {
            Entry moved = source.current.get(from);
            if (moved == null) {
                throw new IllegalStateException("no " + from);
            }
            source.current.remove(from);
            target.current.put(to, moved);
            if (source == target) {
                source.pending.add(new Change(Map.of(to, moved), Set.of(from)));
            } else {
                target.durable.put(to, moved);
                source.pending.add(new Change(Map.of(), Set.of(from)));
            }
        }

        void persist() {
            durable.clear();
            durable.putAll(current);
            pending.clear();
        }

        void persistSome(Random random) {
            for (Change change : pending) {
                if (random.nextBoolean()) {
                    change.applyTo(durable);
                }
            }
            pending.clear();
        }

        @Override
        void losePower(Random random) {
            persistSome(random);
            current.clear();
            current.putAll(durable);
            for (Entry entry : current.values()) {
                entry.losePower(random);
            }
        }

        @Override
        long bytes() {
            long sum = 0;
            for (Entry entry : current.values()) {
                sum += entry.bytes();
            }
            return sum;
        }

        private record Change(Map<String, Entry> added, Set<String> removed) {
            void applyTo(Map<String, Entry> names) {
                names.keySet().removeAll(removed);
                names.putAll(added);
            }
        }
    }
}
