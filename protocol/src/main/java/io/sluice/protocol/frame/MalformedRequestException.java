package io.sluice.protocol.frame;

/** A request that cannot be read. The message is one line for the log and holds nothing of what the client sent. */
public final class MalformedRequestException extends Exception {
    /** Says what is wrong. */
    public MalformedRequestException(String message) {
        super(message);
    }

    /** Says what is wrong and what found it. */
    public MalformedRequestException(String message, Throwable cause) {
        super(message, cause);
    }
}
