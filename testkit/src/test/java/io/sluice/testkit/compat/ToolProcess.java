package io.sluice.testkit.compat;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A JVM that runs Kafka's tools, started when the first is run; see {@link ToolDriver}. Belongs to one thread. */
final class ToolProcess implements AutoCloseable {
    private @Nullable Driver driver;

    /** What a tool left: exit status and what it printed to either stream. */
    record Run(int exitStatus, String output) {}

    private record Driver(Process process, DataOutputStream commands, DataInputStream answers) {
        static Driver start() throws IOException {
            Process process = new ProcessBuilder(
                            KafkaJvm.command(KafkaJvm.ownClassPath(), List.of(), ToolDriver.class.getName(), List.of()))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return new Driver(
                    process,
                    new DataOutputStream(process.getOutputStream()),
                    new DataInputStream(new BufferedInputStream(process.getInputStream())));
        }

        Run run(List<String> command) throws IOException {
            commands.write(command.size());
            for (String word : command) {
                commands.writeUTF(word);
            }
            commands.flush();
            int exitStatus = answers.readInt();
            byte[] output = answers.readNBytes(answers.readInt());
            return new Run(exitStatus, new String(output, StandardCharsets.UTF_8));
        }
    }

    /** Runs one and waits for it; one that takes longer than a minute is ended. */
    Run run(String mainClass, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(mainClass));
        command.addAll(arguments);
        Driver current = driver == null ? Driver.start() : driver;
        driver = current;
        Run run = current.run(command);
        if (run.exitStatus() == ToolDriver.TIMED_OUT) {
            close();
        }
        return run;
    }

    @Override
    public void close() {
        if (driver != null) {
            driver.process()
                    .destroyForcibly()
                    .onExit()
                    .orTimeout(30, TimeUnit.SECONDS)
                    .join();
            driver = null;
        }
    }
}
