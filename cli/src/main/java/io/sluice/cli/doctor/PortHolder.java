package io.sluice.cli.doctor;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Whether a process listens on a port, as far as the kernel tells this user (proc(5): net/tcp, PID/fd). */
record PortHolder(SystemFiles files) {
    private static final List<String> TABLES = List.of("proc/net/tcp", "proc/net/tcp6");
    private static final String LISTENING = "0A";
    private static final int ADDRESS = 1;
    private static final int STATE = 3;
    private static final int INODE = 9;

    /**
     * Whether it listens on this address, or on all; empty where that cannot be known.
     *
     * @param host name or address of this machine
     */
    Optional<Boolean> listens(long pid, String host, int port) {
        if (files.lines(TABLES.get(0)).isEmpty()) {
            return Optional.empty();
        }
        Set<String> sockets = sockets(host, port);
        return files.descriptors(pid)
                .map(descriptors -> descriptors.stream().anyMatch(each -> sockets.contains(target(each))));
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            // Closed meanwhile.
            return "";
        }
    }

    /** The sockets that listen on the port, as links of descriptors show them. */
    private Set<String> sockets(String host, int port) {
        Set<String> sockets = new HashSet<>();
        List<InetAddress> addresses = addresses(host);
        String suffix = String.format(":%04X", port);
        for (String table : TABLES) {
            for (String line : files.lines(table)) {
                String[] columns = line.strip().split("\\s+", -1);
                if (columns.length > INODE
                        && columns[STATE].equals(LISTENING)
                        && columns[ADDRESS].endsWith(suffix)
                        && serves(
                                columns[ADDRESS].substring(0, columns[ADDRESS].length() - suffix.length()),
                                addresses)) {
                    sockets.add("socket:[" + columns[INODE] + "]");
                }
            }
        }
        return sockets;
    }

    private static List<InetAddress> addresses(String host) {
        try {
            return List.of(InetAddress.getAllByName(host));
        } catch (UnknownHostException e) {
            // The probe of the port says that nobody can listen there.
            return List.of();
        }
    }

    /** Whether a socket bound to this address, as the kernel writes it, takes connections to one of those. */
    private static boolean serves(String bound, List<InetAddress> addresses) {
        try {
            InetAddress address = InetAddress.getByAddress(bytes(bound));
            return !addresses.isEmpty() && (address.isAnyLocalAddress() || addresses.contains(address));
        } catch (UnknownHostException | IllegalArgumentException e) {
            // No address as far as this knows.
            return false;
        }
    }

    /** The kernel writes words of four bytes, each as its processor reads a number: the last byte first, on a little-endian one. */
    private static byte[] bytes(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        if (ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN) {
            ByteBuffer words = ByteBuffer.wrap(bytes);
            for (int at = 0; at + Integer.BYTES <= bytes.length; at += Integer.BYTES) {
                words.putInt(at, Integer.reverseBytes(words.getInt(at)));
            }
        }
        return bytes;
    }
}
