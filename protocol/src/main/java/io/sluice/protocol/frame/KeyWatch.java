package io.sluice.protocol.frame;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.common.protocol.ApiKeys;
import org.jspecify.annotations.Nullable;

/**
 * Looks for the same key over and over in lists that Kafka reads into hash tables: growing such a table takes a time that
 * goes with the cube of the elements that are alike, so one request of some ten thousand topics of one name would keep its
 * thread for good. The first few hundred are not looked at. For one request.
 */
final class KeyWatch {
    private static final int UNWATCHED = 200;
    private static final int MAX_REPEATED = 200;

    /** APIs whose lists are such tables and may be long: everything else that has such tables has few reads. */
    enum Lists {
        /** None. */
        NONE,
        /** Names before the number of partitions: CreateTopics. */
        TOPICS,
        /** Every text and id: Produce. */
        ALL
    }

    private final Lists lists;
    /** Made for the few requests that have so many keys. */
    private @Nullable Set<Integer> hashes;

    private int keys;
    private int repeated;

    KeyWatch(ApiKeys api) {
        this.lists = switch (api) {
            case PRODUCE -> Lists.ALL;
            case CREATE_TOPICS -> Lists.TOPICS;
            default -> Lists.NONE;
        };
    }

    /** A text was read. */
    void onText(byte[] text) {
        if (lists == Lists.ALL) {
            onKey(Arrays.hashCode(text));
        }
    }

    /** A number of four bytes was read right behind a text. */
    void onNumberBehind(byte[] text) {
        if (lists == Lists.TOPICS) {
            onKey(Arrays.hashCode(text));
        }
    }

    /** An id was read. */
    void onId(int hash) {
        if (lists == Lists.ALL) {
            onKey(hash);
        }
    }

    private void onKey(int hash) {
        if (++keys <= UNWATCHED) {
            return;
        }
        if (hashes == null) {
            hashes = new HashSet<>();
        }
        if (!hashes.add(hash) && ++repeated > MAX_REPEATED) {
            throw new FrameReadable.TooLargeException("it names the same over and over");
        }
    }
}
