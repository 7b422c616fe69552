package io.sluice.cli.record;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.cli.connect.ConnectOptions;
import io.sluice.cli.connect.KafkaFailures;
import io.sluice.cli.connect.Names;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.NumberRange;
import io.sluice.cli.output.OutputOptions;
import io.sluice.cli.output.Times;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice consume}. */
@Command(
        name = "consume",
        description = {
            "Prints the records of a topic, one a line, up to where it ends now.",
            "Starts at the beginning; with --follow, at the end; with --group, where the group has got to."
        },
        mixinStandardHelpOptions = true)
public final class ConsumeCommand implements Runnable {
    private static final int MAX_FETCH_BYTES = 64 * 1024 * 1024;

    private final Console console;

    @Parameters(paramLabel = "TOPIC", description = "Where from.")
    private String topic = "";

    @ArgGroup
    private Start start = new Start();

    @Option(names = "--partition", paramLabel = "N", description = "Only this one. Default: all.")
    @NumberRange(min = 0, max = Integer.MAX_VALUE)
    private @Nullable Integer partition;

    @Option(names = "--count", paramLabel = "N", description = "Stops after so many records.")
    @NumberRange(min = 1)
    private @Nullable Long count;

    @Option(
            names = "--group",
            paramLabel = "GROUP",
            description =
                    "Consumes as a member of this group and commits what was printed; what a pipe has taken counts as"
                            + " printed unless the next write to it fails.")
    private @Nullable String group;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "text, json or hex. Default: text, or json with -o json.")
    private @Nullable RecordFormat format;

    @Option(
            names = "--key-separator",
            paramLabel = "TEXT",
            description = "Prints the key and TEXT before each value (text and hex).")
    private @Nullable String keySeparator;

    @Option(names = "--follow", description = "Goes on with new records until interrupted.")
    private boolean follow;

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    /** A command on this console. */
    public ConsumeCommand(Console console) {
        this.console = console;
    }

    @Override
    public void run() {
        requireValidOptions();
        RecordFormat chosen = format != null ? format : output.isJson() ? RecordFormat.json : RecordFormat.text;
        RecordPrinter printer = new RecordPrinter(console.out(), chosen, keySeparator, console.zone());
        long limit = count == null ? Long.MAX_VALUE : count;
        try (RecordLoop loop = loop(printer, new ReadBounds(connect.timeout(), follow, limit))) {
            if (group != null) {
                loop.consumeAsGroup(topic);
            } else {
                loop.consume(topic, partition, startPosition());
            }
        } catch (KafkaException e) {
            throw KafkaFailures.toUserException(connect.bootstrapServer(), e);
        }
    }

    private RecordLoop loop(RecordPrinter printer, ReadBounds bounds) {
        Map<String, Object> client = connect.clientConfig();
        Map<String, Object> config = consumerConfig(client);
        Membership membership = Membership.NONE;
        if (group != null) {
            String instanceId = "sluice-cli-" + Uuid.randomUuid();
            config.put(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG, instanceId);
            membership = new NamedMembership(client, group, instanceId, connect.groupProbe());
        }
        KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(config);
        return new RecordLoop(
                consumer,
                membership,
                new FetchProbe(StallCheck.patience(connect.timeout()), console.clock()),
                new OutageWatch(console.clock(), console.err(), () -> receivedBytes(consumer), connect::refusal),
                console,
                printer,
                bounds);
    }

    /** All that any node has sent to a consumer; empty before it has connected. */
    private static OptionalLong receivedBytes(Consumer<?, ?> consumer) {
        for (Map.Entry<MetricName, ? extends Metric> metric : consumer.metrics().entrySet()) {
            MetricName name = metric.getKey();
            if (name.name().equals("incoming-byte-total") && name.group().equals("consumer-metrics")) {
                return OptionalLong.of(((Number) metric.getValue().metricValue()).longValue());
            }
        }
        return OptionalLong.empty();
    }

    private StartPosition startPosition() {
        if (start.offset != null) {
            return new StartPosition.AtOffset(start.offset);
        }
        if (start.time != null) {
            return new StartPosition.AtTime(Times.parse("--time", start.time));
        }
        return follow && !start.beginning ? new StartPosition.End() : new StartPosition.Beginning();
    }

    private void requireValidOptions() {
        Names.requireTopic(topic);
        if (group != null && (start.offset != null || start.time != null || partition != null)) {
            throw new UserException(
                    ExitCode.USAGE,
                    "--group starts where the group has got to: it goes with neither --offset, --time nor --partition."
                            + " 'sluice group reset-offsets' moves a group.");
        }
        if (group != null && group.isBlank()) {
            throw new UserException(
                    ExitCode.USAGE, "Invalid value '" + group + "' for --group: give the group a name.");
        }
        if (output.isJson() && format != null && format != RecordFormat.json) {
            throw new UserException(
                    ExitCode.USAGE,
                    "-o json and --format " + format
                            + " contradict each other: give one of them. In JSON, bytes that are no"
                            + " UTF-8 stand in Base64.");
        }
        if (keySeparator != null && (output.isJson() || format == RecordFormat.json)) {
            throw new UserException(
                    ExitCode.USAGE, "--key-separator is for text and hex: in JSON the key has a field of its own.");
        }
    }

    private Map<String, Object> consumerConfig(Map<String, Object> client) {
        Map<String, Object> config = new HashMap<>(client);
        config.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        config.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        config.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        config.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, MAX_FETCH_BYTES);
        if (group != null) {
            config.put(ConsumerConfig.GROUP_ID_CONFIG, group);
            config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, follow && !start.beginning ? "latest" : "earliest");
        } else {
            config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        }
        return config;
    }

    /** One of these at most. */
    private static final class Start {
        @Option(names = "--from-beginning", description = "From the first record.")
        private boolean beginning;

        @Option(names = "--offset", paramLabel = "N", description = "From this offset of each partition.")
        @NumberRange(min = 0)
        private @Nullable Long offset;

        @Option(
                names = "--time",
                paramLabel = "TIME",
                description = "From the first record of this time or later, such as 2026-01-31T13:00:00+01:00.")
        private @Nullable String time;
    }
}
