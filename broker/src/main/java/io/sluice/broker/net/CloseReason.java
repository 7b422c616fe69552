package io.sluice.broker.net;

import org.slf4j.event.Level;

/** Why this node closed a connection. The label of a metric and the text of a log line. */
enum CloseReason {
    BAD_FRAME("bad_frame", Level.WARN, "Closed a connection: the frame's size is not allowed"),
    UNKNOWN_API("unknown_api", Level.WARN, "Closed a connection: unknown API key"),
    UNSUPPORTED_VERSION("unsupported_version", Level.WARN, "Closed a connection: unsupported version of an API"),
    MALFORMED("malformed", Level.WARN, "Closed a connection: malformed request"),
    HANDLER("handler", Level.INFO, "Closed a connection instead of an answer"),
    NOT_READING("not_reading", Level.WARN, "Closed a connection: the client does not read its answers"),
    SLOW_REQUEST(
            "slow_request", Level.WARN, "Closed a connection: its request did not arrive while others wait for memory"),
    NO_MEMORY("no_memory", Level.WARN, "Closed a connection: no direct memory"),
    IDLE("idle", Level.DEBUG, "Closed an idle connection"),
    TOO_MANY("too_many", Level.WARN, "Refused a connection: too many are open"),
    STOPPING("stopping", Level.DEBUG, "Closed a connection: the node stops"),
    DEFECT("defect", Level.ERROR, "Closed a connection after a defect");

    private final String label;
    private final Level level;
    private final String message;

    CloseReason(String label, Level level, String message) {
        this.label = label;
        this.level = level;
        this.message = message;
    }

    String label() {
        return label;
    }

    Level level() {
        return level;
    }

    String message() {
        return message;
    }
}
