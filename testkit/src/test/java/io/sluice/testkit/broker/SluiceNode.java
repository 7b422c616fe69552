package io.sluice.testkit.broker;

import io.sluice.testkit.process.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The product as it is shipped, started through its launcher. */
public final class SluiceNode {
    private static final Pattern READY = Pattern.compile("^Sluice \\S+ ready on \\S+ in \\d+ ms");

    private SluiceNode() {}

    /** One in a directory of its own. */
    static BrokerUnderTest start(SluiceBuild build, Map<String, String> configs)
            throws IOException, InterruptedException {
        return startUnder(build, List.of(), configs);
    }

    static BrokerUnderTest startOn(SluiceBuild build, Path data, Map<String, String> configs)
            throws IOException, InterruptedException {
        return start(prepare(build, BrokerProcess.newDirectory("sluice-"), data, configs, List.of()));
    }

    /** The shipped one, whose command has another put before it ("strace", …). */
    public static BrokerUnderTest startUnder(List<String> prefix, Map<String, String> configs)
            throws IOException, InterruptedException {
        return startUnder(SluiceBuild.SHIPPED, prefix, configs);
    }

    /** One whose command has another put before it ("strace", …). */
    public static BrokerUnderTest startUnder(SluiceBuild build, List<String> prefix, Map<String, String> configs)
            throws IOException, InterruptedException {
        Path directory = BrokerProcess.newDirectory("sluice-");
        return start(prepare(build, directory, directory.resolve("data"), configs, prefix));
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
        return prepare(SluiceBuild.SHIPPED, directory, data, configs, prefix);
    }

    private static BrokerProcess prepare(
            SluiceBuild build, Path directory, Path data, Map<String, String> configs, List<String> prefix)
            throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(build.command());
        return new BrokerProcess(launch(InetAddress.getLoopbackAddress(), directory, data, configs, command));
    }

    private static BrokerProcess.Launch launch(
            InetAddress host, Path directory, Path data, Map<String, String> configs, List<String> program)
            throws IOException {
        List<Integer> ports = Ports.free(2);
        List<String> command = new ArrayList<>(program);
        command.addAll(List.of(
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
        return Path.of(SluiceBuild.SHIPPED.command().get(0));
    }
}
