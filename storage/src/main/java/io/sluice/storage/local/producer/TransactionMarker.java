package io.sluice.storage.local.producer;

import io.netty.buffer.ByteBuf;
import io.sluice.protocol.record.BatchView;
import io.sluice.protocol.record.MalformedBatchException;
import io.sluice.protocol.record.RecordCursor;

/**
 * What the only record of a control batch says (KIP-98): key is version and type, value is version and the coordinator's
 * epoch.
 *
 * @param kind what it marks
 * @param coordinatorEpoch of the coordinator that wrote it, -1 where the kind has none
 */
record TransactionMarker(Kind kind, int coordinatorEpoch) {
    private static final int KEY_BYTES = 4;
    private static final int VALUE_BYTES = 6;
    private static final int ABORT = 0;
    private static final int COMMIT = 1;

    /** Kinds of control records that matter here. */
    enum Kind {
        ABORT,
        COMMIT,
        /** A control record of another purpose: it has offsets and nothing else. */
        OTHER
    }

    /**
     * Reads a control batch.
     *
     * @throws MalformedBatchException if it holds no control record
     */
    static TransactionMarker read(BatchView batch) {
        try (RecordCursor cursor = new RecordCursor().open(batch)) {
            if (!cursor.next() || cursor.keyLength() < KEY_BYTES) {
                return new TransactionMarker(Kind.OTHER, -1);
            }
            ByteBuf bytes = cursor.bytes();
            int type = bytes.getShort(cursor.keyIndex() + Short.BYTES);
            if ((type != ABORT && type != COMMIT) || cursor.valueLength() < VALUE_BYTES) {
                return new TransactionMarker(Kind.OTHER, -1);
            }
            int coordinatorEpoch = bytes.getInt(cursor.valueIndex() + Short.BYTES);
            return new TransactionMarker(type == COMMIT ? Kind.COMMIT : Kind.ABORT, coordinatorEpoch);
        }
    }
}
