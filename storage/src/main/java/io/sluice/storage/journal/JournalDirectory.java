package io.sluice.storage.journal;

import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The files of a journal on disk. Start with {@link #open}. */
public final class JournalDirectory {
    private static final Pattern FILE_NAME = Pattern.compile("\\d{8}\\.journal");

    private JournalDirectory() {}

    /**
     * Opens a journal for recovery, creating its directory where there is none. Settles which entries survived, and makes
     * sure that they are on stable storage.
     *
     * @param owner number of the data directory that the journal belongs to, or 0 where it belongs to none
     * @throws JournalDamagedException where files that are needed are missing or broken
     * @throws JournalMismatchException where another data directory wrote it
     * @throws JournalVersionException for a newer format
     */
    public static JournalRecovery open(FileSystem files, Path directory, JournalConfig config, long owner)
            throws IOException {
        files.createDirectoriesDurably(directory);
        return FileRecovery.open(files, directory, config, owner);
    }

    /** Whether there is a file of a journal, of whichever version, in a directory. */
    public static boolean isIn(FileSystem files, Path directory) throws IOException {
        for (String name : files.list(directory)) {
            if (FILE_NAME.matcher(name).matches()) {
                try (StorageFile file = files.open(directory.resolve(name), FileSystem.Access.READ)) {
                    ByteBuffer magic = ByteBuffer.allocate(Integer.BYTES);
                    if (file.read(magic, 0) == Integer.BYTES && magic.getInt(0) == JournalFormat.FILE_MAGIC) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /** The name of the file with this number. */
    static String fileName(int number) {
        return String.format(Locale.ROOT, "%08d.journal", number);
    }

    static int numberOf(Path file) {
        Path name = file.getFileName();
        return name == null ? 0 : Integer.parseInt(name.toString().substring(0, 8));
    }

    /** All journal files of a directory, those with the oldest generation first; those without a whole header have none. */
    static List<Found> scan(FileSystem files, Path directory) throws IOException {
        List<Found> found = new ArrayList<>();
        for (String name : files.list(directory)) {
            if (FILE_NAME.matcher(name).matches()) {
                Path path = directory.resolve(name);
                try (StorageFile file = files.open(path, FileSystem.Access.READ)) {
                    found.add(new Found(path, file.size(), readHeader(file)));
                } catch (JournalVersionException e) {
                    throw e.in(path);
                }
            }
        }
        found.sort(Comparator.comparingLong(Found::generation));
        return found;
    }

    private static @Nullable FileHeader readHeader(StorageFile file) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(JournalFormat.FILE_HEADER_BYTES);
        file.read(bytes, 0);
        FileHeader header = FileHeader.readFrom(bytes.flip());
        return header != null && header.capacity() <= file.size() ? header : null;
    }

    /** A file and what its first block says. */
    record Found(Path path, long size, @Nullable FileHeader header) {
        /** Larger in files put to use later; 0 in spare ones, -1 in those without a whole header. */
        long generation() {
            return header == null ? -1 : header.generation();
        }
    }
}
