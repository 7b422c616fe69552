package io.sluice.cli.topic;

import io.sluice.cli.connect.ConnectOptions;
import io.sluice.cli.connect.Deletion;
import io.sluice.cli.connect.Subject;
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
        new Deletion(Subject.Kind.TOPIC, connect, output)
                .run(console, names, (admin, all) -> admin.deleteTopics(all).topicNameValues());
    }
}
