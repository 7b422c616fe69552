package io.sluice.cli.topic;

import io.sluice.cli.connect.AdminSession;
import io.sluice.cli.connect.ConnectOptions;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.OutputOptions;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code sluice topic delete}. */
@Command(name = "delete", description = "Deletes topics and their records.", mixinStandardHelpOptions = true)
final class TopicDeleteCommand implements Runnable {
    private final Console console;

    @Parameters(paramLabel = "NAME", arity = "1..*", description = "Topics.")
    private List<String> names = new ArrayList<>();

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    TopicDeleteCommand(Console console) {
        this.console = console;
    }

    @Override
    public void run() {
        try (AdminSession session = AdminSession.open(connect)) {
            session.await(session.admin().deleteTopics(names).all());
            output.print(
                    console,
                    new Deleted(names),
                    names.stream().map(name -> "Deleted topic " + name + ".").toList());
        }
    }

    private record Deleted(List<String> deleted) {}
}
