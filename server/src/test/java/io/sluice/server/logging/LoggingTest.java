package io.sluice.server.logging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.LoggerContext;
import io.sluice.base.error.UserException;
import io.sluice.broker.configuration.LoggerLevels;
import io.sluice.cli.output.Json;
import io.sluice.storage.config.BrokerConfigKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.RejectedExecutionException;
import org.apache.kafka.common.errors.CoordinatorLoadInProgressException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

class LoggingTest {
    @TempDir
    private Path directory;

    @AfterEach
    void quiet() {
        LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
        context.reset();
        new QuietConfigurator().configure(context);
    }

    private Path configure(boolean json, String... more) {
        Path file = directory.resolve("node.log");
        Map<String, String> texts = new java.util.HashMap<>(Map.of("sluice.logging.file", file.toString()));
        for (int i = 0; i < more.length; i += 2) {
            texts.put(more[i], more[i + 1]);
        }
        Logging.configure(BrokerConfigKeys.SCHEMA.read(texts), json);
        return file;
    }

    @Test
    void writesMessageAndValues() throws Exception {
        Path file = configure(false);

        LoggerFactory.getLogger("io.sluice.Some")
                .atInfo()
                .addKeyValue("port", 1)
                .log("opened");

        assertThat(file).content().matches("\\d{4}-\\d\\d-\\d\\dT\\S+ INFO  Some opened port=\"1\"\\s*\n");
    }

    @Test
    void everyLevelThatIsAllowedTakesEffect() {
        LogbackLevels levels = new LogbackLevels();
        String logger = "io.sluice.Levels";
        for (String level : LoggerLevels.LEVELS) {
            LoggerFactory.getLogger(logger);
            levels.set(logger, level);
            assertThat(levels.levels()).containsEntry(logger, level.equals("FATAL") ? "ERROR" : level);
        }
        levels.unset(logger);
    }

    @Test
    void writesJson() throws Exception {
        Path file = configure(true);

        LoggerFactory.getLogger("io.sluice.Some")
                .atWarn()
                .addKeyValue("port", 1)
                .addArgument("x")
                .setCause(new IOException("EIO"))
                .log("opened {}");

        Map<?, ?> line = Json.read(Files.readString(file), Map.class);
        assertThat(OffsetDateTime.parse((String) line.get("time")))
                .isAfter(OffsetDateTime.parse("2025-01-01T00:00:00Z"));
        assertThat(line.get("message")).isEqualTo("opened x");
        assertThat(line.get("level")).isEqualTo("WARN");
        assertThat(line.get("values")).isEqualTo(Map.of("port", 1));
        assertThat((String) line.get("error")).startsWith("java.io.IOException: EIO");
    }

    @Test
    void keepsLibrariesAndDetailsOut() throws Exception {
        Path file = configure(false);

        LoggerFactory.getLogger("org.apache.kafka.Some").info("chatter");
        LoggerFactory.getLogger("io.sluice.Some").debug("detail");
        LoggerFactory.getLogger("org.apache.kafka.Some").warn("serious");

        assertThat(file).content().contains("serious").doesNotContain("chatter", "detail");
    }

    @Test
    void leavesOutWhatALibrarySaysOfClientsMistakesUnlessDetailsAreWanted() throws Exception {
        String shard = "[GroupCoordinator id=1 topic=__consumer_offsets partition=2] ";
        Logger library = LoggerFactory.getLogger("org.apache.kafka.coordinator.group.classic.ClassicGroup");
        Path file = configure(false);

        library.warn(shard + "Failed to parse Consumer Protocol {}:{} of group {}.", "consumer", "range", "g");
        library.error(shard + "Failed to write records to {} due to an unexpected error", "p", new IOException("EIO"));
        LoggerFactory.getLogger("io.sluice.Some").warn("Failed to parse Consumer Protocol");

        assertThat(file)
                .content()
                .contains("Failed to write records", "EIO", "Some Failed to parse")
                .doesNotContain("ClassicGroup " + shard + "Failed to parse");

        configure(false, "sluice.logging.level", "debug");
        library.warn(shard + "Failed to parse Consumer Protocol {}:{} of group {}.", "consumer", "range", "g");

        assertThat(file).content().contains("Failed to parse Consumer Protocol consumer:range of group g.");
    }

    @Test
    void leavesOutWhatALibrarySaysOfAStateOfShareGroupsThatIsNotThere() throws Exception {
        Logger library = LoggerFactory.getLogger("org.apache.kafka.coordinator.share.ShareCoordinatorShard");
        Path file = configure(false);

        library.error("[ShareCoordinator id=1] Group id must be specified and non-empty: {}", "request");
        library.error("[ShareCoordinator id=1] Request partition id is negative.");
        library.error("[ShareCoordinator id=1] Read on uninitialized share partition {}", "g:0");
        library.error("[ShareCoordinator id=1] Topic or partition not found in metadata image when reading: x");
        library.error("[ShareCoordinator id=1] Metadata image is null");

        assertThat(file).content().hasLineCount(1).contains("Metadata image is null");
    }

    @Test
    void leavesOutThatALibraryFailsAtAnEndpointAndNoOtherFailureOfItsKind() throws Exception {
        Logger library = LoggerFactory.getLogger("org.apache.kafka.coordinator.group.GroupCoordinatorService");
        Path file = configure(false);
        RuntimeException failure = new NoSuchElementException("No value present");

        library.error("Operation streams-group-heartbeat with R(userEndpoint=Endpoint(host='h')) failed", failure);
        library.error("Operation streams-group-heartbeat with R(userEndpoint=null) failed", failure);

        assertThat(file).content().contains("userEndpoint=null").doesNotContain("host='h'");
    }

    @Test
    void leavesOutWhatALibraryDoesNotDoBecauseTheNodeStops() throws Exception {
        Logger library = LoggerFactory.getLogger("org.apache.kafka.coordinator.common.runtime.CoordinatorRuntime");
        Path file = configure(false);

        library.error("Execution of Load failed", new RejectedExecutionException("EventProcessor is closed."));
        library.error("Execution of Load failed", new RejectedExecutionException("no threads left"));

        assertThat(file).content().contains("no threads left").doesNotContain("EventProcessor is closed");
    }

    @Test
    void leavesOutAppendsOfALibraryThatTheLogRefused() throws Exception {
        Logger library = LoggerFactory.getLogger("org.apache.kafka.coordinator.common.runtime.CoordinatorRuntime");
        Path file = configure(false);

        library.error(
                "Failed to write records to p due to an unexpected error: {}.", "x", new TimeoutException("full"));
        library.error(
                "Failed to write records to p due to an unexpected error: {}.",
                "x",
                new KafkaStorageException("no space"));
        library.error(
                "Failed to write records to p due to an unexpected error: {}.",
                "x",
                new InvalidTxnStateException("ended"));
        library.error(
                "Failed to write records to p due to an unexpected error: {}.",
                "x",
                new InvalidProducerEpochException("fenced"));
        library.error("Failed to write records to p due to an unexpected error: {}.", "x", new IOException("EIO"));
        library.error("Execution of Load failed", new TimeoutException("slow"));

        assertThat(file).content().contains("EIO", "slow").doesNotContain("full", "no space", "ended", "fenced");
    }

    @Test
    void leavesOutWhatALibraryCannotDoYetForADeletedTopic() throws Exception {
        Logger library = LoggerFactory.getLogger("org.apache.kafka.coordinator.group.GroupCoordinatorService");
        Path file = configure(false);
        RuntimeException loading = new CoordinatorLoadInProgressException("loading");

        library.error("Could not delete offsets for deleted topics {} due to: {}.", "[gone]", "loading", loading);
        library.error("Unable to cleanup state for the deleted topics {}", "[gone]", loading);
        library.error(
                "Could not delete offsets for deleted topics {} due to: {}.", "[kept]", "EIO", new IOException("EIO"));

        assertThat(file).content().contains("kept").doesNotContain("gone");
    }

    @Test
    void errorsOnlyHoldsForLibrariesToo() throws Exception {
        Path file = configure(false, "sluice.logging.level", "error");

        LoggerFactory.getLogger("org.apache.kafka.Some").warn("a warning");
        LoggerFactory.getLogger("org.apache.kafka.Some").error("an error");

        assertThat(file).content().contains("an error").doesNotContain("a warning");
    }

    @Test
    void setsFullFilesAsideAndKeepsSoMany() throws Exception {
        configure(false, "sluice.logging.file.max.bytes", "65536", "sluice.logging.file.count", "2");
        String line = "x".repeat(1000);

        for (int i = 0; i < 2_000; i++) {
            LoggerFactory.getLogger("io.sluice.Some").info(line);
        }

        try (var files = Files.list(directory)) {
            assertThat(files.map(path -> path.getFileName().toString()))
                    .containsExactlyInAnyOrder("node.log", "node.log.1", "node.log.2");
        }
        assertThat(Files.size(directory.resolve("node.log.1"))).isLessThan(2 * 65_536);
    }

    @Test
    void refusesAFileThatCannotBe() {
        assertThatThrownBy(() -> configure(
                        false,
                        "sluice.logging.file",
                        directory.resolve("none/node.log").toString()))
                .isInstanceOf(UserException.class)
                .hasMessageContaining("sluice.logging.file");
    }
}
