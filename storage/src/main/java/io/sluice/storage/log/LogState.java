package io.sluice.storage.log;

/**
 * The life of a partition's log.
 *
 * <pre>
 * RECOVERING -> SERVING -> FROZEN -> SEALED
 *      |           |  ^------'         |
 *      '-----------+-------------------+--> FAILED
 * any of them -> DELETED
 * </pre>
 */
public enum LogState {
    /** Snapshot and replay are under way; nothing is answered. */
    RECOVERING,
    /** Appends and reads are served. */
    SERVING,
    /** Appends are held for a hand-over; reads are served. */
    FROZEN,
    /** No append will ever be accepted under this epoch; reads are served. */
    SEALED,
    /** Storage failed: appends are refused, reads up to the visible offset are served. */
    FAILED,
    /** Renamed away; readers get UNKNOWN_TOPIC_ID, files go with the last reader. */
    DELETED
}
