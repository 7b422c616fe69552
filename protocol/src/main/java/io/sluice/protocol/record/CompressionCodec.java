package io.sluice.protocol.record;

import org.jspecify.annotations.Nullable;

/** How the records of a batch are compressed. Codes are on the wire: the three lowest bits of a batch's attributes. */
public enum CompressionCodec {
    NONE(0),
    GZIP(1),
    SNAPPY(2),
    LZ4(3),
    ZSTD(4);

    private static final CompressionCodec[] BY_CODE = values();

    private final int code;

    CompressionCodec(int code) {
        this.code = code;
    }

    /** The bits on the wire. */
    public int code() {
        return code;
    }

    /** The codec of a code, or null for a code that has none. */
    public static @Nullable CompressionCodec find(int code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }

    /** The codec called so in {@code compression.type}, or null for any other word ("producer"). */
    public static @Nullable CompressionCodec named(String name) {
        return switch (name) {
            case "none", "uncompressed" -> NONE;
            case "gzip" -> GZIP;
            case "snappy" -> SNAPPY;
            case "lz4" -> LZ4;
            case "zstd" -> ZSTD;
            default -> null;
        };
    }
}
