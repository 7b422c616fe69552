package io.sluice.base.metadata;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * Versioned values under slash-separated keys ({@code /topics/ID}), as ZooKeeper or one file can hold them. Values are
 * at most 1 MB. A completed write is durable. Safe on every thread; stages complete on the metadata thread.
 *
 * <p>A stage fails with {@link java.io.IOException} when the outcome is unknown (a failed flush, a lost session).
 */
public interface MetadataStore extends AutoCloseable {
    /** Largest value, in bytes. */
    int MAX_VALUE_BYTES = 1_000_000;

    /** The value under a key, empty where there is none. */
    CompletionStage<Optional<Entry>> get(String key);

    /** All entries whose key starts with {@code prefix}, in key order. */
    CompletionStage<List<Entry>> list(String prefix);

    /** Applies all operations or none. */
    CompletionStage<MultiResult> multi(List<Operation> operations);

    /**
     * Watches a prefix: first one {@code onPut} for each entry there, then {@code onCurrent}, then every change in the
     * order it was applied; none is missed. After a lost session the listener hears {@code onRestart} and the whole again.
     */
    void watch(String prefix, WatchListener listener);

    /** Whether this process may act on what it has read. */
    SessionState sessionState();

    /** Flushes and closes. No callback runs afterwards. */
    @Override
    void close();

    /**
     * A value and its version.
     *
     * @param version 0 at creation, one more at each set
     */
    @SuppressWarnings("ArrayRecordComponent") // values are opaque bytes; nobody compares entries
    record Entry(String key, byte[] value, long version) {}

    /** One step of {@link #multi}. */
    sealed interface Operation {
        /** The key it concerns. */
        String key();

        /** Creates a key that must not exist. */
        @SuppressWarnings("ArrayRecordComponent") // as in Entry
        record Create(String key, byte[] value) implements Operation {}

        /** Sets a key that must be at this version. */
        @SuppressWarnings("ArrayRecordComponent") // as in Entry
        record Set(String key, byte[] value, long expectedVersion) implements Operation {}

        /** Deletes a key that must be at this version. */
        record Delete(String key, long expectedVersion) implements Operation {}

        /** Does nothing but require that a key is at this version. */
        record Check(String key, long expectedVersion) implements Operation {}
    }

    /** What became of a {@link #multi}. */
    sealed interface MultiResult {
        /** All were applied; versions in the order of the operations (-1 for a delete). */
        record Applied(List<Long> versions) implements MultiResult {}

        /** None was applied, because this one's condition did not hold. */
        record Refused(int operationIndex, Reason reason) implements MultiResult {}
    }

    /** Why a multi was refused. */
    enum Reason {
        EXISTS,
        MISSING,
        VERSION,
        TOO_LARGE
    }

    /** The state of this process's session with the store. */
    enum SessionState {
        CONNECTED,
        SUSPENDED,
        LOST
    }

    /** Hears of changes, in order, on the metadata thread; must not block. */
    interface WatchListener {
        /** Forget everything: the whole follows again. */
        default void onRestart() {}

        /** A key was created or changed. */
        void onPut(Entry entry);

        /** A key was deleted. */
        void onDelete(String key);

        /** Everything that existed when the watch began has been told; also after each batch of changes applied together. */
        default void onCurrent() {}
    }
}
