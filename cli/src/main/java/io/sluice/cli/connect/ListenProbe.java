package io.sluice.cli.connect;

import io.sluice.base.error.FileFailures;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import org.jspecify.annotations.Nullable;

/** Whether an address can be listened on: tried by listening for a moment. */
public final class ListenProbe {
    private ListenProbe() {}

    /**
     * Why an address cannot be had.
     *
     * @param reason in words, without a full stop
     * @param hostIsWrong whether no port of that host could be had
     */
    public record Refusal(String reason, boolean hostIsWrong) {}

    /**
     * Why it cannot be had, or null where it can.
     *
     * @param port 0 to 65535
     */
    public static @Nullable Refusal refusal(String host, int port) {
        InetSocketAddress address = new InetSocketAddress(host, port);
        if (address.isUnresolved()) {
            return new Refusal("this machine knows no host '" + host + "'", true);
        }
        try (ServerSocket probe = new ServerSocket()) {
            probe.setReuseAddress(true);
            probe.bind(address);
            return null;
        } catch (IOException e) {
            return isOfNoInterface(address.getAddress())
                    ? new Refusal(
                            "this machine has no address "
                                    + address.getAddress().getHostAddress() + "; it has "
                                    + String.join(", ", LocalAddresses.list()),
                            true)
                    : new Refusal(FileFailures.reason(e), false);
        }
    }

    private static boolean isOfNoInterface(InetAddress address) {
        try {
            return !address.isAnyLocalAddress()
                    && !address.isLoopbackAddress()
                    && NetworkInterface.getByInetAddress(address) == null;
        } catch (IOException e) {
            // Not known: what the attempt to listen said is told.
            return false;
        }
    }
}
