package io.sluice.benchmarks.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A broker to compare. */
interface Contender {
    /** The column's title. */
    String title();

    /** Settings of the topics that loads write to. */
    default Map<String, String> topicConfigs() {
        return Map.of();
    }

    /** Whether it stores what it acknowledges; one that does not serves only some cells. */
    default boolean stores() {
        return true;
    }

    /** Does what has to be done once to a new data directory (Kafka's format). Not timed. */
    void prepare(Path directory, int port) throws IOException, InterruptedException;

    /** The command that starts it in the foreground. */
    List<String> command(Path directory, int port);
}
