package io.sluice.benchmarks.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Kafka 4.4.0 from Maven Central, one KRaft node. Default settings but for heap, directories, ports and what one node needs
 * (replication factors of 1); JVM flags are those of its own start script.
 *
 * @param heap maximum heap, as Sluice's
 * @param flushed whether topics get flush.messages=1, Kafka's way to keep an acknowledged record over a power cut
 */
record KafkaContender(String heap, boolean flushed) implements Contender {
    private static final String CLUSTER_ID = "U2x1aWNlQ29tcGFyZTAwMQ";
    private static final long FORMAT_SECONDS = 60;

    @Override
    public String title() {
        return flushed ? "Kafka flush.messages=1" : "Kafka";
    }

    @Override
    public Map<String, String> topicConfigs() {
        return flushed ? Map.of("flush.messages", "1") : Map.of();
    }

    @Override
    public void prepare(Path directory, int port) throws IOException, InterruptedException {
        Files.createDirectories(directory);
        int controllerPort = Launch.freePort();
        Files.writeString(
                settings(directory),
                String.join(
                        "\n",
                        "process.roles=broker,controller",
                        "node.id=1",
                        "controller.quorum.voters=1@127.0.0.1:" + controllerPort,
                        "listeners=PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort,
                        "advertised.listeners=PLAINTEXT://127.0.0.1:" + port,
                        "controller.listener.names=CONTROLLER",
                        "listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
                        "log.dirs=" + directory.resolve("logs"),
                        "offsets.topic.replication.factor=1",
                        "transaction.state.log.replication.factor=1",
                        "transaction.state.log.min.isr=1",
                        "share.coordinator.state.topic.replication.factor=1",
                        "share.coordinator.state.topic.min.isr=1",
                        ""));
        Process format = new ProcessBuilder(Launch.java(
                        "256m",
                        List.of(),
                        "kafka.tools.StorageTool",
                        List.of(
                                "format",
                                "-t",
                                CLUSTER_ID,
                                "-c",
                                settings(directory).toString())))
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("format.log").toFile())
                .start();
        if (!format.waitFor(FORMAT_SECONDS, TimeUnit.SECONDS) || format.exitValue() != 0) {
            throw new IOException("Kafka's format failed; see " + directory.resolve("format.log"));
        }
    }

    @Override
    public List<String> command(Path directory, int port) {
        return Launch.java(
                heap,
                List.of(
                        "-Xms" + heap,
                        "-server",
                        "-XX:+UseG1GC",
                        "-XX:MaxGCPauseMillis=20",
                        "-XX:InitiatingHeapOccupancyPercent=35",
                        "-XX:+ExplicitGCInvokesConcurrent",
                        "-Djava.awt.headless=true",
                        "-Dlogback.configurationFile=benchmarks-logback.xml"),
                "kafka.Kafka",
                List.of(settings(directory).toString()));
    }

    private static Path settings(Path directory) {
        return directory.resolve("server.properties");
    }
}
