package io.sluice.cli.doctor;

import io.sluice.base.error.FileFailures;
import io.sluice.base.time.Clock;
import io.sluice.storage.config.StorageKeys;
import io.sluice.storage.file.DirectFile;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The disk under the data directory: file system, room, how a write is made durable and how long that takes. Writes a
 * file of its own and deletes it.
 *
 * @param mark below which producers are refused
 */
record DiskCheck(FileSystem fileSystem, Clock clock, Path dataDirectory, RoomMark mark) {
    private static final Set<String> GOOD = Set.of("ext4", "xfs", "apfs", "ext3");
    private static final Set<String> FORGETFUL = Set.of("tmpfs", "ramfs", "devtmpfs");
    private static final Set<String> REMOTE = Set.of("nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "9p", "smbfs");
    private static final int SCARCE = 4;
    private static final long MIB = 1 << 20;
    private static final int PROBE_FILE_BYTES = 4 << 20;
    private static final int WRITE_BYTES = 4 << 10;
    private static final int WRITES = 100;
    private static final long BUDGET_NANOS = 2_000_000_000L;
    private static final long SLOW_NANOS = 5_000_000L;

    List<Finding> run() {
        Path directory = nearestExisting(dataDirectory.toAbsolutePath().normalize());
        List<Finding> findings = new ArrayList<>();
        if (!Files.isDirectory(directory)) {
            boolean link = Files.isSymbolicLink(directory);
            findings.add(Finding.problem(
                    "data directory",
                    directory + (link && !Files.exists(directory) ? " is a link to nothing" : " is a file"),
                    "Choose a directory, or a name that is free, with --data DIR."));
            return findings;
        }
        if (!Files.isWritable(directory)) {
            findings.add(Finding.problem(
                    "data directory",
                    directory + " cannot be written",
                    "Make it writable for this user, or choose another with --data DIR."));
            return findings;
        }
        findings.add(Finding.ok(
                "data directory",
                directory.equals(dataDirectory.toAbsolutePath().normalize())
                        ? directory + " is writable"
                        : "would be made in " + directory));
        try {
            FileStore store = Files.getFileStore(directory);
            findings.add(fileSystemType(store));
            findings.add(room(store.getUsableSpace(), store.getTotalSpace(), mark));
            findings.add(flush(directory));
        } catch (IOException e) {
            findings.add(Finding.problem(
                    "disk", FileFailures.text(e), "The disk does not take writes: look at the kernel's log."));
        }
        return findings;
    }

    private static Path nearestExisting(Path path) {
        Path at = path;
        while (!Files.exists(at) && !Files.isSymbolicLink(at) && at.getParent() != null) {
            at = at.getParent();
        }
        return at;
    }

    private static Finding fileSystemType(FileStore store) {
        String type = store.type().toLowerCase(Locale.ROOT);
        String found = type + " on " + store.name();
        if (FORGETFUL.contains(type)) {
            return Finding.problem(
                    "file system",
                    found,
                    "It lives in memory: nothing survives a restart. Choose a directory on a disk.");
        }
        if (REMOTE.contains(type)) {
            return Finding.warning(
                    "file system",
                    found,
                    "A network file system may acknowledge what it has not kept, and stalls with the network: use a"
                            + " local disk.");
        }
        return GOOD.contains(type)
                ? Finding.ok("file system", found)
                : Finding.warning("file system", found, "Tested are ext4 and xfs: prefer one of them.");
    }

    /** A problem where producers are refused, or would be, a warning where they soon will. */
    static Finding room(long freeBytes, long totalBytes, RoomMark mark) {
        String key = StorageKeys.LOW_SPACE_BYTES.name();
        String found = freeBytes / MIB + " of " + totalBytes / MIB + " MiB free";
        if (mark.refusing()) {
            return Finding.problem(
                    "room",
                    found + ", and this data directory's node refuses producers",
                    "Its " + key + " is " + mark.bytes() / MIB + " MiB: free some, add a disk, or lower that.");
        }
        String advice = mark.bytes() == 0
                ? "This data directory's node has no " + key
                        + ": it serves until the disk is full. Free some, or add a disk."
                : "Below " + key + " (" + mark.bytes() / MIB + " MiB "
                        + (mark.ofNode() ? "for this node" : "by default")
                        + ") producers are refused: free some, or add a disk.";
        if (freeBytes < mark.bytes()) {
            return Finding.problem("room", found, advice);
        }
        // Without a mark of its own a node may still run out of room.
        long scarce = SCARCE * (mark.bytes() == 0 ? RoomMark.DEFAULT.bytes() : mark.bytes());
        return freeBytes < scarce ? Finding.warning("room", found, advice) : Finding.ok("room", found);
    }

    private Finding flush(Path directory) throws IOException {
        Path file = directory.resolve("sluice-doctor-" + ProcessHandle.current().pid() + ".tmp");
        try {
            try (StorageFile created = fileSystem.create(file)) {
                created.preallocate(0, PROBE_FILE_BYTES);
                created.force(true);
            }
            try (DirectFile direct = fileSystem.openDirect(file)) {
                return flushFinding(direct, measure(direct));
            }
        } finally {
            fileSystem.delete(file);
        }
    }

    /** Times of durable writes of 4 KiB, in nanoseconds, sorted. */
    private long[] measure(DirectFile file) throws IOException {
        int bytes = Math.max(WRITE_BYTES, file.alignment());
        ByteBuffer block = ByteBuffer.allocateDirect(bytes + file.alignment()).alignedSlice(file.alignment());
        long[] nanos = new long[WRITES];
        int done = 0;
        long start = clock.nanoTime();
        while (done < WRITES && clock.nanoTime() - start < BUDGET_NANOS) {
            block.position(0).limit(bytes);
            long before = clock.nanoTime();
            file.writeDurably(block, (long) done * bytes);
            nanos[done++] = clock.nanoTime() - before;
        }
        long[] measured = Arrays.copyOf(nanos, done);
        Arrays.sort(measured);
        return measured;
    }

    private static Finding flushFinding(DirectFile file, long[] nanos) {
        long median = nanos[nanos.length / 2];
        String found = String.format(
                Locale.ROOT,
                "%s, a durable write of 4 KiB takes %.2f ms (median of %d, longest %.2f ms)",
                file.mechanism() == DirectFile.Mechanism.DIRECT ? "direct" : "page cache and fdatasync",
                median / 1e6,
                nanos.length,
                nanos[nanos.length - 1] / 1e6);
        if (median > SLOW_NANOS) {
            return Finding.warning(
                    "flush",
                    found,
                    "Every acknowledgement waits that long at least: put the journal on a faster disk"
                            + " (sluice.journal.dir).");
        }
        if (file.mechanism() == DirectFile.Mechanism.DATA_SYNC) {
            return Finding.warning(
                    "flush",
                    found,
                    "This file system takes no direct writes, so each flush costs more: prefer ext4 or xfs.");
        }
        return Finding.ok("flush", found);
    }
}
