package io.sluice.storage.local.segment;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How a segment's file is called: the base offset in 20 digits, then, for what the cleaner wrote, a dash and the number of
 * the rewriting, so that old and new never share a name.
 *
 * @param baseOffset offsets in it are not below
 * @param version 0 as appended, then one more each time it was rewritten
 */
public record SegmentName(long baseOffset, int version) {
    private static final Pattern PATTERN = Pattern.compile("(\\d{20})(?:-(\\d{1,9}))?\\.(?:log|index)");
    private static final String SUFFIX = ".log";
    private static final String INDEX_SUFFIX = ".index";

    /** Reads a file name, or returns null where it is none of a segment. */
    public static @Nullable SegmentName parse(String fileName) {
        return fileName.endsWith(SUFFIX) ? parseAny(fileName) : null;
    }

    /** Reads the name of a segment's file or of its index, or returns null where it is neither. */
    public static @Nullable SegmentName parseAny(String fileName) {
        Matcher matcher = PATTERN.matcher(fileName);
        if (!matcher.matches()) {
            return null;
        }
        String version = matcher.group(2);
        return new SegmentName(Long.parseLong(matcher.group(1)), version == null ? 0 : Integer.parseInt(version));
    }

    private String stem() {
        String digits = Long.toString(baseOffset);
        String padded = "0".repeat(20 - digits.length()) + digits;
        return version == 0 ? padded : padded + "-" + version;
    }

    /** Name of the file of batches. */
    public String fileName() {
        return stem() + SUFFIX;
    }

    /** Name of its index. */
    public String indexFileName() {
        return stem() + INDEX_SUFFIX;
    }
}
