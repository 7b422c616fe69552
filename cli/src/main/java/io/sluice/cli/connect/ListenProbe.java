package io.sluice.cli.connect;

import io.sluice.base.error.FileFailures;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import org.jspecify.annotations.Nullable;

/** Whether an address can be listened on: tried by listening for a moment. */
public final class ListenProbe {
    private ListenProbe() {}

    /**
     * Why it cannot be had, or null where it can.
     *
     * @param port 0 to 65535
     */
    public static @Nullable String refusal(String host, int port) {
        try (ServerSocket probe = new ServerSocket()) {
            probe.setReuseAddress(true);
            InetSocketAddress address = new InetSocketAddress(host, port);
            if (address.isUnresolved()) {
                return "this machine knows no host '" + host + "'";
            }
            probe.bind(address);
            return null;
        } catch (IOException e) {
            return FileFailures.reason(e);
        }
    }
}
