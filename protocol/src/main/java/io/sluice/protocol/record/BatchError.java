package io.sluice.protocol.record;

/** Why a batch was refused, with Kafka's code for it. */
public enum BatchError {
    /** The bytes are damaged: CORRUPT_MESSAGE. */
    CORRUPT(2),
    /** The batch is larger than the topic allows: MESSAGE_TOO_LARGE. */
    TOO_LARGE(10),
    /** A record's time is out of range: INVALID_TIMESTAMP. */
    INVALID_TIMESTAMP(32),
    /** The codec may not be used with this version of the request: UNSUPPORTED_COMPRESSION_TYPE. */
    UNSUPPORTED_CODEC(76),
    /** Anything else that a client's batch may not be: INVALID_RECORD. */
    INVALID(87);

    private final short code;

    BatchError(int code) {
        this.code = (short) code;
    }

    /** The code on the wire. */
    public short code() {
        return code;
    }
}
