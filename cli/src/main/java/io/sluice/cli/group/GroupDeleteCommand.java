package io.sluice.cli.group;

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

/** {@code sluice group delete}. */
@Command(
        name = "delete",
        description = "Deletes groups that have no members, with the offsets they committed.",
        mixinStandardHelpOptions = true)
final class GroupDeleteCommand implements Runnable {
    private final Console console;

    @Parameters(paramLabel = "GROUP", arity = "1..*", description = "Groups.")
    private List<String> groups = new ArrayList<>();

    @Mixin
    private ConnectOptions connect = new ConnectOptions();

    @Mixin
    private OutputOptions output = new OutputOptions();

    GroupDeleteCommand(Console console) {
        this.console = console;
    }

    @Override
    public void run() {
        try (AdminSession session = AdminSession.open(connect)) {
            Map<String, KafkaFuture<Void>> futures = session.admin()
                    .deleteConsumerGroups(new LinkedHashSet<>(groups))
                    .deletedGroups();
            Answers<String> answers = Answers.of(groups, group -> {
                session.await(Subject.group(group), Objects.requireNonNull(futures.get(group)));
                return "Deleted group " + group + ".";
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
