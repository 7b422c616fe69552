package io.sluice.storage.metadata;

import io.sluice.base.metadata.MetadataStore;
import io.sluice.base.metadata.MetadataStore.Entry;
import io.sluice.base.metadata.MetadataStore.MultiResult;
import io.sluice.base.metadata.MetadataStore.Operation;
import io.sluice.base.metadata.MetadataStore.Reason;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

/**
 * All entries at one moment, and the rules by which operations change them. Immutable: a change makes another state that
 * shares what did not change.
 */
final class MetadataState {
    /** Largest sum of keys and values in one multi, in bytes. */
    static final int MAX_MULTI_BYTES = 16 << 20;

    /** Longest key, in bytes of UTF-8. */
    static final int MAX_KEY_BYTES = 4096;

    static final MetadataState EMPTY = new MetadataState(TreePMap.empty());

    private static final long GONE = -1;
    private static final byte[] NOTHING = {};

    private final TreePMap<String, Entry> entries;

    private MetadataState(TreePMap<String, Entry> entries) {
        this.entries = entries;
    }

    /**
     * What happened to one key.
     *
     * @param entry null where the key was deleted
     */
    record Change(String key, @Nullable Entry entry) {}

    /** What a multi does to a state. */
    sealed interface Outcome {
        /** What to answer. */
        MultiResult result();

        /** All operations apply. */
        record Accepted(MetadataState next, List<Change> changes, MultiResult result) implements Outcome {}

        /** None applies. */
        record Refused(MultiResult result) implements Outcome {}
    }

    @Nullable Entry get(String key) {
        return entries.get(key);
    }

    /** All entries whose key starts so, in key order. */
    List<Entry> list(String prefix) {
        List<Entry> found = new ArrayList<>();
        for (Entry entry : entries.tailMap(prefix, true).values()) {
            if (!entry.key().startsWith(prefix)) {
                break;
            }
            found.add(entry);
        }
        return found;
    }

    /** All entries in key order. */
    Collection<Entry> all() {
        return entries.values();
    }

    int size() {
        return entries.size();
    }

    /** The state after a change that was accepted before (replay). */
    MetadataState with(Change change) {
        Entry entry = change.entry();
        return new MetadataState(entry == null ? entries.minus(change.key()) : entries.plus(change.key(), entry));
    }

    /** Tries all operations, each seeing those before it. */
    Outcome apply(List<Operation> operations) {
        MetadataState next = this;
        List<Change> changes = new ArrayList<>(operations.size());
        List<Long> versions = new ArrayList<>(operations.size());
        long bytes = 0;
        for (int i = 0; i < operations.size(); i++) {
            Operation operation = operations.get(i);
            bytes += sizeOf(operation);
            Reason reason = bytes > MAX_MULTI_BYTES ? Reason.TOO_LARGE : next.refusal(operation);
            if (reason != null) {
                return new Outcome.Refused(new MultiResult.Refused(i, reason));
            }
            Change change = next.changeOf(operation);
            if (change == null) {
                versions.add(next.versionOf(operation.key()));
                continue;
            }
            next = next.with(change);
            changes.add(change);
            versions.add(change.entry() == null ? GONE : change.entry().version());
        }
        return new Outcome.Accepted(next, changes, new MultiResult.Applied(versions));
    }

    /** Bytes that an operation costs in memory and on disk, roughly. */
    static long sizeOf(Operation operation) {
        return 64L + operation.key().length() + value(operation).length;
    }

    private @Nullable Reason refusal(Operation operation) {
        if (value(operation).length > MetadataStore.MAX_VALUE_BYTES
                || operation.key().length() > MAX_KEY_BYTES / 3) {
            return Reason.TOO_LARGE;
        }
        if (operation instanceof Operation.Create) {
            return entries.containsKey(operation.key()) ? Reason.EXISTS : null;
        }
        long version = versionOf(operation.key());
        if (version == GONE) {
            return Reason.MISSING;
        }
        return version == expectedVersion(operation) ? null : Reason.VERSION;
    }

    private @Nullable Change changeOf(Operation operation) {
        String key = operation.key();
        if (operation instanceof Operation.Create create) {
            return new Change(key, new Entry(key, create.value(), 0));
        }
        if (operation instanceof Operation.Set set) {
            return new Change(key, new Entry(key, set.value(), set.expectedVersion() + 1));
        }
        return operation instanceof Operation.Delete ? new Change(key, null) : null;
    }

    private long versionOf(String key) {
        Entry entry = entries.get(key);
        return entry == null ? GONE : entry.version();
    }

    private static long expectedVersion(Operation operation) {
        if (operation instanceof Operation.Set set) {
            return set.expectedVersion();
        }
        if (operation instanceof Operation.Delete delete) {
            return delete.expectedVersion();
        }
        if (operation instanceof Operation.Check check) {
            return check.expectedVersion();
        }
        throw new IllegalArgumentException(operation + " expects no version");
    }

    private static byte[] value(Operation operation) {
        if (operation instanceof Operation.Create create) {
            return create.value();
        }
        return operation instanceof Operation.Set set ? set.value() : NOTHING;
    }
}
