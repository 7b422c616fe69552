package io.sluice.testkit.limit;

import io.sluice.testkit.process.Commands;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A network of its own, with nothing but loopback, in which packets can be dropped without either side being told. Broker
 * and clients both run inside. Needs root. One at a time; belongs to one thread.
 */
final class NetworkNamespace implements AutoCloseable {
    /** Clients that are to fall silent have this address. */
    static final String CLIENT_ADDRESS = "127.0.0.2";

    /** Of this process: two runs beside each other have one each. */
    private static final String NAME =
            "sluice-testkit-" + ProcessHandle.current().pid();

    private NetworkNamespace() {}

    /** Why there can be none here, if so. */
    static Optional<String> unavailable() throws IOException, InterruptedException {
        if (!"root".equals(System.getProperty("user.name"))) {
            return Optional.of("network namespaces need root");
        }
        if (!Commands.exists("ip") || !Commands.exists("nft")) {
            return Optional.of("install it with: apt-get install iproute2 nftables");
        }
        Commands.Outcome outcome = Commands.attempt(
                List.of("unshare", "--net", "nft", "add", "table", "inet", "probe"), Duration.ofSeconds(10));
        return outcome.exitStatus() == 0
                ? Optional.empty()
                : Optional.of("network namespaces are not allowed here: " + outcome.output());
    }

    static NetworkNamespace create() throws IOException, InterruptedException {
        remove();
        Commands.run("ip", "netns", "add", NAME);
        Commands.run("ip", "-n", NAME, "link", "set", "lo", "up");
        return new NetworkNamespace();
    }

    /** What to put before a command to run it inside. */
    List<String> prefix() {
        return List.of("ip", "netns", "exec", NAME);
    }

    /** Drops every packet from and to the clients' address: connections stay open on both sides. */
    void cut() throws IOException, InterruptedException {
        nft("add", "table", "inet", "cut");
        nft("add", "chain", "inet", "cut", "in", "{ type filter hook input priority 0; }");
        nft("add", "rule", "inet", "cut", "in", "ip", "saddr", CLIENT_ADDRESS, "drop");
        nft("add", "rule", "inet", "cut", "in", "ip", "daddr", CLIENT_ADDRESS, "drop");
    }

    private void nft(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(prefix());
        command.add("nft");
        command.addAll(List.of(arguments));
        Commands.run(command.toArray(String[]::new));
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
        Commands.attempt(List.of("ip", "netns", "delete", NAME), Duration.ofSeconds(10));
    }
}
