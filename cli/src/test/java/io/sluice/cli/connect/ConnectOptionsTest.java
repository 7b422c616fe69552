package io.sluice.cli.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class ConnectOptionsTest {
    @Command
    private static final class Connecting {
        @Mixin
        private ConnectOptions connect = new ConnectOptions();
    }

    private static int freePort() throws Exception {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    @Test
    void tellsOfEachAddressWhyItIsNone() throws Exception {
        int refused = freePort();
        Connecting command = new Connecting();
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            new CommandLine(command)
                    .parseArgs(
                            "--timeout",
                            "1",
                            "--bootstrap-server",
                            "127.0.0.1:" + refused + ",127.0.0.1:" + silent.getLocalPort());

            UserException failure = catchThrowableOfType(UserException.class, command.connect::clientConfig);

            assertThat(failure.exitCode()).isEqualTo(ExitCode.UNAVAILABLE);
            assertThat(failure.line())
                    .contains(
                            "No node answers at 127.0.0.1:" + refused + " (",
                            "No answer in time from 127.0.0.1:" + silent.getLocalPort() + ".");
        }
    }
}
