package io.sluice.benchmarks.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code benchmarks/compare [cell…]}: one run, every contender in turn for each cell, medians over repetitions. */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Compares Sluice with Kafka 4.4.0 on this machine, cell by cell.")
public final class Compare implements Callable<Integer> {
    @Parameters(arity = "0..*", paramLabel = "CELL", description = "Cells to run; all when none is named.")
    private List<String> cellNames = List.of();

    @Option(names = "--repeat", defaultValue = "3", description = "Repetitions of each cell; medians are shown (3).")
    private int repetitions = 3;

    @Option(names = "--heap", defaultValue = "512m", description = "Maximum heap of Kafka; Sluice's default is 512m.")
    private String heap = "512m";

    @Option(names = "--only", split = ",", description = "Contenders: kafka, kafka-flushed, sluice, floor (all).")
    private List<String> only = List.of("kafka", "kafka-flushed", "sluice", "floor");

    @Option(names = "--directory", required = true, description = "Where data, logs and results go.")
    private Path directory = Path.of("target", "compare");

    @Option(names = "--launcher", required = true, description = "The sluice script.")
    private Path launcher = Path.of("sluice");

    @Option(names = "--list", description = "Print the cells and what they measure.")
    private boolean list;

    private Compare() {}

    /** Ends with 0 when every cell was measured. */
    @SuppressWarnings("checkstyle:Regexp") // the end of a program
    public static void main(String[] args) {
        System.exit(new CommandLine(new Compare()).execute(args));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (list) {
            Cells.ALL.forEach(cell -> System.out.printf("%-22s %s%n", cell.name(), cell.description()));
            return 0;
        }
        List<Contender> contenders = contenders();
        Path json = directory.resolve("compare.json");
        Report report = new Report(contenders.stream().map(Contender::title).toList());
        int failures = 0;
        for (Cell cell : cells()) {
            for (int repetition = 1; repetition <= repetitions; repetition++) {
                for (Contender contender : contenders) {
                    failures += measure(cell, contender, repetition, report);
                    report.writeJson(json);
                }
            }
        }
        System.out.println(report.toMarkdown());
        System.err.println("samples: " + json);
        return failures == 0 ? 0 : 1;
    }

    private int measure(Cell cell, Contender contender, int repetition, Report report)
            throws IOException, InterruptedException {
        if (!cell.appliesTo(contender)) {
            return 0;
        }
        System.err.printf("%s %d/%d %s … ", cell.name(), repetition, repetitions, contender.title());
        Path data = directory.resolve("data");
        try {
            Launch.deleteTree(data);
            Files.createDirectories(directory);
            long start = System.nanoTime();
            Map<String, Double> figures = cell.measure(contender, data);
            report.add(cell.name(), contender.title(), figures);
            System.err.printf("%.0f s%n", (System.nanoTime() - start) / 1e9);
            return 0;
        } catch (IOException | ExecutionException | TimeoutException e) {
            System.err.println("failed: " + e.getMessage());
            return 1;
        } finally {
            Launch.endAll();
            Launch.deleteTree(data);
        }
    }

    private List<Cell> cells() {
        if (cellNames.isEmpty()) {
            return Cells.ALL;
        }
        List<Cell> chosen = new ArrayList<>();
        for (String name : cellNames) {
            chosen.add(Cells.ALL.stream()
                    .filter(cell -> cell.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new CommandLine.ParameterException(
                            new CommandLine(this),
                            "Unknown cell '" + name + "'; known are "
                                    + String.join(
                                            ", ",
                                            Cells.ALL.stream().map(Cell::name).toList()) + ".")));
        }
        return chosen;
    }

    private List<Contender> contenders() {
        List<Contender> chosen = new ArrayList<>();
        for (String word : only) {
            chosen.add(
                    switch (word) {
                        case "kafka" -> new KafkaContender(heap, false);
                        case "kafka-flushed" -> new KafkaContender(heap, true);
                        case "sluice" -> new SluiceContender(launcher.toAbsolutePath());
                        case "floor" -> new FloorContender(heap);
                        default ->
                            throw new CommandLine.ParameterException(
                                    new CommandLine(this),
                                    "Unknown contender '" + word + "'; known are kafka, kafka-flushed, sluice, floor.");
                    });
        }
        return chosen;
    }
}
