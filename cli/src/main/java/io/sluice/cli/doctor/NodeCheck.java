package io.sluice.cli.doctor;

import io.sluice.base.error.FileFailures;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalLong;

/**
 * Whether the node that runs on the data directory is up to something: asked over its admin port, within a time.
 *
 * @param nodePid the node, if one runs
 * @param adminPort where it is asked, if it listens there
 * @param timeoutMillis for the connection and for the answer
 */
record NodeCheck(SystemFiles files, OptionalLong nodePid, String adminHost, int adminPort, int timeoutMillis) {
    private static final String NAME = "node";
    private static final int MAX_ANSWER_BYTES = 4096;

    /** Nothing where no node runs. */
    List<Finding> run() {
        return nodePid.isEmpty() ? List.of() : List.of(check(nodePid.getAsLong()));
    }

    private Finding check(long pid) {
        String node = "this data directory's node, process " + pid + ",";
        if (isStopped(pid)) {
            return Finding.problem(
                    NAME,
                    node + " has been stopped by a signal and serves nobody",
                    "'kill -CONT " + pid + "' lets it go on; its clients may have timed out meanwhile.");
        }
        if (!new PortHolder(files).listens(pid, adminHost, adminPort).orElse(true)) {
            return Finding.warning(
                    NAME,
                    node + " runs, but not with the admin port " + adminHost + ":" + adminPort,
                    "Name the one it has with --admin-port N; without it nobody can ask how the node is.");
        }
        try {
            return answer(node);
        } catch (SocketTimeoutException e) {
            return Finding.problem(
                    NAME,
                    node + " does not answer on its admin port within " + timeoutMillis / 1_000 + " s",
                    "It hangs, or the machine is overloaded: look at its log, at 'top' and at the disk ('iostat -x').");
        } catch (IOException e) {
            return Finding.warning(
                    NAME,
                    node + " cannot be asked on its admin port (" + FileFailures.reason(e) + ")",
                    "Give its --admin-port N; it may also be starting or ending just now.");
        }
    }

    /** State T of proc(5): stopped by a signal, not traced (t), sleeping or running. */
    private boolean isStopped(long pid) {
        return files.lines("proc/" + pid + "/status").stream()
                .filter(line -> line.startsWith("State:"))
                .anyMatch(line -> line.substring("State:".length()).strip().startsWith("T"));
    }

    private Finding answer(String node) throws IOException {
        HttpURLConnection connection =
                (HttpURLConnection) URI.create("http://" + adminHost + ":" + adminPort + "/health/ready")
                        .toURL()
                        .openConnection(Proxy.NO_PROXY);
        connection.setConnectTimeout(timeoutMillis);
        connection.setReadTimeout(timeoutMillis);
        try {
            if (connection.getResponseCode() == HttpURLConnection.HTTP_OK) {
                return Finding.ok(NAME, node + " is ready");
            }
            try (InputStream in = connection.getErrorStream()) {
                String body = in == null ? "" : new String(in.readNBytes(MAX_ANSWER_BYTES), StandardCharsets.UTF_8);
                return Finding.warning(
                        NAME,
                        node + " is not ready: " + body.strip(),
                        "Wait for it; /health/ready tells how far it is.");
            }
        } finally {
            connection.disconnect();
        }
    }
}
