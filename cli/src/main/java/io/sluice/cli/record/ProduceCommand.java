package io.sluice.cli.record;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.FileFailures;
import io.sluice.base.error.UserException;
import io.sluice.cli.connect.ConnectOptions;
import io.sluice.cli.connect.KafkaFailures;
import io.sluice.cli.connect.Names;
import io.sluice.cli.output.Assignment;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.NumberRange;
import io.sluice.cli.output.OutputOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code sluice produce}. */
@Command(
        name = "produce",
        description =
                "Sends each line of standard input, or of a file, as a record, and waits for all acknowledgements.",
        mixinStandardHelpOptions = true)
public final class ProduceCommand implements Runnable {
    private static final int MAX_RECORD_BYTES = 64 * 1024 * 1024;
    private static final long BUFFER_BYTES = 96L * 1024 * 1024;
    private static final int LINGER_MILLIS = 5;
    private static final int DELIVERY_TIMEOUTS = 3;

    /** The client's own failure should come first, because it says more. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    private static final Duration INTERRUPT_WAIT = Duration.ofSeconds(2);

    private final Console console;
    /** Set by whoever says how it ended: the command, or an interrupt. */
    private final AtomicBoolean ended = new AtomicBoolean();

    @Parameters(paramLabel = "TOPIC", description = "Where to.")
    private String topic = "";

    @Option(names = "--file", paramLabel = "FILE", description = "Lines to send. Default: standard input.")
    private @Nullable Path file;

    @Option(
            names = "--key-separator",
            paramLabel = "TEXT",
            description = "What is before the first TEXT in a line is the key. Default: records have no key.")
    private @Nullable String keySeparator;

    @Option(
            names = "--header",
            paramLabel = "NAME=VALUE",
            converter = Assignment.Converter.class,
            description = "A header that every record gets; may be repeated.")
    private List<Assignment> headers = new ArrayList<>();

    @Option(names = "--partition", paramLabel = "N", description = "Default: by key, else a batch to each in turn.")
    @NumberRange(min = 0, max = Integer.MAX_VALUE)
    private @Nullable Integer partition;

    @Option(
            names = "--acks",
            paramLabel = "ACKS",
            defaultValue = "all",
            description = "all, 1 or 0 (which waits for nothing). Default: ${DEFAULT-VALUE}.")
    private String acks = "all";

    @Option(
            names = "--compression",
            paramLabel = "TYPE",
            defaultValue = "none",
            description = "none, gzip, snappy, lz4 or zstd. Default: ${DEFAULT-VALUE}.")
    private Compression compression = Compression.none;

    @Option(names = "--no-progress", description = "No progress bar.")
    private boolean noProgress;

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    /** A command on this console. */
    public ProduceCommand(Console console) {
        this.console = console;
    }

    @Override
    public void run() {
        requireValidOptions();
        long startNanos = console.clock().nanoTime();
        try (InputStream in = open();
                SendTally tally = new SendTally(
                        new KafkaProducer<>(producerConfig()),
                        connect.bootstrapServer(),
                        connect.timeout().plus(GRACE),
                        probe())) {
            console.interrupts().accept(() -> onInterrupt(tally, startNanos));
            UserException failure = failure(new LineReader(in, MAX_RECORD_BYTES), tally);
            if (ended.compareAndSet(false, true)) {
                report(tally, startNanos, failure);
            }
        } catch (KafkaException e) {
            throw KafkaFailures.toUserException(connect.bootstrapServer(), e);
        } catch (IOException e) {
            throw new UserException(
                    ExitCode.IO_ERROR, "Cannot read the lines to send: " + FileFailures.text(e) + ".", e);
        } finally {
            ended.set(true);
        }
    }

    /** While the command's thread waits for a line, or for an acknowledgement: that one says no more. */
    private void onInterrupt(SendTally tally, long startNanos) {
        if (ended.compareAndSet(false, true)) {
            tally.stop(INTERRUPT_WAIT);
            report(tally, startNanos, tally.interruption());
        }
    }

    private void report(SendTally tally, long startNanos, @Nullable UserException failure) {
        double seconds = (console.clock().nanoTime() - startNanos) / 1e9;
        Sent sent = new Sent(
                topic,
                tally.acknowledged(),
                tally.acknowledgedBytes(),
                seconds,
                failure == null ? null : failure.line());
        output.print(console, sent, failure == null ? List.of(sent.line()) : List.of());
        console.out().flush(); // after an interrupt nobody else does
        if (failure != null) {
            throw failure;
        }
    }

    /** Sends all lines; why not all of them were sent, or null if they were. */
    private @Nullable UserException failure(LineReader lines, SendTally tally) throws IOException {
        if (partition != null) {
            tally.requirePartition(topic, partition);
        }
        try (Progress progress =
                Progress.start(console, showsProgress(), "Sending", file == null ? " lines" : " B", total())) {
            new LineSender(topic, partition, keySeparator, headers)
                    .send(lines, tally, at -> progress.to(file == null ? at.lineNumber() : at.bytesRead()));
            return null;
        } catch (UserException e) {
            return e;
        }
    }

    /** Not while a person types the lines. */
    private boolean showsProgress() {
        return !noProgress && (file != null || !console.inIsTerminal());
    }

    private InputStream open() throws IOException {
        if (file == null) {
            return console.in();
        }
        if (Files.isDirectory(file)) {
            throw new UserException(ExitCode.IO_ERROR, "Cannot read the file " + file + ": it is a directory.");
        }
        return Files.newInputStream(file);
    }

    private long total() throws IOException {
        return file == null ? -1 : Files.size(file);
    }

    private void requireValidOptions() {
        Names.requireTopic(topic);
        if (!List.of("all", "-1", "1", "0").contains(acks)) {
            throw new UserException(ExitCode.USAGE, "Invalid value '" + acks + "' for --acks: allowed is all, 1 or 0.");
        }
        if (keySeparator != null && keySeparator.isEmpty()) {
            throw new UserException(ExitCode.USAGE, "--key-separator must not be empty.");
        }
    }

    private SendProbe probe() {
        return new TopicProbe(
                connect.addresses(), StallCheck.patience(connect.timeout()), console.clock(), topic, isIdempotent());
    }

    private boolean isIdempotent() {
        return acks.equals("all") || acks.equals("-1");
    }

    private Map<String, Object> producerConfig() {
        Map<String, Object> config = connect.clientConfig();
        int timeoutMillis = Math.toIntExact(connect.timeout().toMillis());
        config.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        config.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        config.put(ProducerConfig.ACKS_CONFIG, acks);
        config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, isIdempotent());
        config.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, compression.name());
        config.put(ProducerConfig.LINGER_MS_CONFIG, LINGER_MILLIS);
        config.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, MAX_RECORD_BYTES);
        config.put(ProducerConfig.BUFFER_MEMORY_CONFIG, BUFFER_BYTES);
        config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, (long) timeoutMillis);
        config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, DELIVERY_TIMEOUTS * timeoutMillis);
        config.put(ProducerConfig.RETRY_BACKOFF_MS_CONFIG, RetryBudget.FIRST_MILLIS);
        config.put(ProducerConfig.RETRY_BACKOFF_MAX_MS_CONFIG, RetryBudget.LONGEST_MILLIS);
        config.put(ProducerConfig.RETRIES_CONFIG, RetryBudget.retries(connect.timeout()));
        return config;
    }

    /** Kafka's compression types; the names are the option's values. */
    private enum Compression {
        none,
        gzip,
        snappy,
        lz4,
        zstd
    }

    private record Sent(
            String topic,
            long records,
            long bytes,
            double seconds,
            @Nullable String error) {
        String line() {
            return String.format(
                    Locale.ROOT,
                    "Sent %d record%s, %d bytes, to %s in %.3f s.",
                    records,
                    records == 1 ? "" : "s",
                    bytes,
                    topic,
                    seconds);
        }
    }
}
