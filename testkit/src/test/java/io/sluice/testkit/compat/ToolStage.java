package io.sluice.testkit.compat;

import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.client.TopicSetup;
import io.sluice.testkit.process.Await;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Where a scenario of commands plays: one broker, the tools, and the clients that have to be there meanwhile. Keeps what the
 * commands printed. Closing it ends the clients. Belongs to one thread.
 */
final class ToolStage implements AutoCloseable {
    /** Time stamp of the first record of each partition; the others follow a second apart. */
    static final long FIRST_RECORD_MILLIS = 1_577_836_800_000L;

    private static final long RECORD_DISTANCE_MILLIS = 1_000;
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final BrokerUnderTest broker;
    private final ToolProcess tools;
    private final Path directory;
    private final ToolMask mask;
    private final List<Printed> printed = new ArrayList<>();
    private final Deque<Closeable> clients = new ArrayDeque<>();

    ToolStage(BrokerUnderTest broker, ToolProcess tools) throws IOException {
        this.broker = broker;
        this.tools = tools;
        this.directory = Files.createTempDirectory("sluice-tools");
        this.mask = new ToolMask(broker, directory.toString());
    }

    /** A command and what it printed, masked. */
    record Printed(String command, int exitStatus, List<String> lines) {}

    List<Printed> printed() {
        return List.copyOf(printed);
    }

    /** Runs a tool: its name without {@code kafka-} and {@code .sh}, and its arguments; {@code ~} stands for a space in one. */
    void run(String commandLine) throws IOException {
        ToolProcess.Run run = attempt(commandLine);
        keep(commandLine, run);
    }

    /** Runs a tool until it prints something: brokers may hear of a change a moment after it was confirmed. */
    void runUntil(String text, String commandLine) throws Exception {
        Pattern pattern = Pattern.compile(text);
        ToolProcess.Run run = Await.until(
                text + " of " + commandLine,
                LIMIT,
                () -> attempt(commandLine),
                each -> pattern.matcher(each.output()).find());
        keep(commandLine, run);
    }

    private ToolProcess.Run attempt(String commandLine) throws IOException {
        StockTool tool = StockTool.of(commandLine);
        return tools.run(tool.className(), tool.arguments(commandLine, broker.bootstrapServers()));
    }

    private void keep(String commandLine, ToolProcess.Run run) {
        printed.add(new Printed(mask.of(commandLine), run.exitStatus(), mask.lines(run.output())));
    }

    /** Writes a file that a command names; returns its path. */
    String file(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text).toString();
    }

    void topic(String topic, int partitions) throws Exception {
        TopicSetup.create(broker.bootstrapServers(), topic, partitions);
    }

    /** A producer that is closed with the stage. */
    KafkaProducer<String, String> producer(Map<String, String> configs) {
        Map<String, Object> all = new HashMap<>(configs);
        all.put("bootstrap.servers", broker.bootstrapServers());
        return keep(new KafkaProducer<>(all, new StringSerializer(), new StringSerializer()));
    }

    /** Writes records one by one, so that every one has a batch of its own. */
    void records(String topic, int partition, int count) throws Exception {
        KafkaProducer<String, String> producer = producer(Map.of());
        for (int i = 0; i < count; i++) {
            long millis = FIRST_RECORD_MILLIS + i * RECORD_DISTANCE_MILLIS;
            producer.send(new ProducerRecord<>(topic, partition, millis, "key-" + i, "value-" + i))
                    .get();
        }
    }

    /** A member of a group, which has its partitions and has committed what it read. */
    KafkaConsumer<String, String> member(String group, String topic, Map<String, String> configs) throws Exception {
        Map<String, Object> all = new HashMap<>();
        all.put("bootstrap.servers", broker.bootstrapServers());
        all.put("group.id", group);
        all.put("client.id", "member-of-" + group);
        all.put("auto.offset.reset", "earliest");
        all.put("enable.auto.commit", "false");
        all.putAll(configs);
        KafkaConsumer<String, String> consumer =
                keep(new KafkaConsumer<>(all, new StringDeserializer(), new StringDeserializer()));
        consumer.subscribe(List.of(topic));
        Await.until(
                "records of " + topic,
                LIMIT,
                () -> consumer.poll(Duration.ofSeconds(1)).count(),
                count -> count > 0);
        consumer.commitSync();
        return consumer;
    }

    /** A member of a share group, which has been given records and has acknowledged them. */
    KafkaShareConsumer<String, String> shareMember(String group, String topic) throws Exception {
        KafkaShareConsumer<String, String> consumer = keep(new KafkaShareConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        broker.bootstrapServers(),
                        "group.id",
                        group,
                        "client.id",
                        "member-of-" + group),
                new StringDeserializer(),
                new StringDeserializer()));
        consumer.subscribe(List.of(topic));
        Await.until(
                "records of " + topic,
                LIMIT,
                () -> consumer.poll(Duration.ofSeconds(1)).count(),
                count -> count > 0);
        consumer.commitSync();
        return consumer;
    }

    private <T extends Closeable> T keep(T client) {
        clients.push(client);
        return client;
    }

    @Override
    public void close() throws IOException {
        for (Closeable client : clients) {
            client.close();
        }
        try (java.util.stream.Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(directory);
    }
}
