package io.sluice.cli.doctor;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;

/** Whether the ports are free. */
record PortCheck(String host, int port, int adminPort) {
    List<Finding> run() {
        return List.of(
                check("port", host, port, "--port"), check("admin port", "127.0.0.1", adminPort, "--admin-port"));
    }

    private static Finding check(String name, String host, int port, String option) {
        String address = host + ":" + port;
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(host, port));
            return Finding.ok(name, address + " is free");
        } catch (IOException e) {
            return Finding.warning(
                    name,
                    address + " cannot be had (" + e.getMessage() + ")",
                    "If that is not this node already running ('ss -ltnp' tells), choose another with " + option
                            + " N.");
        }
    }
}
