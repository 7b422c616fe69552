package io.sluice.testkit.streams;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;

/**
 * The application that everybody writes first: splits lines into words, repartitions by word, keeps the counts in a store with a
 * changelog, and sends every count on. Exactly once; nothing is cached, so that each word shows one count for each time it came.
 */
final class WordCount implements AutoCloseable {
    static final String LINES = "lines";
    static final String COUNTS = "counts";
    private static final int THREADS = 2;
    private static final int COMMIT_MILLIS = 100;
    private static final int RECONNECT_MILLIS = 200;
    private static final Duration CLOSE = Duration.ofSeconds(20);

    private final KafkaStreams streams;

    /**
     * Starts it.
     *
     * @param protocol "classic" or "streams"
     */
    WordCount(String id, String protocol, String bootstrapServers, Path stateDirectory) {
        Properties configs = new Properties();
        configs.put(StreamsConfig.APPLICATION_ID_CONFIG, id);
        configs.put(StreamsConfig.GROUP_PROTOCOL_CONFIG, protocol);
        configs.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        configs.put(StreamsConfig.STATE_DIR_CONFIG, stateDirectory.toString());
        configs.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        configs.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, THREADS);
        configs.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, COMMIT_MILLIS);
        configs.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
        configs.put(StreamsConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, RECONNECT_MILLIS);
        configs.put(StreamsConfig.consumerPrefix(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG), "earliest");
        this.streams = new KafkaStreams(topology(), configs);
        streams.setUncaughtExceptionHandler(failure -> StreamThreadExceptionResponse.REPLACE_THREAD);
        streams.start();
    }

    private static Topology topology() {
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(LINES, Consumed.with(Serdes.String(), Serdes.String()))
                .flatMapValues(line -> Arrays.asList(line.split(" ", -1)))
                .groupBy(
                        (key, word) -> word,
                        Grouped.<String, String>as("words")
                                .withKeySerde(Serdes.String())
                                .withValueSerde(Serdes.String()))
                .count(Materialized.as("totals"))
                .toStream()
                .to(COUNTS, Produced.with(Serdes.String(), Serdes.Long()));
        return builder.build();
    }

    @Override
    public void close() {
        end();
    }

    /** Commits what it has done, and leaves its group. Again: nothing. */
    void end() {
        if (!streams.close(CLOSE)) {
            throw new AssertionError("The application did not end within " + CLOSE);
        }
    }
}
