package io.sluice.protocol.record;

/** What a check looks at in each record of a batch, one after the other. For one thread. */
interface RecordFacts {
    /**
     * Moves to the next record.
     *
     * @return false after the last one that the batch's header promises
     * @throws MalformedBatchException if the bytes hold no such record, or hold more than were promised
     */
    boolean next();

    /** Sees that the headers fill the record exactly; returns how many there are. */
    int checkHeaders();

    /** Number of the record in its batch, from 0. */
    int ordinal();

    /** Its offset, relative to the batch's first. */
    int offsetDelta();

    /** Its timestamp in milliseconds: its own, or the batch's where that has the time of append. */
    long timestamp();

    /** Bytes of the key, or -1 where there is none. */
    int keyLength();
}
