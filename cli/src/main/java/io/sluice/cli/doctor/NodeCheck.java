package io.sluice.cli.doctor;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.JsonProcessingException;
import io.sluice.base.error.FileFailures;
import io.sluice.cli.connect.HostAndPort;
import io.sluice.cli.output.Json;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether the node that runs on the data directory is up to something: asked over its admin port, within a time.
 *
 * @param use the node, if one runs
 * @param adminHost where it is asked, if it listens there
 * @param adminPort the port of that
 * @param timeoutMillis for the connection and for the answer
 */
record NodeCheck(SystemFiles files, DirectoryUse use, String adminHost, int adminPort, int timeoutMillis) {
    private static final String NAME = "node";

    /** Nothing where no node runs. */
    List<Finding> run() {
        if (!use.inUse()) {
            return List.of();
        }
        return use.pid().isPresent() ? check(use.pid().getAsLong()) : List.of(unseen());
    }

    private static Finding unseen() {
        return Finding.warning(
                NAME,
                "a process holds this data directory that is not seen from here, as one in a container",
                "Run 'sluice doctor' where the node runs, and as its user.");
    }

    private List<Finding> check(long pid) {
        String node = "this data directory's node, process " + pid + ",";
        if (isStopped(pid)) {
            return List.of(Finding.problem(
                    NAME,
                    node + " has been stopped by a signal and serves nobody",
                    "'kill -CONT " + pid + "' lets it go on; its clients may have timed out meanwhile."));
        }
        if (!new PortHolder(files).listens(pid, adminHost, adminPort).orElse(true)) {
            return List.of(
                    Finding.warning(
                            NAME,
                            node + " runs, but not with the admin port " + admin(),
                            "Name the one it has with --admin-host H and --admin-port N; without it nobody can ask how the node is."));
        }
        try {
            return answer(node);
        } catch (SocketTimeoutException e) {
            return List.of(
                    Finding.problem(
                            NAME,
                            node + " does not answer on its admin port within " + timeoutMillis / 1_000 + " s",
                            "It hangs, or the machine is overloaded: look at its log, at 'top' and at the disk ('iostat -x')."));
        } catch (IOException e) {
            return List.of(Finding.warning(
                    NAME,
                    node + " cannot be asked on its admin port (" + FileFailures.reason(e) + ")",
                    "Give its --admin-host H and --admin-port N; it may also be starting or ending just now."));
        }
    }

    private HostAndPort admin() {
        return new HostAndPort(adminHost, adminPort);
    }

    /** State T of proc(5): stopped by a signal, not traced (t), sleeping or running. */
    private boolean isStopped(long pid) {
        return files.lines("proc/" + pid + "/status").stream()
                .filter(line -> line.startsWith("State:"))
                .anyMatch(line -> line.substring("State:".length()).strip().startsWith("T"));
    }

    /** A finding of its own for each problem that a node tells which serves the rest. */
    private static List<Finding> serving(String node, Answer answer) {
        if (answer.problems == null || answer.problems.isEmpty()) {
            return List.of(Finding.ok(NAME, node + " is ready"));
        }
        return answer.problems.stream()
                .map(each -> Finding.problem(NAME, node + " serves, but " + each.problem, each.advice))
                .toList();
    }

    /** The part of what {@code /health/ready} answers that matters here. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    private record Answer(@Nullable String status, @Nullable List<Problem> problems) {}

    private record Problem(String problem, String advice) {}

    private static Answer parse(String body) throws IOException {
        try {
            Answer answer = Json.read(body, Answer.class);
            if (answer != null) {
                return answer;
            }
        } catch (JsonProcessingException e) {
            throw new IOException("it answers what no node does", e);
        }
        throw new IOException("it answers nothing");
    }

    private List<Finding> answer(String node) throws IOException {
        AdminPages.Page page = new AdminPages(admin(), timeoutMillis).get("/health/ready");
        Answer answer = parse(page.body());
        if (page.isOk()) {
            return serving(node, answer);
        }
        return List.of(
                "failed".equals(answer.status)
                        ? Finding.problem(
                                NAME,
                                node + " has given up writing: " + page.body().strip(),
                                "Look at the kernel's log and at the disk, mend what is named here, and start the node"
                                        + " again.")
                        : Finding.warning(
                                NAME,
                                node + " is not ready: " + page.body().strip(),
                                "Wait for it; /health/ready tells how far it is."));
    }
}
