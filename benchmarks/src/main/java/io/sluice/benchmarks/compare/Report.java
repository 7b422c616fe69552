package io.sluice.benchmarks.compare;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Samples of all cells and contenders, and the table of their medians with ratios to the first contender. */
final class Report {
    private final List<String> contenders;
    /** cell, then figure, then contender, then one value a repetition. */
    private final Map<String, Map<String, Map<String, List<Double>>>> samples = new LinkedHashMap<>();

    Report(List<String> contenders) {
        this.contenders = List.copyOf(contenders);
    }

    void add(String cell, String contender, Map<String, Double> figures) {
        figures.forEach((figure, value) -> samples.computeIfAbsent(cell, name -> new LinkedHashMap<>())
                .computeIfAbsent(figure, name -> new LinkedHashMap<>())
                .computeIfAbsent(contender, name -> new ArrayList<>())
                .add(value));
    }

    /** A Markdown table for each cell: medians, and in brackets the ratio to the reference. */
    String toMarkdown() {
        StringBuilder text = new StringBuilder();
        samples.forEach((cell, figures) -> {
            text.append("\n### ").append(cell).append("\n\n| figure |");
            contenders.forEach(title -> text.append(' ').append(title).append(" |"));
            text.append("\n|---|").append("---:|".repeat(contenders.size())).append('\n');
            figures.forEach((figure, byContender) -> appendRow(text, figure, byContender));
        });
        return text.toString();
    }

    private void appendRow(StringBuilder text, String figure, Map<String, List<Double>> byContender) {
        text.append("| ").append(figure).append(" |");
        Double reference = median(byContender.get(contenders.get(0)));
        for (String contender : contenders) {
            Double value = median(byContender.get(contender));
            text.append(' ').append(value == null ? "–" : number(value));
            if (value != null && reference != null && reference != 0 && !contender.equals(contenders.get(0))) {
                text.append(String.format(Locale.ROOT, " (×%.2f)", value / reference));
            }
            text.append(" |");
        }
        text.append('\n');
    }

    void writeJson(Path file) throws IOException {
        new ObjectMapper().writerWithDefaultPrettyPrinter().writeValue(file.toFile(), samples);
    }

    Set<String> cells() {
        return new LinkedHashSet<>(samples.keySet());
    }

    private static @org.jspecify.annotations.Nullable Double median(
            @org.jspecify.annotations.Nullable List<Double> values) {
        if (values == null || values.isEmpty()) {
            return null;
        }
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    private static String number(double value) {
        double size = Math.abs(value);
        if (size >= 1000) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        return String.format(Locale.ROOT, size >= 10 ? "%.1f" : "%.2f", value);
    }
}
