package io.sluice.server.http;

import java.nio.charset.StandardCharsets;

/**
 * An answer.
 *
 * @param status HTTP status code
 * @param contentType of the body
 * @param body bytes, not changed any more
 */
@SuppressWarnings("ArrayRecordComponent") // bytes on their way out; nobody compares pages
public record Page(int status, String contentType, byte[] body) {
    /** JSON text. */
    public static Page json(int status, String json) {
        return new Page(status, "application/json", (json + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Plain text. */
    public static Page text(int status, String text) {
        return new Page(status, "text/plain; charset=utf-8", (text + "\n").getBytes(StandardCharsets.UTF_8));
    }
}
