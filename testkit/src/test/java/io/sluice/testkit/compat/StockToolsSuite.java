package io.sluice.testkit.compat;

import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.compat.ToolStage.Printed;
import io.sluice.testkit.differential.AcceptedDifferences;
import io.sluice.testkit.differential.Difference;
import io.sluice.testkit.process.Settings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Kafka's command line tools: the same commands on both brokers print the same lines and end with the same status, but for ids,
 * times, addresses, and what docs/compatibility.md gives a reason for. What they printed is kept in the build directory.
 */
final class StockToolsSuite implements ForeignSuite {
    private static final String TABLE = "accepted differences of tools";
    private static final int SHOWN = 6;

    private final Map<String, ToolScenarios.Scenario> scenarios = ToolScenarios.all();
    private final Map<String, List<Printed>> reference = new HashMap<>();
    private final Set<String> commandsCompared = new HashSet<>();
    private final ToolProcess tools = new ToolProcess();
    private final AcceptedDifferences accepted;

    StockToolsSuite() {
        try {
            accepted = AcceptedDifferences.read(Settings.root().resolve("docs/compatibility.md"), TABLE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public String title() {
        return "kafka-tools " + KafkaJvm.VERSION + ", command line tools";
    }

    @Override
    public Optional<String> missing() {
        return Optional.empty();
    }

    @Override
    public void prepare() {
        reference.clear();
    }

    /** The records are years old, so that their times are the same on both: nothing is deleted for its age. */
    @Override
    public Map<String, String> brokerConfigs() {
        return Map.of("group.initial.rebalance.delay.ms", "0", "log.retention.ms", "-1");
    }

    @Override
    public List<String> tests() {
        return List.copyOf(scenarios.keySet());
    }

    /** A scenario cannot be played twice: it makes topics. */
    @Override
    public int tries() {
        return 1;
    }

    @Override
    public SuiteOutcome run(String test, BrokerUnderTest broker) throws Exception {
        List<Printed> printed;
        try (ToolStage stage = new ToolStage(broker, tools)) {
            Objects.requireNonNull(scenarios.get(test), test).play(stage);
            printed = stage.printed();
        }
        List<Printed> before = reference.putIfAbsent(test, printed);
        keep(test, before == null ? "kafka" : "candidate", printed);
        return before == null ? SuiteOutcome.passed() : outcome(differences(before, printed));
    }

    private static SuiteOutcome outcome(List<Difference> differences) {
        return differences.isEmpty()
                ? SuiteOutcome.passed()
                : SuiteOutcome.failed(differences.size() + " differences: "
                        + differences.stream()
                                .limit(SHOWN)
                                .map(Difference::toString)
                                .collect(Collectors.joining("; ")));
    }

    private List<Difference> differences(List<Printed> kafka, List<Printed> candidate) {
        List<Difference> differences = new ArrayList<>();
        for (int i = 0; i < kafka.size(); i++) {
            commandsCompared.add(kafka.get(i).command());
            differences.addAll(ToolComparison.of(kafka.get(i), candidate.get(i)));
        }
        return differences.stream()
                .filter(difference -> accepted.accepting(difference).isEmpty())
                .toList();
    }

    private static void keep(String test, String broker, List<Printed> printed) throws IOException {
        Path directory = Files.createDirectories(Settings.target().resolve("compat/tools"));
        StringBuilder text = new StringBuilder();
        for (Printed each : printed) {
            text.append("$ ").append(each.command()).append('\n');
            each.lines().forEach(line -> text.append(line).append('\n'));
            text.append("-> ").append(each.exitStatus()).append("\n\n");
        }
        Files.writeString(directory.resolve(test.replaceAll("[^a-z]+", "-") + "." + broker + ".txt"), text);
    }

    /** Rows of the table that accept nothing. */
    @Override
    public List<String> complaints() {
        return accepted.outOfDate(commandsCompared).stream()
                .map(row -> "out of date: " + row)
                .toList();
    }

    @Override
    public void close() {
        tools.close();
    }
}
