package io.sluice.testkit.size;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Prints how long methods and files are and which suppressions there are, and says what is over the limits: methods p95 30
 * lines and none over 60, files p95 450 and none over 600, every suppression with its reason behind it. Needs nothing but a
 * JDK: {@code java SizeReport.java ROOT}.
 */
public final class SizeReport {
    private static final int METHOD_P95 = 30;
    private static final int METHOD_MAX = 60;
    private static final int FILE_P95 = 450;
    private static final int FILE_MAX = 600;
    private static final Pattern SUPPRESSION = Pattern.compile("\n[ \\t]*@SuppressWarnings\\(([^)]*)\\)([^\n]*)");

    private final Path root;
    private final List<Sized> methods = new ArrayList<>();
    private final List<Sized> files = new ArrayList<>();
    private final List<Suppression> suppressions = new ArrayList<>();

    private SizeReport(Path root) {
        this.root = root;
    }

    /**
     * A method or file.
     *
     * @param where file, and for a method its name and line
     */
    public record Sized(String where, int lines) {}

    /**
     * A place where a check is told to look away.
     *
     * @param what the checks named
     * @param reason the comment behind it; empty if there is none
     */
    public record Suppression(String where, String what, String reason) {}

    /**
     * Reads all Java sources of a repository, main and test.
     *
     * @throws IOException if one cannot be read
     */
    public static SizeReport of(Path root) throws IOException {
        SizeReport report = new SizeReport(root.toAbsolutePath().normalize());
        report.measure();
        return report;
    }

    /** Prints the report; throws {@link IllegalStateException} if anything is over its limit. */
    public static void main(String[] arguments) throws IOException {
        SizeReport report = of(Path.of(arguments.length == 0 ? "." : arguments[0]));
        System.out.print(report.text());
        List<String> findings = report.findings();
        if (!findings.isEmpty()) {
            throw new IllegalStateException(findings.size() + " over the limits:\n" + String.join("\n", findings));
        }
    }

    /** What is over the limits, a line each. */
    public List<String> findings() {
        List<String> findings = new ArrayList<>();
        addFindings(findings, "methods", methods, METHOD_P95, METHOD_MAX);
        addFindings(findings, "files", files, FILE_P95, FILE_MAX);
        suppressions.stream()
                .filter(each -> each.reason().isEmpty())
                .forEach(each -> findings.add(each.where() + " suppresses " + each.what() + " without a reason"));
        return findings;
    }

    /** The figures as text. */
    public String text() {
        StringBuilder text = new StringBuilder();
        text.append("         count  median  p95  max\n");
        text.append(row("methods", methods)).append(row("files", files));
        text.append("longest methods\n");
        longest(methods).forEach(each -> text.append(line(each)));
        text.append("longest files\n");
        longest(files).forEach(each -> text.append(line(each)));
        text.append(String.format(Locale.ROOT, "suppressions: %d%n", suppressions.size()));
        suppressions.forEach(each -> text.append("  ")
                .append(each.where())
                .append(": ")
                .append(each.what())
                .append(": ")
                .append(each.reason())
                .append('\n'));
        return text.toString();
    }

    private void measure() throws IOException {
        List<Path> sources;
        try (Stream<Path> walk = Files.walk(root)) {
            sources = walk.filter(path -> path.toString().endsWith(".java"))
                    .filter(path -> root.relativize(path).toString().contains("src/"))
                    .filter(path -> !root.relativize(path).toString().contains("target/"))
                    .sorted()
                    .toList();
        }
        for (Path source : sources) {
            List<String> lines = Files.readAllLines(source);
            files.add(new Sized(root.relativize(source).toString(), lines.size()));
            addSuppressions(source, lines);
        }
        measureMethods(sources);
    }

    private void addSuppressions(Path source, List<String> lines) {
        Matcher matcher = SUPPRESSION.matcher(String.join("\n", lines));
        while (matcher.find()) {
            String behind = matcher.group(2).strip();
            suppressions.add(new Suppression(
                    root.relativize(source).toString(),
                    matcher.group(1).strip(),
                    behind.startsWith("//") ? behind.substring(2).strip() : ""));
        }
    }

    private void measureMethods(List<Path> sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            Iterable<? extends JavaFileObject> units = manager.getJavaFileObjectsFromPaths(sources);
            JavacTask task =
                    (JavacTask) compiler.getTask(null, manager, diagnostic -> {}, List.of("-proc:none"), null, units);
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            for (CompilationUnitTree unit : task.parse()) {
                new MethodScanner(unit, positions).scan(unit, null);
            }
        }
    }

    private final class MethodScanner extends TreeScanner<Void, Void> {
        private final CompilationUnitTree unit;
        private final SourcePositions positions;

        MethodScanner(CompilationUnitTree unit, SourcePositions positions) {
            this.unit = unit;
            this.positions = positions;
        }

        @Override
        public Void visitMethod(MethodTree method, Void unused) {
            if (method.getBody() != null) {
                LineMap map = unit.getLineMap();
                long first = map.getLineNumber(positions.getStartPosition(unit, method.getBody()));
                long last = map.getLineNumber(positions.getEndPosition(unit, method.getBody()));
                Path file = root.relativize(Path.of(unit.getSourceFile().toUri()));
                methods.add(new Sized(file + ":" + first + " " + method.getName(), (int) (last - first + 1)));
            }
            return super.visitMethod(method, null);
        }
    }

    private static void addFindings(List<String> findings, String what, List<Sized> all, int p95, int max) {
        if (percentile(all, 0.95) > p95) {
            findings.add("95 % of " + what + " have up to " + percentile(all, 0.95) + " lines; the limit is " + p95);
        }
        all.stream()
                .filter(each -> each.lines() > max)
                .forEach(each -> findings.add(
                        each.where() + " has " + each.lines() + " lines; the limit for " + what + " is " + max));
    }

    private static String row(String what, List<Sized> all) {
        return String.format(
                Locale.ROOT,
                "%-8s %5d  %6d  %3d  %3d%n",
                what,
                all.size(),
                percentile(all, 0.5),
                percentile(all, 0.95),
                percentile(all, 1));
    }

    private static String line(Sized each) {
        return String.format(Locale.ROOT, "  %4d  %s%n", each.lines(), each.where());
    }

    private static List<Sized> longest(List<Sized> all) {
        return all.stream()
                .sorted(Comparator.comparingInt(Sized::lines).reversed())
                .limit(10)
                .toList();
    }

    private static int percentile(List<Sized> all, double part) {
        int[] sorted = all.stream().mapToInt(Sized::lines).sorted().toArray();
        return sorted.length == 0 ? 0 : sorted[Math.max(0, (int) Math.ceil(part * sorted.length) - 1)];
    }
}
