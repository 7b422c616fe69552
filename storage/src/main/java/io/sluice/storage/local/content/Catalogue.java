package io.sluice.storage.local.content;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.storage.file.CannotOpenException;
import io.sluice.storage.file.FileSystem;
import io.sluice.storage.file.OutOfSpaceException;
import io.sluice.storage.file.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.CRC32C;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file that keeps, for every log of a data directory, what its last checkpoint knew: records are appended, the newest
 * of each log and kind counts, and when more than half of a large file is outdated it is written anew. One file and one
 * force for all logs, so that ten thousand logs cost no more than one. Layout: docs/formats/catalogue.md. For one thread.
 *
 * <p>What is appended between two forces begins with a mark, which is written as soon as all before it has been forced. So a
 * record that is not right with a mark behind it was damaged after its force, and the file is refused; one without was
 * being written when the process ended, and is cut off. Only where the power fails before the mark, which nobody waits
 * for, is on the device can damage to what was forced last be taken for that.
 */
public final class Catalogue implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Catalogue.class);

    /** Of a journal whose position was never noted. */
    public static final long UNKNOWN = -1;

    /** Name of the file in the data directory. */
    public static final String FILE_NAME = "catalogue";

    private static final String NEW_FILE_NAME = "catalogue.new";
    private static final long MAGIC = 0x534c554943455631L;
    private static final int VERSION = 3;
    private static final byte MARK = 4;
    private static final List<Kind> KINDS = List.of(Kind.values());
    private static final int HEADER_BYTES = 12;
    private static final int RECORD_HEADER_BYTES = 17;
    private static final int MIN_RECORD_BYTES = 9;
    private static final int BUFFER_BYTES = 256 << 10;
    private static final long NO_LOG = -1;
    private static final long COMPACT_FROM_BYTES = 4 << 20;

    private final FileSystem fileSystem;
    private final Path directory;
    private final Long2ObjectHashMap<Places> live = new Long2ObjectHashMap<>();
    private final ByteBuf pending = Unpooled.buffer(BUFFER_BYTES);
    private StorageFile file;
    private long size;
    private long liveBytes;
    /** Whether there is a mark behind all that was forced. */
    private boolean groupOpen;

    private boolean hasRoom = true;
    private boolean nameForced = true;
    private long compactFromBytes = COMPACT_FROM_BYTES;
    private long journalPosition = UNKNOWN;

    /** Kinds of records. Codes are on disk and never change meaning. */
    public enum Kind {
        /** {@link LogContents#writeMeta}. */
        META(1),
        /** As {@link #DATA}, written by versions that kept all aborted transactions in it. */
        DATA_WITHOUT_CHUNKS(2),
        /** The log is gone. */
        DELETED(3),
        /** Up to where the journal had got; of no log. */
        JOURNAL(5),
        /** {@link LogContents#writeData}. */
        DATA(6);

        private final byte code;

        Kind(int code) {
            this.code = (byte) code;
        }
    }

    /** Takes records while the file is read, in the order in which they were written. */
    public interface Visitor {
        /** One record; the body is valid during the call. */
        void onRecord(Kind kind, long logId, ByteBuf body);
    }

    /** Where the newest records of a log are; length 0 where there is none. */
    private static final class Places {
        long metaAt;
        int metaLength;
        long dataAt;
        int dataLength;
    }

    private Catalogue(FileSystem fileSystem, Path directory, StorageFile file) {
        this.fileSystem = fileSystem;
        this.directory = directory;
        this.file = file;
    }

    /**
     * Opens the catalogue of a data directory, making an empty one where there is none. What is there is written anew: if
     * a force had failed in the run before, the page cache may show what never reached the device.
     *
     * @throws UserException if it is of a newer format, or was damaged after it had been forced
     */
    public static Catalogue open(FileSystem fileSystem, Path directory, Visitor visitor) throws IOException {
        Path path = directory.resolve(FILE_NAME);
        fileSystem.delete(directory.resolve(NEW_FILE_NAME));
        if (!fileSystem.exists(path)) {
            StorageFile file = createFile(fileSystem, directory.resolve(NEW_FILE_NAME));
            fileSystem.rename(directory.resolve(NEW_FILE_NAME), path);
            fileSystem.forceDirectory(directory);
            Catalogue created = new Catalogue(fileSystem, directory, file);
            created.size = HEADER_BYTES;
            return created;
        }
        Catalogue opened = new Catalogue(fileSystem, directory, fileSystem.open(path, FileSystem.Access.READ_WRITE));
        boolean done = false;
        try {
            opened.load(visitor);
            opened.compact();
            opened.forceName();
            done = true;
            return opened;
        } finally {
            if (!done) {
                opened.file.close();
            }
        }
    }

    /** Reads the catalogue of a data directory without changing anything; does nothing where there is none. */
    public static void read(FileSystem fileSystem, Path directory, Visitor visitor) throws IOException {
        Path path = directory.resolve(FILE_NAME);
        if (!fileSystem.exists(path)) {
            return;
        }
        try (StorageFile file = fileSystem.open(path, FileSystem.Access.READ)) {
            new Catalogue(fileSystem, directory, file).load(visitor);
        }
    }

    private static StorageFile createFile(FileSystem fileSystem, Path path) throws IOException {
        StorageFile created = fileSystem.create(path);
        boolean done = false;
        try {
            ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES);
            header.putLong(MAGIC).putInt(VERSION).flip();
            created.write(header, 0);
            created.force(true);
            done = true;
            return created;
        } finally {
            if (!done) {
                created.close();
            }
        }
    }

    private void load(Visitor visitor) throws IOException {
        int length = Math.toIntExact(file.size());
        ByteBuffer all = ByteBuffer.allocate(length);
        file.read(all, 0);
        ByteBuf bytes = Unpooled.wrappedBuffer(all.array());
        requireKnownFormat(bytes);
        int at = HEADER_BYTES;
        while (isWholeRecord(bytes, at)) {
            int bodyLength = bytes.getInt(at) - MIN_RECORD_BYTES;
            byte code = bytes.getByte(at + 8);
            if (code == Kind.JOURNAL.code) {
                journalPosition = bytes.getLong(at + RECORD_HEADER_BYTES);
            }
            if (code != MARK) {
                long logId = bytes.getLong(at + 9);
                note(kindOf(code), logId, at, RECORD_HEADER_BYTES + bodyLength);
            }
            if (code != MARK && code != Kind.JOURNAL.code) {
                visitor.onRecord(
                        kindOf(code), bytes.getLong(at + 9), bytes.slice(at + RECORD_HEADER_BYTES, bodyLength));
            }
            at += RECORD_HEADER_BYTES + bodyLength;
        }
        if (at < length) {
            requireNoMarkBehind(bytes, at);
            LOG.warn(
                    "catalogue ends in bytes that are no record file={} position={} bytes={}",
                    file.path(),
                    at,
                    length - at);
        }
        size = at;
    }

    private void requireNoMarkBehind(ByteBuf bytes, int damagedAt) {
        for (int at = damagedAt; at <= bytes.readableBytes() - RECORD_HEADER_BYTES; at++) {
            if (isMark(bytes, at)) {
                throw new UserException(
                        ExitCode.BAD_DATA,
                        file.path() + " is damaged at byte " + damagedAt
                                + ", in a part that had been flushed to the disk: the disk or another program changed it."
                                + " Restore the data directory from a copy.");
            }
        }
    }

    /** A mark holds its own position, so that nothing inside another record is taken for one. */
    private static boolean isMark(ByteBuf bytes, int at) {
        return bytes.getInt(at) == MIN_RECORD_BYTES
                && bytes.getByte(at + 8) == MARK
                && bytes.getLong(at + 9) == at
                && isWholeRecord(bytes, at);
    }

    private void requireKnownFormat(ByteBuf bytes) {
        if (bytes.readableBytes() < HEADER_BYTES || bytes.getLong(0) != MAGIC) {
            throw new UserException(
                    ExitCode.BAD_DATA,
                    file.path()
                            + " is damaged: it does not begin like a catalogue. Restore the data directory from a copy.");
        }
        int version = bytes.getInt(8);
        if (version > VERSION) {
            throw new UserException(
                    ExitCode.BAD_DATA,
                    file.path() + " has format " + version + ", this version reads up to " + VERSION
                            + ". Start it with the version that wrote it.");
        }
    }

    private static boolean isWholeRecord(ByteBuf bytes, int at) {
        int left = bytes.readableBytes() - at;
        if (left < RECORD_HEADER_BYTES) {
            return false;
        }
        int length = bytes.getInt(at);
        if (length < MIN_RECORD_BYTES || length > left - 8) {
            return false;
        }
        CRC32C crc = new CRC32C();
        crc.update(bytes.array(), at + 8, length);
        byte code = bytes.getByte(at + 8);
        return (int) crc.getValue() == bytes.getInt(at + 4) && code >= 1 && code <= Kind.DATA.code;
    }

    private static Kind kindOf(byte code) {
        for (Kind kind : KINDS) {
            if (kind.code == code) {
                return kind;
            }
        }
        throw new IllegalArgumentException("there are no records of kind " + code);
    }

    private void note(Kind kind, long logId, long at, int length) {
        Places places = live.get(logId);
        if (kind == Kind.DELETED) {
            if (places != null) {
                liveBytes -= places.metaLength + places.dataLength;
                live.remove(logId);
            }
            return;
        }
        if (places == null) {
            places = new Places();
            live.put(logId, places);
        }
        if (kind == Kind.META || kind == Kind.JOURNAL) {
            liveBytes += length - places.metaLength;
            places.metaAt = at;
            places.metaLength = length;
        } else {
            liveBytes += length - places.dataLength;
            places.dataAt = at;
            places.dataLength = length;
        }
    }

    /** The journal had got at least there, and had let go of nothing behind; {@link #UNKNOWN} if that was never noted. */
    public long journalPosition() {
        return journalPosition;
    }

    /** Appends a note that the journal has got to a position and will let go of what is before it. */
    public void appendJournal(long position) throws IOException {
        journalPosition = position;
        append(Kind.JOURNAL, NO_LOG, Unpooled.copyLong(position));
    }

    /** Appends a record; durable after {@link #force}. Without room for it, it waits in memory. */
    public void append(Kind kind, long logId, ByteBuf body) throws IOException {
        maybeOpenGroup();
        long at = size + pending.writerIndex();
        note(kind, logId, at, encode(pending, kind.code, logId, body));
        if (pending.writerIndex() >= BUFFER_BYTES && hasRoom) {
            writeIfRoom();
        }
    }

    /** Whether records wait in memory because there was no room for them. */
    public boolean hasUnwritten() {
        return pending.isReadable();
    }

    private void maybeOpenGroup() {
        if (!groupOpen) {
            encode(pending, MARK, size + pending.writerIndex(), Unpooled.EMPTY_BUFFER);
            groupOpen = true;
        }
    }

    /** Writes one record; returns its bytes. */
    private static int encode(ByteBuf out, byte code, long number, ByteBuf body) {
        int length = MIN_RECORD_BYTES + body.readableBytes();
        int start = out.writerIndex();
        out.writeInt(length).writeInt(0).writeByte(code).writeLong(number).writeBytes(body);
        CRC32C crc = new CRC32C();
        crc.update(out.array(), out.arrayOffset() + start + 8, length);
        out.setInt(start + 4, (int) crc.getValue());
        return RECORD_HEADER_BYTES + length - MIN_RECORD_BYTES;
    }

    private void writeIfRoom() throws IOException {
        try {
            writePending();
        } catch (OutOfSpaceException e) {
            hasRoom = false; // says so in the next force
        }
    }

    private void writePending() throws IOException {
        int length = pending.writerIndex();
        if (length == 0) {
            return;
        }
        file.write(pending.nioBuffer(0, length), size);
        size += length;
        pending.clear();
        if (pending.capacity() > 2 * BUFFER_BYTES) {
            pending.capacity(BUFFER_BYTES);
        }
    }

    /**
     * Makes everything appended durable, and the file smaller where that is worth it.
     *
     * @throws OutOfSpaceException when there is no room; what was appended stays in memory for the next time
     * @throws CannotOpenException when there is no descriptor to force the new file's name with; tried again the next time
     */
    public void force() throws IOException {
        hasRoom = true;
        writePending();
        if (size <= compactFromBytes || size <= 2 * (liveBytes + HEADER_BYTES) || !compactIfRoom()) {
            forceFile();
            groupOpen = false;
            maybeOpenGroup();
            writeIfRoom();
        }
        forceName();
    }

    /** Until then a crash brings the file before back, which has all that was called durable. */
    private void forceName() throws IOException {
        if (nameForced) {
            return;
        }
        try {
            fileSystem.forceDirectory(directory);
        } catch (OutOfSpaceException e) {
            throw new IOException("the new catalogue may or may not have its name", e);
        }
        nameForced = true;
    }

    /** The system says once only that written bytes found no room after all, and then calls the file durable. */
    private void forceFile() throws IOException {
        try {
            file.force(false);
        } catch (OutOfSpaceException e) {
            throw new IOException("what was written to the catalogue may or may not be durable", e);
        }
    }

    private boolean compactIfRoom() throws IOException {
        try {
            compact();
            compactFromBytes = COMPACT_FROM_BYTES;
            return true;
        } catch (OutOfSpaceException | CannotOpenException e) {
            compactFromBytes = size + COMPACT_FROM_BYTES;
            LOG.warn(
                    "the catalogue cannot be written anew now, it grows on file={} bytes={} reason={}",
                    file.path(),
                    size,
                    e.getMessage());
            return false;
        }
    }

    /** Throws {@link OutOfSpaceException} and {@link CannotOpenException} only where nothing has changed. */
    private void compact() throws IOException {
        Path path = directory.resolve(NEW_FILE_NAME);
        fileSystem.delete(path);
        StorageFile target = copyLive(path);
        try {
            fileSystem.rename(path, directory.resolve(FILE_NAME));
        } catch (OutOfSpaceException e) {
            target.close();
            throw new IOException("the new catalogue may or may not have its name", e);
        }
        nameForced = false;
        file.close();
        file = target;
        groupOpen = true;
        long end = movePlaces();
        size = end + RECORD_HEADER_BYTES;
        liveBytes = end - HEADER_BYTES;
    }

    private StorageFile copyLive(Path path) throws IOException {
        StorageFile target = null;
        boolean done = false;
        try {
            target = createFile(fileSystem, path);
            long end = HEADER_BYTES;
            for (Places places : live.values()) {
                end = copy(target, places.metaAt, places.metaLength, end);
                end = copy(target, places.dataAt, places.dataLength, end);
            }
            ByteBuf mark = Unpooled.buffer(RECORD_HEADER_BYTES);
            encode(mark, MARK, end, Unpooled.EMPTY_BUFFER);
            target.write(mark.nioBuffer(), end);
            target.force(true);
            done = true;
            return target;
        } finally {
            if (!done) {
                discard(target, path);
            }
        }
    }

    private void discard(@Nullable StorageFile target, Path path) {
        try (target) {
            fileSystem.delete(path);
        } catch (IOException e) {
            LOG.warn("an unfinished catalogue cannot be deleted; the next start tries again file={}", path, e);
        }
    }

    private long copy(StorageFile target, long from, int length, long to) throws IOException {
        if (length > 0) {
            ByteBuffer record = ByteBuffer.allocate(length);
            file.read(record, from);
            target.write(record.flip(), to);
        }
        return to + length;
    }

    /** Only once the new file has taken over: a copy that fails for want of room changes nothing. */
    private long movePlaces() {
        long at = HEADER_BYTES;
        for (Places places : live.values()) {
            places.metaAt = at;
            at += places.metaLength;
            places.dataAt = at;
            at += places.dataLength;
        }
        return at;
    }

    /** Bytes of the file. */
    public long sizeInBytes() {
        return size + pending.writerIndex();
    }

    @Override
    public void close() throws IOException {
        writePending();
        file.close();
    }
}
