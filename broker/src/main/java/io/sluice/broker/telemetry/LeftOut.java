package io.sluice.broker.telemetry;

import java.util.Locale;

/** Why a value of a push is not shown. */
enum LeftOut {
    /** Neither gauge nor sum. */
    KIND,
    /** Its metric has no name, or a long one. */
    NAME,
    /** Too many labels, or too long ones. */
    LABELS,
    /** None, or below zero where it only grows. */
    VALUE,
    /** Beyond the series that may be held. */
    ROOM;

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
