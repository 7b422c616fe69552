package io.sluice.protocol.frame;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.common.protocol.ApiKeys;
import org.jspecify.annotations.Nullable;

/**
 * Looks through the body of an AlterConfigs or IncrementalAlterConfigs, before it is decoded, for the same resource or the
 * same setting of a resource over and over: Kafka reads both into hash tables whose growth takes a time that goes with the
 * cube of the elements that are alike. What cannot be read is left to the decoder. For one request.
 *
 * <pre>
 * body: resources [ type: byte, name: string, configs [ name: string, operation: byte (incremental only), value: string ] ] …
 * </pre>
 */
final class ConfigKeys {
    private static final int MAX_REPEATED = 200;
    private static final int MAX_ELEMENTS = 65_536;
    private static final int VARINT_SHIFT = 7;
    private static final int VARINT_MASK = 0x7f;

    private final ByteBuffer body;
    private final boolean flexible;
    private final boolean incremental;
    private int elements;

    private ConfigKeys(ByteBuffer body, boolean flexible, boolean incremental) {
        this.body = body;
        this.flexible = flexible;
        this.incremental = incremental;
    }

    /** Whether this API's requests are to be looked through. */
    static boolean concern(ApiKeys api) {
        return api == ApiKeys.ALTER_CONFIGS || api == ApiKeys.INCREMENTAL_ALTER_CONFIGS;
    }

    /**
     * Looks through a body.
     *
     * @param body from its position on, which stays
     * @throws FrameReadable.TooLargeException if it repeats itself
     */
    @SuppressWarnings("checkstyle:IllegalCatch") // bad bytes fail here as in the decoder, which says so
    static void require(ByteBuffer body, ApiKeys api, short version) {
        boolean flexible = api.requestHeaderVersion(version) >= 2;
        boolean incremental = api == ApiKeys.INCREMENTAL_ALTER_CONFIGS;
        try {
            new ConfigKeys(body.duplicate(), flexible, incremental).walk();
        } catch (FrameReadable.TooLargeException e) {
            throw e;
        } catch (RuntimeException e) {
            return; // the decoder meets the same bytes
        }
    }

    private void walk() {
        int count = count();
        Keys resources = new Keys(count);
        for (int left = count; left > 0; left--) {
            requireFewElements();
            int type = body.get();
            resources.add(31 * text() + type);
            walkConfigs();
            skipTags();
        }
    }

    private void walkConfigs() {
        int count = count();
        Keys configs = new Keys(count);
        for (int left = count; left > 0; left--) {
            requireFewElements();
            int name = text();
            int operation = incremental ? body.get() : 0;
            text(); // the value
            configs.add(31 * name + operation);
            skipTags();
        }
    }

    /** Keys of one list; of a short one none are kept, since it cannot repeat itself too often. */
    private static final class Keys {
        private final @Nullable Set<Integer> hashes;
        private int repeated;

        Keys(int count) {
            hashes = count > MAX_REPEATED ? new HashSet<>() : null;
        }

        void add(int hash) {
            if (hashes != null && !hashes.add(hash) && ++repeated > MAX_REPEATED) {
                throw new FrameReadable.TooLargeException("it names the same over and over");
            }
        }
    }

    private void requireFewElements() {
        if (++elements > MAX_ELEMENTS) {
            throw new FrameReadable.TooLargeException("it has too many elements");
        }
    }

    private int count() {
        return flexible ? varint() - 1 : body.getInt();
    }

    /** The hash of a text, without making one; 0 for none. */
    private int text() {
        int length = flexible ? varint() - 1 : body.getShort();
        int hash = 0;
        for (int i = 0; i < length; i++) {
            hash = 31 * hash + body.get();
        }
        return hash;
    }

    private void skipTags() {
        if (flexible) {
            for (int left = varint(); left > 0; left--) {
                varint(); // which
                int size = varint();
                body.position(body.position() + size);
            }
        }
    }

    private int varint() {
        int value = 0;
        for (int shift = 0; shift < Integer.SIZE; shift += VARINT_SHIFT) {
            int next = body.get();
            value |= (next & VARINT_MASK) << shift;
            if (next >= 0) {
                return value;
            }
        }
        throw new IllegalArgumentException("a number of more than five bytes");
    }
}
