package io.sluice.testkit.limit;

import io.sluice.testkit.process.Commands;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A machine of its own as far as the network goes: a namespace joined to this one by a cable that can be cut without
 * either side being told. Needs root. One at a time; belongs to one thread.
 */
final class NetworkNamespace implements AutoCloseable {
    private static final String NAME = "sluice-testkit";
    private static final String OUTER = "sluice-tk0";
    private static final String INNER = "sluice-tk1";
    /** Of the range for documentation (RFC 5737): no real host has it. */
    private static final String OUTER_ADDRESS = "192.0.2.1";

    private static final String INNER_ADDRESS = "192.0.2.2";

    private NetworkNamespace() {}

    /** Why there can be none here, if so. */
    static Optional<String> unavailable() throws IOException, InterruptedException {
        if (!"root".equals(System.getProperty("user.name"))) {
            return Optional.of("network namespaces need root");
        }
        if (!Commands.exists("ip")) {
            return Optional.of("install it with: apt-get install iproute2");
        }
        Commands.Outcome outcome = Commands.attempt(List.of("unshare", "--net", "true"), Duration.ofSeconds(10));
        return outcome.exitStatus() == 0
                ? Optional.empty()
                : Optional.of("network namespaces are not allowed here: " + outcome.output());
    }

    static NetworkNamespace create() throws IOException, InterruptedException {
        remove();
        Commands.run("ip", "netns", "add", NAME);
        NetworkNamespace namespace = new NetworkNamespace();
        Commands.run("ip", "link", "add", OUTER, "type", "veth", "peer", "name", INNER, "netns", NAME);
        Commands.run("ip", "address", "add", OUTER_ADDRESS + "/30", "dev", OUTER);
        Commands.run("ip", "link", "set", OUTER, "up");
        Commands.run("ip", "-n", NAME, "address", "add", INNER_ADDRESS + "/30", "dev", INNER);
        Commands.run("ip", "-n", NAME, "link", "set", INNER, "up");
        Commands.run("ip", "-n", NAME, "link", "set", "lo", "up");
        return namespace;
    }

    /** The address that this machine has for those in the namespace. */
    InetAddress outerAddress() throws IOException {
        return InetAddress.getByAddress(new byte[] {(byte) 192, 0, 2, 1});
    }

    /** A command, run inside. */
    List<String> inside(List<String> command) {
        List<String> all = new ArrayList<>(List.of("ip", "netns", "exec", NAME));
        all.addAll(command);
        return all;
    }

    /** Cuts the cable: packets are lost, connections stay open on both sides. */
    void cut() throws IOException, InterruptedException {
        Commands.run("ip", "-n", NAME, "link", "set", INNER, "down");
    }

    @Override
    public void close() throws IOException {
        try {
            remove();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void remove() throws IOException, InterruptedException {
        Commands.attempt(List.of("ip", "link", "delete", OUTER), Duration.ofSeconds(10));
        Commands.attempt(List.of("ip", "netns", "delete", NAME), Duration.ofSeconds(10));
    }
}
