package io.sluice.protocol.record;

import org.jspecify.annotations.Nullable;

/**
 * The bytes of a batch cannot be read as the records that its header promises, or may not be, because they would expand
 * too far. The message is one line without record contents.
 */
public final class MalformedBatchException extends RuntimeException {
    private final boolean expansion;

    private MalformedBatchException(String message, boolean expansion, @Nullable Throwable cause) {
        super(message, cause);
        this.expansion = expansion;
    }

    static MalformedBatchException of(String message) {
        return new MalformedBatchException(message, false, null);
    }

    static MalformedBatchException of(String message, Throwable cause) {
        return new MalformedBatchException(message, false, cause);
    }

    static MalformedBatchException expandsBeyond(long limitBytes, int batchBytes) {
        return new MalformedBatchException(
                "a batch of " + batchBytes + " bytes expands beyond the " + limitBytes + " bytes allowed for it",
                true,
                null);
    }

    /** Whether the batch was refused because it expands too far; the bytes may be sound otherwise. */
    public boolean isExpansion() {
        return expansion;
    }
}
