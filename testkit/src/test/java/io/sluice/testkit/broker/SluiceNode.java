package io.sluice.testkit.broker;

import io.sluice.testkit.process.Ports;
import io.sluice.testkit.process.Settings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The product as it is shipped, started through its launcher. */
public final class SluiceNode {
    private static final Pattern READY = Pattern.compile("^Sluice \\S+ ready on \\S+ in \\d+ ms");

    private SluiceNode() {}

    static BrokerUnderTest start(Map<String, String> configs) throws IOException, InterruptedException {
        Path directory = BrokerProcess.newDirectory("sluice-");
        return start(prepare(directory, directory.resolve("data"), configs, List.of()));
    }

    static BrokerUnderTest startOn(Path data, Map<String, String> configs) throws IOException, InterruptedException {
        return start(prepare(BrokerProcess.newDirectory("sluice-"), data, configs, List.of()));
    }

    /**
     * One whose command has another put before it ("strace", …).
     */
    public static BrokerUnderTest startUnder(List<String> prefix, Map<String, String> configs)
            throws IOException, InterruptedException {
        Path directory = BrokerProcess.newDirectory("sluice-");
        return start(prepare(directory, directory.resolve("data"), configs, prefix));
    }

    /** One whose output goes to a directory of the caller's, which is deleted at the end. */
    public static BrokerUnderTest start(Path directory, Path data, Map<String, String> configs)
            throws IOException, InterruptedException {
        return start(prepare(directory, data, configs, List.of()));
    }

    private static BrokerUnderTest start(BrokerProcess process) throws IOException, InterruptedException {
        process.start();
        return process;
    }

    /** One that has not been started yet. */
    public static BrokerProcess prepare(Path directory, Path data, Map<String, String> configs, List<String> prefix)
            throws IOException {
        return new BrokerProcess(launch(InetAddress.getLoopbackAddress(), directory, data, configs, prefix));
    }

    private static BrokerProcess.Launch launch(
            InetAddress host, Path directory, Path data, Map<String, String> configs, List<String> prefix)
            throws IOException {
        List<Integer> ports = Ports.free(2);
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of(
                launcher().toString(),
                "start",
                "--data",
                data.toString(),
                "--host",
                host.getHostAddress(),
                "--port",
                ports.get(0).toString(),
                "--admin-port",
                ports.get(1).toString()));
        configs.forEach((key, value) -> {
            command.add("--set");
            command.add(key + "=" + value);
        });
        return new BrokerProcess.Launch(
                BrokerKind.SLUICE,
                new InetSocketAddress(host, ports.get(0)),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), ports.get(1)),
                command,
                READY,
                directory,
                data);
    }

    /** The launcher in the distribution that the build has made. */
    public static Path launcher() {
        Path launcher = Settings.root().resolve("server/target/dist/bin/sluice");
        if (!Files.isExecutable(launcher)) {
            throw new IllegalStateException(
                    launcher + " is missing. Build it with: mvn -Dquick -pl server package -DskipTests");
        }
        return launcher;
    }
}
