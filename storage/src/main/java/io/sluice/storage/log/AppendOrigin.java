package io.sluice.storage.log;

/** Who appends. */
public enum AppendOrigin {
    /** A producer: sequence numbers are validated. */
    CLIENT,
    /**
     * A coordinator writing its own state: no sequence numbers; passes the low-space mark and has room of its own in the
     * journal.
     */
    COORDINATOR,
    /** A transaction marker: validated against coordinator epoch; passes and has room as a coordinator does. */
    MARKER,
    /**
     * A marker of a transaction whose end raised the producer's epoch (KIP-890): one that bears the epoch of the data belongs to
     * an end before, and is refused.
     */
    RAISED_MARKER;

    /** Whether it is a transaction marker. */
    public boolean isMarker() {
        return this == MARKER || this == RAISED_MARKER;
    }
}
