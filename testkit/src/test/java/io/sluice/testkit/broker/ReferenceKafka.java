package io.sluice.testkit.broker;

import io.sluice.testkit.process.Commands;
import io.sluice.testkit.process.Ports;
import io.sluice.testkit.process.Settings;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A real Kafka of the version that this build compiles against: KRaft, one node, both roles in one process. */
final class ReferenceKafka {
    private static final String CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qg";
    private static final Pattern READY = Pattern.compile("Kafka Server started");
    private static final List<String> JVM = List.of("-Xmx512m", "-Xms64m", "-XX:+UseG1GC", "-XX:TieredStopAtLevel=1");

    private ReferenceKafka() {}

    static BrokerUnderTest start(Map<String, String> configs) throws IOException, InterruptedException {
        Path directory = BrokerProcess.newDirectory("kafka-");
        return start(directory, directory.resolve("data"), configs);
    }

    static BrokerUnderTest startOn(Path data, Map<String, String> configs) throws IOException, InterruptedException {
        return start(BrokerProcess.newDirectory("kafka-"), data, configs);
    }

    private static BrokerUnderTest start(Path directory, Path data, Map<String, String> configs)
            throws IOException, InterruptedException {
        List<Integer> ports = Ports.free(2);
        Path properties = directory.resolve("server.properties");
        Path plugIn = placePlugIn(directory.resolve("plug-in"));
        Map<String, String> all = singleNode(ports.get(0), ports.get(1), data);
        all.putAll(configs);
        Files.write(
                properties,
                all.entrySet().stream()
                        .map(entry -> entry.getKey() + "=" + entry.getValue())
                        .toList());
        format(properties);
        BrokerProcess process = new BrokerProcess(new BrokerProcess.Launch(
                BrokerKind.KAFKA,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), ports.get(0)),
                null,
                java(classPath() + File.pathSeparator + plugIn, "kafka.Kafka", properties.toString()),
                READY,
                directory,
                data));
        process.start();
        return process;
    }

    private static Map<String, String> singleNode(int port, int controllerPort, Path data) {
        Map<String, String> configs = new LinkedHashMap<>();
        configs.put("process.roles", "broker,controller");
        configs.put("node.id", "1");
        configs.put("controller.quorum.voters", "1@127.0.0.1:" + controllerPort);
        configs.put("listeners", "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort);
        configs.put("advertised.listeners", "PLAINTEXT://127.0.0.1:" + port);
        configs.put("controller.listener.names", "CONTROLLER");
        configs.put("listener.security.protocol.map", "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT");
        configs.put("log.dirs", data.toString());
        configs.put("offsets.topic.replication.factor", "1");
        configs.put("offsets.topic.num.partitions", "8");
        configs.put("transaction.state.log.replication.factor", "1");
        configs.put("transaction.state.log.min.isr", "1");
        configs.put("transaction.state.log.num.partitions", "8");
        configs.put("share.coordinator.state.topic.replication.factor", "1");
        configs.put("share.coordinator.state.topic.min.isr", "1");
        configs.put("group.initial.rebalance.delay.ms", "0");
        configs.put("group.streams.initial.rebalance.delay.ms", "0");
        configs.put("metric.reporters", ReferenceTelemetry.class.getName());
        return configs;
    }

    private static void format(Path properties) throws IOException, InterruptedException {
        List<String> command = java(
                classPath(),
                "kafka.tools.StorageTool",
                "format",
                "--ignore-formatted",
                "-t",
                CLUSTER_ID,
                "-c",
                properties.toString());
        Commands.Outcome outcome = Commands.attempt(command, Duration.ofSeconds(60));
        if (outcome.exitStatus() != 0) {
            throw new IOException("Kafka's storage could not be formatted: " + outcome.output());
        }
    }

    /** Kafka serves client telemetry only with a plug-in that takes it. */
    private static Path placePlugIn(Path directory) throws IOException {
        String file = ReferenceTelemetry.class.getName().replace('.', '/') + ".class";
        Path target = directory.resolve(file);
        Files.createDirectories(target.getParent());
        try (InputStream in = ReferenceTelemetry.class.getClassLoader().getResourceAsStream(file)) {
            Files.copy(Objects.requireNonNull(in, file), target);
        }
        return directory;
    }

    private static List<String> java(String classPath, String... mainAndArguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JVM);
        command.add("-Dlogback.configurationFile="
                + Settings.target().resolve("test-classes").resolve("reference-logback.xml"));
        command.add("-cp");
        command.add(classPath);
        command.addAll(Arrays.asList(mainAndArguments));
        return command;
    }

    /** The jars of this test's own class path; directories and the product's jars stay out. */
    private static String classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(element -> element.endsWith(".jar")
                        && !Path.of(element).getFileName().toString().startsWith("sluice-"))
                .collect(Collectors.joining(File.pathSeparator));
    }
}
