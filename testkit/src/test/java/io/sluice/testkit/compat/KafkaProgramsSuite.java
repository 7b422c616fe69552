package io.sluice.testkit.compat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.client.TopicSetup;
import io.sluice.testkit.process.Commands;
import io.sluice.testkit.process.Settings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** The programs with which Kafka's own system tests load a cluster; each is checked by what it says and by what is in the topics. */
final class KafkaProgramsSuite implements ForeignSuite {
    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final String TOOLS = "org.apache.kafka.tools.";
    private static final int PARTITIONS = 3;
    private static final int TRANSACTIONS = 40;

    private final int records = Settings.amount("sluice.testkit.compat.records", 2_000, 100_000);
    private final ObjectMapper json = new ObjectMapper();
    private final Map<String, Program> programs = new LinkedHashMap<>();

    /** One test; says what is wrong, "" if nothing. */
    private interface Program {
        String run(BrokerUnderTest broker) throws Exception;
    }

    KafkaProgramsSuite() {
        programs.put("VerifiableProducer, VerifiableConsumer of a classic group", broker -> consume(broker, "classic"));
        programs.put(
                "VerifiableProducer, VerifiableConsumer of a consumer group", broker -> consume(broker, "consumer"));
        programs.put("VerifiableShareConsumer", this::share);
        programs.put("TransactionalMessageCopier with random aborts", this::copy);
        programs.put("ClientCompatibilityTest", this::compatibility);
    }

    @Override
    public String title() {
        return "kafka-tools " + KafkaJvm.VERSION + ", programs of the system tests";
    }

    @Override
    public Optional<String> missing() {
        return Optional.empty();
    }

    @Override
    public void prepare() {
        // They are on the class path.
    }

    @Override
    public List<String> tests() {
        return List.copyOf(programs.keySet());
    }

    /** Topics and groups are made once. */
    @Override
    public int tries() {
        return 1;
    }

    @Override
    public SuiteOutcome run(String test, BrokerUnderTest broker) throws Exception {
        String wrong = Objects.requireNonNull(programs.get(test), test).run(broker);
        return wrong.isEmpty() ? SuiteOutcome.passed() : SuiteOutcome.failed(wrong);
    }

    /** Events that a program printed, and how it ended. */
    private record Said(int exitStatus, String output, List<JsonNode> events) {
        List<String> values(String eventName, String field) {
            return events.stream()
                    .filter(event -> event.path("name").asText().equals(eventName))
                    .map(event -> event.path(field).asText())
                    .toList();
        }

        /** "" if it ended well and nothing is wrong, else that and the end of its output. */
        String verdict(String wrong) {
            if (exitStatus == 0 && wrong.isEmpty()) {
                return "";
            }
            return "exit status " + exitStatus + ", " + wrong + ": "
                    + output.substring(Math.max(0, output.length() - 500)).replace('\n', ' ');
        }
    }

    private Said run(String program, String... arguments) throws IOException, InterruptedException {
        Commands.Outcome outcome = KafkaJvm.run(LIMIT, TOOLS + program, arguments);
        List<JsonNode> events = new ArrayList<>();
        for (String line : outcome.output().lines().toList()) {
            if (line.startsWith("{")) {
                events.add(json.readTree(line));
            }
        }
        return new Said(outcome.exitStatus(), outcome.output(), events);
    }

    private List<String> numbers() {
        return IntStream.range(0, records).mapToObj(Integer::toString).toList();
    }

    private String produce(BrokerUnderTest broker, String topic, int partitions) throws Exception {
        TopicSetup.create(broker.bootstrapServers(), topic, partitions);
        Said said = run(
                "VerifiableProducer",
                "--bootstrap-server",
                broker.bootstrapServers(),
                "--topic",
                topic,
                "--max-messages",
                Integer.toString(records));
        int sent = said.values("producer_send_success", "value").size();
        return said.verdict(sent == records ? "" : sent + " of " + records + " sends succeeded");
    }

    private String consume(BrokerUnderTest broker, String protocol) throws Exception {
        String topic = "verifiable-" + protocol;
        String wrong = produce(broker, topic, PARTITIONS);
        if (!wrong.isEmpty()) {
            return wrong;
        }
        Said said = run(
                "VerifiableConsumer",
                "--bootstrap-server",
                broker.bootstrapServers(),
                "--topic",
                topic,
                "--group-id",
                "group-" + protocol,
                "--group-protocol",
                protocol,
                "--max-messages",
                Integer.toString(records),
                "--verbose");
        return said.verdict(once(said.values("record_data", "value")) + refused(said, "offsets_committed"));
    }

    private String share(BrokerUnderTest broker) throws Exception {
        String wrong = produce(broker, "verifiable-share", PARTITIONS);
        if (!wrong.isEmpty()) {
            return wrong;
        }
        Said said = run(
                "VerifiableShareConsumer",
                "--bootstrap-server",
                broker.bootstrapServers(),
                "--topic",
                "verifiable-share",
                "--group-id",
                "share-group",
                "--offset-reset-strategy",
                "earliest",
                "--acknowledgement-mode",
                "sync",
                "--max-messages",
                Integer.toString(records),
                "--verbose");
        return said.verdict(once(said.values("record_data", "value")) + refused(said, "offsets_acknowledged"));
    }

    /** "" if every number was read once. */
    private String once(List<String> values) {
        List<String> sorted = values.stream()
                .sorted(java.util.Comparator.comparingInt(Integer::parseInt))
                .toList();
        return sorted.equals(numbers()) ? "" : "read " + values.size() + " records of " + records + ", not each once; ";
    }

    private static String refused(Said said, String eventName) {
        List<String> successes = said.values(eventName, "success");
        return !successes.isEmpty() && successes.stream().allMatch("true"::equals)
                ? ""
                : eventName + " without success: " + successes;
    }

    private String copy(BrokerUnderTest broker) throws Exception {
        String wrong = produce(broker, "copier-input", 1);
        if (!wrong.isEmpty()) {
            return wrong;
        }
        TopicSetup.create(broker.bootstrapServers(), "copier-output", 1);
        Said said = run(
                "TransactionalMessageCopier",
                "--broker-list",
                broker.bootstrapServers(),
                "--input-topic",
                "copier-input",
                "--input-partition",
                "0",
                "--output-topic",
                "copier-output",
                "--consumer-group",
                "copier-group",
                "--transactional-id",
                "copier",
                "--transaction-size",
                Integer.toString(records / TRANSACTIONS),
                "--enable-random-aborts");
        List<String> committed = read(broker, "copier-output", "read_committed");
        int copied = read(broker, "copier-output", "read_uncommitted").size();
        if (copied == records) {
            return "none of " + TRANSACTIONS + " transactions was aborted";
        }
        return said.verdict(
                committed.equals(numbers())
                        ? ""
                        : "read " + committed.size() + " of " + records + ", not each once in order");
    }

    private static List<String> read(BrokerUnderTest broker, String topic, String isolation) {
        TopicPartition partition = new TopicPartition(topic, 0);
        List<String> values = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", broker.bootstrapServers(), "isolation.level", isolation),
                new StringDeserializer(),
                new StringDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = Objects.requireNonNull(
                    consumer.endOffsets(List.of(partition)).get(partition));
            while (consumer.position(partition) < end) {
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofSeconds(1))) {
                    values.add(record.value());
                }
            }
        }
        return values;
    }

    private String compatibility(BrokerUnderTest broker) throws Exception {
        TopicSetup.create(broker.bootstrapServers(), "compatibility", 1);
        Said said = run(
                "ClientCompatibilityTest",
                Stream.of(
                                "--bootstrap-server " + broker.bootstrapServers(),
                                "--topic compatibility",
                                "--num-cluster-nodes 1",
                                "--offsets-for-times-supported true",
                                "--cluster-id-supported true",
                                "--expect-record-too-large-exception false",
                                "--create-topics-supported true",
                                "--describe-acls-supported true",
                                "--describe-configs-supported true",
                                "--idempotent-producer-supported true")
                        .flatMap(option -> Stream.of(option.split(" ")))
                        .toArray(String[]::new));
        return said.verdict(said.output().contains("SUCCESS") ? "" : "no word of success");
    }
}
