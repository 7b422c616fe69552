package io.sluice.testkit.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.process.Commands;
import io.sluice.testkit.process.Settings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A client of another language, driven by a script of ours that takes the bootstrap server and a prefix for names.
 *
 * @param probe command that succeeds if the client is there
 * @param remedy what brings it
 * @param command runs the script
 */
record ScriptClient(String name, List<String> probe, String remedy, List<String> command) implements ForeignClient {
    private static final Duration LIMIT = Duration.ofMinutes(3);

    static ScriptClient kafkaPython() {
        String python = "/usr/bin/python3";
        return new ScriptClient(
                "kafka-python 2.0.2",
                List.of(python, "-c", "import kafka, snappy, lz4.frame, zstandard"),
                "apt-get install python3-kafka python3-snappy python3-lz4 python3-zstandard",
                List.of(python, script("kafka_python_client.py")));
    }

    static ScriptClient kafkajs() {
        Path modules = Settings.target().resolve("foreign/kafkajs/node_modules");
        return new ScriptClient(
                "kafkajs 2.2.4",
                List.of("node", "-e", "require('" + modules.resolve("kafkajs") + "')"),
                "npm install --prefix testkit/target/foreign/kafkajs --no-save kafkajs@2.2.4",
                List.of(
                        "node",
                        script("kafkajs_client.js"),
                        modules.resolve("kafkajs").toString()));
    }

    @Override
    public Optional<String> missing() throws Exception {
        boolean program = Commands.exists(probe.get(0)) || Files.isExecutable(Path.of(probe.get(0)));
        boolean there =
                program && Commands.attempt(probe, Duration.ofSeconds(30)).exitStatus() == 0;
        return there ? Optional.empty() : Optional.of("install it with: " + remedy);
    }

    @Override
    public void exercise(String bootstrap, String prefix) throws Exception {
        List<String> all = new ArrayList<>(command);
        all.add(bootstrap);
        all.add(prefix);
        Commands.Outcome outcome = Commands.attempt(all, LIMIT);
        assertThat(outcome.exitStatus()).as(outcome.output()).isZero();
        assertThat(outcome.output()).endsWith("done\n");
    }

    private static String script(String file) {
        return Settings.target().resolve("test-classes/foreign").resolve(file).toString();
    }
}
