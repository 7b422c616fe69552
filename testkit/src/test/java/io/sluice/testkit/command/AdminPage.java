package io.sluice.testkit.command;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/**
 * A page of a node's admin port.
 *
 * @param status HTTP's
 * @param body as text
 */
public record AdminPage(int status, String body) {
    private static final int TIMEOUT_MILLIS = 10_000;

    /** Asks for a page. */
    public static AdminPage get(InetSocketAddress address, String path) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) URI.create("http://127.0.0.1:" + address.getPort() + path)
                .toURL()
                .openConnection();
        connection.setConnectTimeout(TIMEOUT_MILLIS);
        connection.setReadTimeout(TIMEOUT_MILLIS);
        int status = connection.getResponseCode();
        try (var in = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
            return new AdminPage(status, new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    /** Value of a series of the metrics page by its name and labels as they stand there; NaN where it is missing. */
    public double series(String series) {
        return body.lines()
                .filter(line -> line.startsWith(series + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
                .findFirst()
                .orElse(Double.NaN);
    }
}
