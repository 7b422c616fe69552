package io.sluice.cli.doctor;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
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

    /** Empty where that cannot be known. */
    Optional<Boolean> listens(long pid, int port) {
        if (files.lines(TABLES.get(0)).isEmpty()) {
            return Optional.empty();
        }
        Set<String> sockets = sockets(port);
        try (DirectoryStream<Path> descriptors =
                Files.newDirectoryStream(files.root().resolve("proc/" + pid + "/fd"))) {
            for (Path descriptor : descriptors) {
                if (sockets.contains(target(descriptor))) {
                    return Optional.of(true);
                }
            }
            return Optional.of(false);
        } catch (IOException e) {
            // Another user's process, or none of Linux': the check says that it does not know.
            return Optional.empty();
        }
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
    private Set<String> sockets(int port) {
        Set<String> sockets = new HashSet<>();
        String suffix = String.format(":%04X", port);
        for (String table : TABLES) {
            for (String line : files.lines(table)) {
                String[] columns = line.strip().split("\\s+", -1);
                if (columns.length > INODE && columns[STATE].equals(LISTENING) && columns[ADDRESS].endsWith(suffix)) {
                    sockets.add("socket:[" + columns[INODE] + "]");
                }
            }
        }
        return sockets;
    }
}
