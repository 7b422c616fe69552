package io.sluice.cli.doctor;

import io.sluice.cli.connect.HostAndPort;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/**
 * What a node's admin port answers.
 *
 * @param address where it listens
 * @param timeoutMillis for the connection and for each read
 */
record AdminPages(HostAndPort address, int timeoutMillis) {
    private static final int MAX_ANSWER_BYTES = 16 << 20;

    /**
     * An answer.
     *
     * @param status of HTTP
     * @param body as text
     */
    record Page(int status, String body) {
        boolean isOk() {
            return status == HttpURLConnection.HTTP_OK;
        }
    }

    /** Asks for a page. */
    Page get(String path) throws IOException {
        HttpURLConnection connection = (HttpURLConnection)
                URI.create("http://" + address + path).toURL().openConnection(Proxy.NO_PROXY);
        connection.setConnectTimeout(timeoutMillis);
        connection.setReadTimeout(timeoutMillis);
        try {
            int status = connection.getResponseCode();
            boolean good = status < HttpURLConnection.HTTP_BAD_REQUEST;
            try (InputStream in = good ? connection.getInputStream() : connection.getErrorStream()) {
                byte[] body = in == null ? new byte[0] : in.readNBytes(MAX_ANSWER_BYTES);
                return new Page(status, new String(body, StandardCharsets.UTF_8));
            }
        } finally {
            connection.disconnect();
        }
    }
}
