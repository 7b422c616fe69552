package io.sluice.broker.share;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.requests.ShareRequestMetadata;
import org.jspecify.annotations.Nullable;

/**
 * What one member of a share group reads from this node, kept between its requests (KIP-932). It belongs to the connection it
 * was begun on. Under the monitor of {@link ShareSessions}, but
 * for what says otherwise.
 */
final class ShareSession {
    private static final Comparator<Part> PART_ORDER =
            Comparator.comparing(Part::topicId).thenComparingInt(Part::partition);

    private final Key key;
    private final long connectionId;
    private final String holder;
    private final Set<Part> parts = new LinkedHashSet<>();
    private int epoch = ShareRequestMetadata.nextEpoch(ShareRequestMetadata.INITIAL_EPOCH);
    private int rotation;
    private @Nullable PendingShareFetch current;
    private volatile boolean ended;

    /** Whose it is. */
    record Key(String groupId, String memberId) {}

    /** A partition, as clients name it; has an order, since it is they who choose its hash. */
    record Part(Uuid topicId, int partition) implements Comparable<Part> {
        @Override
        public int compareTo(Part other) {
            return PART_ORDER.compare(this, other);
        }
    }

    /**
     * Of a member, with nothing to read yet.
     *
     * @param number no other session has it
     */
    ShareSession(Key key, long connectionId, long number) {
        this.key = key;
        this.connectionId = connectionId;
        this.holder = key.memberId() + '/' + number;
    }

    Key key() {
        return key;
    }

    long connectionId() {
        return connectionId;
    }

    /** Who holds the records that were delivered in it: not the member, which may have begun another one meanwhile. */
    String holder() {
        return holder;
    }

    /** The epoch that the next request must have. */
    int epoch() {
        return epoch;
    }

    void nextEpoch() {
        epoch = ShareRequestMetadata.nextEpoch(epoch);
    }

    int size() {
        return parts.size();
    }

    /** Adds one, unless there would be more than so many then; returns whether it is among them now. */
    boolean add(Part part, int most) {
        if (parts.size() < most) {
            parts.add(part);
            return true;
        }
        return parts.contains(part);
    }

    void remove(Part part) {
        parts.remove(part);
    }

    /** Its partitions, each time beginning with another one. */
    List<Part> rotated() {
        List<Part> all = new ArrayList<>(parts);
        if (!all.isEmpty()) {
            Collections.rotate(all, -(rotation % all.size()));
            rotation = (rotation + 1) % all.size();
        }
        return all;
    }

    /** The fetch that is under way for it. */
    void setCurrent(PendingShareFetch fetch) {
        current = fetch;
    }

    @Nullable PendingShareFetch current() {
        return current;
    }

    /** Nothing is to be acquired for its member any more. */
    void end() {
        ended = true;
    }

    /** Whether it has ended. On any thread. */
    boolean isEnded() {
        return ended;
    }

    /** Its partitions. */
    List<Part> all() {
        return List.copyOf(parts);
    }
}
