package io.sluice.storage.local;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.storage.local.content.Catalogue;
import io.sluice.storage.local.content.LogContents;
import io.sluice.storage.local.segment.Deletable;
import io.sluice.storage.local.segment.LogDirectory;
import io.sluice.storage.local.segment.Segment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What a checkpoint takes from a few logs at a time, on its way to the catalogue. For one thread. */
final class CheckpointSlice {
    private static final long NOTHING = -1;

    private final int limitBytes;
    private final List<Pending> records = new ArrayList<>();
    private final List<Segment> toForce = new ArrayList<>();
    private final List<Deletable> deletable = new ArrayList<>();
    private final List<LogDirectory> directories = new ArrayList<>();
    private long bytes;
    private long releasable = NOTHING;

    private record Pending(Catalogue.Kind kind, long logId, ByteBuf body) {}

    /**
     * A slice that holds nothing.
     *
     * @param limitBytes of records; the log that passes it is the last one
     */
    CheckpointSlice(int limitBytes) {
        this.limitBytes = limitBytes;
    }

    boolean isFull() {
        return bytes >= limitBytes;
    }

    void addMeta(LogContents contents, ByteBuf body) {
        add(Catalogue.Kind.META, contents.identity().logId(), body);
    }

    /**
     * Adds a data record.
     *
     * @param notForced segments that it is not true without
     * @param gone files that can go once it is durable
     */
    void addData(LogContents contents, ByteBuf body, List<Segment> notForced, List<Deletable> gone) {
        add(Catalogue.Kind.DATA, contents.identity().logId(), body);
        directories.add(contents.directory());
        toForce.addAll(notForced);
        deletable.addAll(gone);
    }

    void addDeleted(long logId) {
        add(Catalogue.Kind.DELETED, logId, Unpooled.EMPTY_BUFFER);
    }

    /** The journal lets go of everything before this position afterwards. */
    void setReleasable(long position) {
        releasable = position;
    }

    private void add(Catalogue.Kind kind, long logId, ByteBuf body) {
        records.add(new Pending(kind, logId, body));
        bytes += body.readableBytes();
    }

    List<Segment> toForce() {
        return toForce;
    }

    List<Deletable> deletable() {
        return deletable;
    }

    List<LogDirectory> directories() {
        return directories;
    }

    void appendTo(Catalogue catalogue) throws IOException {
        for (Pending record : records) {
            catalogue.append(record.kind, record.logId, record.body);
        }
        if (releasable != NOTHING) {
            catalogue.appendJournal(releasable);
        }
    }
}
