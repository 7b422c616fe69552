package io.sluice.protocol.record;

import io.netty.buffer.ByteBuf;
import java.util.List;

/** What became of a batch's validation. */
public sealed interface BatchVerdict {
    /**
     * The batch may be appended where it lies; its timestamps are set as the topic demands.
     *
     * @param sizeInBytes bytes of the batch, from where the record set began: what trails it is not part of it
     */
    record Accepted(int sizeInBytes) implements BatchVerdict {}

    /**
     * Another batch with the same records is to be appended instead.
     *
     * @param batch the receiver's to release
     */
    record Converted(ByteBuf batch) implements BatchVerdict {}

    /**
     * The batch may not be appended.
     *
     * @param message one line without record contents
     * @param recordErrors the records to blame, at most {@link BatchValidator#MAX_RECORD_ERRORS}; empty where it is the
     *     batch itself
     * @param structural whether the record set could not even be read as one batch of magic 2
     */
    record Refused(BatchError error, String message, List<RecordError> recordErrors, boolean structural)
            implements BatchVerdict {}

    /**
     * One record to blame.
     *
     * @param index its number in the batch, from 0
     * @param message one line without record contents
     */
    record RecordError(int index, String message) {}
}
