package io.sluice.cli.record;

/** Where reading starts in each partition. */
sealed interface StartPosition {
    /** The first record. */
    record Beginning() implements StartPosition {}

    /** Past the last record. */
    record End() implements StartPosition {}

    /** This offset, or the nearest there is. */
    record AtOffset(long offset) implements StartPosition {}

    /** The first record of this time or later, in milliseconds since 1970. */
    record AtTime(long epochMillis) implements StartPosition {}
}
