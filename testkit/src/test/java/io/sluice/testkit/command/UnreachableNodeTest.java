package io.sluice.testkit.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.time.SystemClock;
import io.sluice.testkit.process.Ports;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every client command at an address where nobody answers: one line, exit code 69, within bounds. */
class UnreachableNodeTest {
    private static final String COMMANDS =
            "topic create t|topic list|topic describe t|topic alter t --partitions 2|topic delete t|produce t|consume t|"
                    + "group list|group describe g|group reset-offsets g --to-latest|group delete g|client list";

    private static CommandRun run(String command, int port, String... options) {
        List<String> arguments = new ArrayList<>(Arrays.asList(command.split(" ", -1)));
        arguments.addAll(List.of("--bootstrap-server", "127.0.0.1:" + port));
        arguments.addAll(List.of(options));
        return CommandRun.withInput("line\n", arguments.toArray(String[]::new));
    }

    @ParameterizedTest
    @org.junit.jupiter.params.provider.MethodSource("commands")
    void refusedConnection(String command) throws Exception {
        CommandRun run = run(command, Ports.free(1).get(0));

        assertThat(run.exitCode()).isEqualTo(69);
        assertThat(run.err())
                .startsWith("sluice: No node answers at 127.0.0.1:")
                .hasLineCount(1);
        assertThat(run.out()).isEmpty();
    }

    static List<String> commands() {
        return Arrays.asList(COMMANDS.split("\\|", -1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"topic list", "produce t", "consume t"})
    void silentListener(String command) throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            long start = SystemClock.INSTANCE.nanoTime();

            CommandRun run = run(command, silent.getLocalPort(), "--timeout", "2");

            assertThat(run.exitCode()).as(run.err()).isEqualTo(69);
            assertThat(run.err()).contains("No answer in time").hasLineCount(1);
            assertThat(Duration.ofNanos(SystemClock.INSTANCE.nanoTime() - start))
                    .isLessThan(Duration.ofSeconds(15));
        }
    }
}
