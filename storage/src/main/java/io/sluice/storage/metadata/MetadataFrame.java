package io.sluice.storage.metadata;

import io.sluice.base.metadata.MetadataStore.Entry;
import io.sluice.storage.metadata.MetadataState.Change;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The frame that both files consist of: magic, length, CRC, body. The CRC covers the frame's position in its file too, so
 * that a copy of a frame inside somebody's value is never taken for one. Byte table: docs/formats/metadata.md.
 */
final class MetadataFrame {
    /** A group of changes. */
    static final int GROUP_MAGIC = 0x534C4D47; // "SLMG"

    /** The end of a snapshot. */
    static final int END_MAGIC = 0x534C4D45; // "SLME"

    /** Bytes before the body. */
    static final int HEADER_BYTES = 12;

    /** Largest body: one multi of the largest size on top of a group that was almost full. */
    static final int MAX_BODY_BYTES = 40 << 20;

    private static final byte PUT = 1;
    private static final byte DELETE = 2;

    private MetadataFrame() {}

    /** Changes that become durable together. */
    record Group(long firstChange, List<List<Change>> changes) {}

    /** Encodes a group for a place in a file. */
    static ByteBuffer encodeGroup(Group group, long position) {
        int bodyBytes = Long.BYTES + Integer.BYTES;
        for (List<Change> change : group.changes()) {
            bodyBytes += Integer.BYTES;
            for (Change step : change) {
                bodyBytes += sizeOf(step);
            }
        }
        ByteBuffer frame = start(GROUP_MAGIC, bodyBytes);
        frame.putLong(group.firstChange()).putInt(group.changes().size());
        for (List<Change> change : group.changes()) {
            frame.putInt(change.size());
            change.forEach(step -> put(frame, step));
        }
        return finish(frame, position);
    }

    /** Encodes a snapshot's end. */
    static ByteBuffer encodeEnd(long entries, long position) {
        return finish(start(END_MAGIC, Long.BYTES).putLong(entries), position);
    }

    /**
     * The body of the frame that starts at the buffer's position, or null where there is no whole, undamaged frame. The
     * buffer's position does not move.
     *
     * @param position of the frame in its file
     */
    static @Nullable ByteBuffer body(ByteBuffer bytes, int magic, long position) {
        int at = bytes.position();
        if (bytes.remaining() < HEADER_BYTES || bytes.getInt(at) != magic) {
            return null;
        }
        int bodyBytes = bytes.getInt(at + 4);
        if (bodyBytes < 0 || bodyBytes > bytes.remaining() - HEADER_BYTES) {
            return null;
        }
        ByteBuffer body = bytes.slice(at + HEADER_BYTES, bodyBytes);
        return crc(position, body) == bytes.getInt(at + 8) ? body : null;
    }

    /**
     * Reads a group's body.
     *
     * @throws IllegalArgumentException for a kind this version does not know
     */
    static Group decodeGroup(ByteBuffer body) {
        long firstChange = body.getLong();
        int count = body.getInt();
        List<List<Change>> changes = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int steps = body.getInt();
            List<Change> change = new ArrayList<>(steps);
            for (int j = 0; j < steps; j++) {
                change.add(decode(body));
            }
            changes.add(change);
        }
        return new Group(firstChange, changes);
    }

    /** Bytes of one step in a group. */
    static int sizeOf(Change step) {
        int bytes = 1 + Short.BYTES + step.key().getBytes(StandardCharsets.UTF_8).length;
        Entry entry = step.entry();
        return entry == null ? bytes : bytes + Long.BYTES + Integer.BYTES + entry.value().length;
    }

    private static void put(ByteBuffer target, Change step) {
        Entry entry = step.entry();
        byte[] key = step.key().getBytes(StandardCharsets.UTF_8);
        target.put(entry == null ? DELETE : PUT).putShort((short) key.length).put(key);
        if (entry != null) {
            target.putLong(entry.version()).putInt(entry.value().length).put(entry.value());
        }
    }

    private static Change decode(ByteBuffer body) {
        byte kind = body.get();
        byte[] keyBytes = new byte[Short.toUnsignedInt(body.getShort())];
        body.get(keyBytes);
        String key = new String(keyBytes, StandardCharsets.UTF_8);
        if (kind == DELETE) {
            return new Change(key, null);
        }
        if (kind != PUT) {
            throw new IllegalArgumentException("unknown kind of change: " + kind);
        }
        long version = body.getLong();
        byte[] value = new byte[body.getInt()];
        body.get(value);
        return new Change(key, new Entry(key, value, version));
    }

    private static ByteBuffer start(int magic, int bodyBytes) {
        return ByteBuffer.allocate(HEADER_BYTES + bodyBytes)
                .putInt(magic)
                .putInt(bodyBytes)
                .putInt(0);
    }

    private static ByteBuffer finish(ByteBuffer frame, long position) {
        frame.flip();
        frame.putInt(8, crc(position, frame.slice(HEADER_BYTES, frame.limit() - HEADER_BYTES)));
        return frame;
    }

    private static int crc(long position, ByteBuffer body) {
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(Long.BYTES + Integer.BYTES)
                .putLong(position)
                .putInt(body.remaining())
                .flip());
        crc.update(body.duplicate());
        return (int) crc.getValue();
    }
}
