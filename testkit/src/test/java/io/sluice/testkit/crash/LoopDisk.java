package io.sluice.testkit.crash;

import io.sluice.testkit.process.Await;
import io.sluice.testkit.process.Commands;
import io.sluice.testkit.process.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A small disk of its own: an ext4 with a journal in a file, behind a loop device. What programs have written but nobody
 * has flushed is in memory only, so a copy of the file is what a power cut would leave. Belongs to one thread.
 */
public final class LoopDisk implements AutoCloseable {
    private static final AtomicInteger COUNT = new AtomicInteger();
    /** Fields of /sys/block/loopN/stat. */
    private static final int SECTORS_WRITTEN = 6;

    private static final int IN_FLIGHT = 8;

    private final Path image;
    private final Path mountPoint;
    private final String device;

    private LoopDisk(Path image, Path mountPoint, String device) {
        this.image = image;
        this.mountPoint = mountPoint;
        this.device = device;
    }

    /** Why there can be no loop disk here, if so. */
    public static Optional<String> unavailable() throws IOException, InterruptedException {
        if (!"root".equals(System.getProperty("user.name"))) {
            return Optional.of("loop devices need root");
        }
        for (String program : List.of("losetup", "mkfs.ext4", "mount", "umount", "fsfreeze")) {
            if (!Commands.exists(program)) {
                return Optional.of(program + " is missing");
            }
        }
        Commands.Outcome free = Commands.attempt(List.of("losetup", "--find"), Duration.ofSeconds(10));
        return free.exitStatus() == 0 ? Optional.empty() : Optional.of("no loop device is free: " + free.output());
    }

    /** Makes an empty disk and mounts it. The file is sparse. */
    public static LoopDisk create(int mebibytes) throws IOException, InterruptedException {
        Path image = newImage();
        Commands.run("truncate", "-s", mebibytes + "M", image.toString());
        Commands.run("mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", image.toString());
        return attach(image);
    }

    /**
     * Copies the disk as it is at one moment: repeated until nothing was written to it meanwhile. The processes that write
     * to it must be stopped; the kernel may still be writing on its own.
     */
    public LoopDisk copy() throws Exception {
        Path copy = newImage();
        Await.until(
                "a moment in which nothing is written to " + device,
                Duration.ofMinutes(1),
                () -> {
                    String before = written();
                    Commands.run("cp", "--sparse=always", image.toString(), copy.toString());
                    return before.equals(written());
                },
                quiet -> quiet);
        return attach(copy);
    }

    /** Where its files are. */
    public Path mountPoint() {
        return mountPoint;
    }

    /** Lets every write to it wait. */
    public void freeze() throws IOException, InterruptedException {
        Commands.run("fsfreeze", "--freeze", mountPoint.toString());
    }

    /** Lets the writes go on. */
    public void thaw() throws IOException, InterruptedException {
        Commands.run("fsfreeze", "--unfreeze", mountPoint.toString());
    }

    private String written() throws IOException {
        String[] fields = Files.readString(
                        Path.of("/sys/block", Path.of(device).getFileName().toString(), "stat"))
                .trim()
                .split("\\s+", -1);
        return fields[SECTORS_WRITTEN] + " sectors, " + fields[IN_FLIGHT] + " in flight";
    }

    private static Path newImage() throws IOException {
        Path directory = Files.createDirectories(Settings.target().resolve("disks"));
        return directory.resolve("disk-" + ProcessHandle.current().pid() + "-" + COUNT.incrementAndGet() + ".img");
    }

    private static LoopDisk attach(Path image) throws IOException, InterruptedException {
        String device = Commands.run("losetup", "--find", "--show", image.toString());
        Path mountPoint = Files.createDirectories(
                image.resolveSibling(image.getFileName().toString().replace(".img", "")));
        Commands.run("mount", "-t", "ext4", device, mountPoint.toString());
        return new LoopDisk(image, mountPoint, device);
    }

    /** Unmounts it and deletes the file; processes that use it must be gone. */
    @Override
    public void close() throws IOException {
        try {
            Commands.attempt(List.of("umount", mountPoint.toString()), Duration.ofSeconds(30));
            Commands.attempt(List.of("losetup", "--detach", device), Duration.ofSeconds(30));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            Files.deleteIfExists(image);
            Files.deleteIfExists(mountPoint);
        }
    }
}
