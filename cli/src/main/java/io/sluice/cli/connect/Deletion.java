package io.sluice.cli.connect;

import io.sluice.cli.output.Console;
import io.sluice.cli.output.OutputOptions;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaFuture;

/**
 * Deletes things by name and tells of each; one that fails takes nothing from the others.
 *
 * @param kind what kind of things they are
 */
public record Deletion(Subject.Kind kind, ConnectOptions connect, OutputOptions output) {
    /** Asks a client to delete things of these names; an answer for each. */
    public interface Request extends BiFunction<Admin, Set<String>, Map<String, KafkaFuture<Void>>> {}

    /** Deletes, and prints what has been deleted; fails at the end, if something could not be. */
    public void run(Console console, List<String> names, Request request) {
        try (AdminSession session = AdminSession.open(connect)) {
            Map<String, KafkaFuture<Void>> futures = request.apply(session.admin(), new LinkedHashSet<>(names));
            Answers<String> answers = Answers.of(names, name -> {
                Subject subject = new Subject(kind, name);
                session.await(subject, Objects.requireNonNull(futures.get(name)));
                return "Deleted " + subject.noun() + " " + name + ".";
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
