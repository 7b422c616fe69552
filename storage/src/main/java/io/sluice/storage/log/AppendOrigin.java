package io.sluice.storage.log;

/** Who appends. */
public enum AppendOrigin {
    /** A producer: sequence numbers are validated. */
    CLIENT,
    /** A coordinator writing its own state: no sequence numbers; passes the low-space mark. */
    COORDINATOR,
    /** A transaction marker: validated against coordinator epoch. */
    MARKER
}
