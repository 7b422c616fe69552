package io.sluice.cli.doctor;

import io.sluice.base.error.ExitCode;
import io.sluice.cli.doctor.Finding.Status;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.NumberRange;
import io.sluice.cli.output.OutputOptions;
import io.sluice.storage.file.LocalFileSystem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice doctor}. */
@Command(
        name = "doctor",
        description = "Looks at this machine as a node would use it, and says what to do about each thing found.",
        mixinStandardHelpOptions = true,
        footer = "Ends with 1 when a node would not start here or would not keep its promises.")
public final class DoctorCommand implements Callable<Integer> {
    private static final int STATUS_WIDTH = 7;
    private static final int ANSWER_MILLIS = 2_000;

    private final Console console;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            defaultValue = "./data",
            description = "The data directory. Default: ${DEFAULT-VALUE}.")
    private Path data = Path.of("");

    @Option(
            names = "--host",
            paramLabel = "H",
            defaultValue = "127.0.0.1",
            description = "The address to listen on. Default: ${DEFAULT-VALUE}.")
    private String host = "";

    @Option(
            names = "--port",
            paramLabel = "N",
            defaultValue = "9092",
            description = "The port to listen on. Default: ${DEFAULT-VALUE}.")
    @NumberRange(min = 0, max = 65_535)
    private int port;

    @Option(
            names = "--admin-host",
            paramLabel = "H",
            defaultValue = "127.0.0.1",
            description = "The address of the admin port (sluice.admin.host). Default: ${DEFAULT-VALUE}.")
    private String adminHost = "";

    @Option(
            names = "--admin-port",
            paramLabel = "N",
            defaultValue = "9644",
            description = "The admin port. Default: ${DEFAULT-VALUE}.")
    @NumberRange(min = 0, max = 65_535)
    private int adminPort;

    @Mixin
    private OutputOptions output = new OutputOptions();

    /** A command on this console. */
    public DoctorCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() {
        SystemFiles files = new SystemFiles(Path.of("/"));
        List<Finding> findings = new ArrayList<>();
        findings.add(java());
        findings.addAll(new LimitCheck(files).run());
        findings.addAll(new MemoryCheck(files).run());
        DirectoryUse use = DirectoryUse.of(files, data);
        RoomMark mark = RoomMark.of(files, use, adminHost, adminPort, ANSWER_MILLIS);
        findings.addAll(new DiskCheck(new LocalFileSystem(), console.clock(), data, mark).run());
        findings.addAll(new ClockCheck(files, console.clock(), console.zone()).run());
        findings.addAll(new RecordCheck(new LocalFileSystem(), data, use).run());
        findings.addAll(new PortCheck(files, host, port, adminHost, adminPort, use).run());
        findings.addAll(new NodeCheck(files, use, adminHost, adminPort, ANSWER_MILLIS).run());
        output.print(console, findings.stream().map(DoctorCommand::document).toList(), text(findings));
        boolean fine = findings.stream().noneMatch(finding -> finding.status() == Status.PROBLEM);
        return (fine ? ExitCode.OK : ExitCode.FAILED).code();
    }

    private static Finding java() {
        Runtime.Version version = Runtime.version();
        return Finding.ok(
                "java", version + ", " + Runtime.getRuntime().availableProcessors() + " processors for this process");
    }

    private static Map<String, Object> document(Finding finding) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("check", finding.check());
        document.put("status", finding.status().name().toLowerCase(Locale.ROOT));
        document.put("found", finding.found());
        document.put("advice", finding.advice());
        return document;
    }

    private static List<String> text(List<Finding> findings) {
        List<String> lines = new ArrayList<>();
        for (Finding finding : findings) {
            lines.add(String.format(
                    Locale.ROOT,
                    "%-" + STATUS_WIDTH + "s  %s: %s",
                    finding.status().name().toLowerCase(Locale.ROOT),
                    finding.check(),
                    finding.found()));
            if (!finding.advice().isEmpty()) {
                lines.add(" ".repeat(STATUS_WIDTH + 2) + "-> " + finding.advice());
            }
        }
        return lines;
    }
}
