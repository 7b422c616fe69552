package io.sluice.cli.connect;

import java.io.UncheckedIOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;

/** The addresses of this machine. */
public final class LocalAddresses {
    private LocalAddresses() {}

    /** Those that other machines may reach first, then loopback; IPv6 in brackets, link-local ones left out. */
    public static List<String> list() {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address -> !address.isLinkLocalAddress())
                    .sorted(java.util.Comparator.comparing(InetAddress::isLoopbackAddress))
                    .map(LocalAddresses::text)
                    .distinct()
                    .toList();
        } catch (SocketException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text(InetAddress address) {
        String text = address.getHostAddress();
        int zone = text.indexOf('%');
        String plain = zone < 0 ? text : text.substring(0, zone);
        return address instanceof Inet6Address ? "[" + plain + "]" : plain;
    }
}
