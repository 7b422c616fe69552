package io.sluice.coordinator.share;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.protocol.Errors;

/** Where the state of one share partition is kept. Safe on every thread; nothing blocks; stages do not fail. */
public interface SharePartitionStore {
    /** The start offset of a share partition that nobody has read yet. */
    long UNINITIALIZED = -1;

    /** Reads what is kept, after all that was written before, and fences writers under an older leader epoch. */
    CompletionStage<Loaded> read();

    /**
     * Writes; NONE once it is durable. The start that is kept does not go back; where something was said of a range before, the
     * higher delivery count stands, then the higher state. After an error it may have been kept all the same: {@link #read}
     * tells.
     */
    CompletionStage<Errors> write(Change change);

    /** Forgets everything that is kept, and begins at an offset; NONE once that is durable. */
    CompletionStage<Errors> reset(int stateEpoch, long startOffset);

    /**
     * What was kept.
     *
     * @param error NONE, or why it could not be read
     * @param startOffset {@link #UNINITIALIZED} before the first write
     */
    record Loaded(Errors error, int stateEpoch, long startOffset, List<SavedRange> ranges) {
        /** It could not be read. */
        public static Loaded failed(Errors error) {
            return new Loaded(error, -1, UNINITIALIZED, List.of());
        }
    }

    /**
     * What changed.
     *
     * @param stateEpoch as it was read
     * @param startOffset everything below is settled
     * @param settledCount offsets from there on that are settled too
     */
    record Change(int stateEpoch, long startOffset, int settledCount, List<SavedRange> ranges) {}
}
