package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

class NodeStopTest {
    private final List<String> closed = new ArrayList<>();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int stop(Runnable task) {
        return Main.stop(task, new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    @Test
    void aPartThatFailsToStopIsToldAndKeepsNoOtherRunning() {
        Deque<AutoCloseable> parts = new ArrayDeque<>();
        parts.push(() -> closed.add("first"));
        parts.push(() -> {
            throw new IOException("the disk refuses");
        });
        parts.push(() -> closed.add("last"));
        assertThat(Node.closeAll(parts)).isFalse();
        assertThat(closed).containsExactly("last", "first");
    }

    @Test
    void aStopWithoutFailureIsTold() {
        Deque<AutoCloseable> parts = new ArrayDeque<>();
        parts.push(() -> closed.add("only"));
        assertThat(Node.closeAll(parts)).isTrue();
    }

    @Test
    void theProcessEndsAsTheStopWent() {
        assertThat(stop(() -> closed.add("node"))).isEqualTo(ExitCode.OK.code());
        assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
        assertThat(stop(() -> {
                    throw new UserException(ExitCode.FAILED, "The node did not stop as it should.");
                }))
                .isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo("sluice: The node did not stop as it should.\n");
    }
}
