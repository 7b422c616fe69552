package io.sluice.coordinator.share;

import org.jspecify.annotations.Nullable;

/**
 * What a member says became of records (KIP-932).
 *
 * @param types one for each offset, or one for all of them: {@link #GAP} and so on
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and there may be thousands
public record Acknowledgement(long firstOffset, long lastOffset, byte[] types) {
    /** There is no record at the offset. */
    public static final byte GAP = 0;

    /** Done with. */
    public static final byte ACCEPT = 1;

    /** To be delivered again. */
    public static final byte RELEASE = 2;

    /** Never to be delivered again. */
    public static final byte REJECT = 3;

    /** Still being worked on: the lock is prolonged (KIP-1222). */
    public static final byte RENEW = 4;

    /**
     * Whether the offsets and types go together; what they say of the records is not looked at.
     *
     * @return what is wrong in one line, null if nothing is
     */
    public @Nullable String fault() {
        if (firstOffset < 0 || firstOffset > lastOffset) {
            return "offsets " + firstOffset + " to " + lastOffset + " are no range";
        }
        if (types.length == 0 || (types.length > 1 && types.length != lastOffset - firstOffset + 1)) {
            return types.length + " acknowledge types for offsets " + firstOffset + " to " + lastOffset
                    + ": give one, or one for each offset";
        }
        for (byte type : types) {
            if (type < GAP || type > RENEW) {
                return "acknowledge type " + type + " is unknown";
            }
        }
        return null;
    }

    /** Whether all that it says is RENEW, or anything is. */
    public boolean has(byte type) {
        for (byte each : types) {
            if (each == type) {
                return true;
            }
        }
        return false;
    }

    byte type(long offset) {
        return types.length == 1 ? types[0] : types[(int) (offset - firstOffset)];
    }

    /** The last offset of the run of one type that begins at an offset. */
    long runEnd(long from) {
        if (types.length == 1) {
            return lastOffset;
        }
        byte type = type(from);
        long end = from;
        while (end < lastOffset && type(end + 1) == type) {
            end++;
        }
        return end;
    }
}
