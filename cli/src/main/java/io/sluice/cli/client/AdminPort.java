package io.sluice.cli.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.sluice.base.error.ExitCode;
import io.sluice.base.error.FileFailures;
import io.sluice.base.error.UserException;
import io.sluice.cli.connect.HostAndPort;
import io.sluice.cli.output.Json;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/**
 * A node's admin port, over HTTP.
 *
 * @param address where it listens
 * @param timeout for the connection and for each read
 */
record AdminPort(HostAndPort address, Duration timeout) {
    private static final int MAX_ANSWER_BYTES = 64 * 1024 * 1024;

    /** Who is connected to the node. */
    List<ConnectedClient> clients() {
        try {
            return List.of(Json.read(get("/clients"), ConnectedClient[].class));
        } catch (JsonProcessingException e) {
            throw new UserException(
                    ExitCode.BAD_DATA, "What answers at " + address + " is no admin port of a Sluice node.", e);
        } catch (IOException e) {
            throw new UserException(
                    ExitCode.UNAVAILABLE,
                    "No admin port answers at " + address + " (" + FileFailures.reason(e)
                            + "). Run this on the node's own machine, or name the port with --admin HOST:PORT.",
                    e);
        }
    }

    private String get(String path) throws IOException {
        int timeoutMillis = Math.toIntExact(timeout.toMillis());
        HttpURLConnection connection = (HttpURLConnection)
                URI.create("http://" + address + path).toURL().openConnection(Proxy.NO_PROXY);
        connection.setConnectTimeout(timeoutMillis);
        connection.setReadTimeout(timeoutMillis);
        try {
            int status = connection.getResponseCode();
            if (status == HttpURLConnection.HTTP_UNAVAILABLE) {
                throw new UserException(
                        ExitCode.UNAVAILABLE, "The node at " + address + " does not serve yet. Try again later.");
            }
            if (status != HttpURLConnection.HTTP_OK) {
                throw new UserException(
                        ExitCode.BAD_DATA,
                        "What answers at " + address + " is no admin port of a Sluice node (HTTP " + status + ").");
            }
            try (InputStream in = connection.getInputStream()) {
                return new String(in.readNBytes(MAX_ANSWER_BYTES), StandardCharsets.UTF_8);
            }
        } finally {
            connection.disconnect();
        }
    }
}
