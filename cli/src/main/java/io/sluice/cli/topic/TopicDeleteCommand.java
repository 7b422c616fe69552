package io.sluice.cli.topic;

import io.sluice.cli.connect.AdminSession;
import io.sluice.cli.connect.Answers;
import io.sluice.cli.connect.ConnectOptions;
import io.sluice.cli.connect.Subject;
import io.sluice.cli.output.Console;
import io.sluice.cli.output.OutputOptions;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.common.KafkaFuture;
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
            Map<String, KafkaFuture<Void>> futures =
                    session.admin().deleteTopics(new LinkedHashSet<>(names)).topicNameValues();
            Answers<String> answers = Answers.of(names, name -> {
                session.await(Subject.topic(name), Objects.requireNonNull(futures.get(name)));
                return "Deleted topic " + name + ".";
            });
            output.print(
                    console,
                    new Deleted(List.copyOf(answers.given().keySet())),
                    List.copyOf(answers.given().values()));
            answers.requireAll();
        }
    }

    private record Deleted(List<String> deleted) {}
}
