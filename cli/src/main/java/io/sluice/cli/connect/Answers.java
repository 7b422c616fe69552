package io.sluice.cli.connect;

import io.sluice.base.error.UserException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The answers to one request about several things: one that fails takes nothing from the others.
 *
 * @param given by name, in the order asked
 * @param failures of the other names, each naming what it is about
 */
public record Answers<T>(Map<String, T> given, List<UserException> failures) {
    /**
     * Waits for each.
     *
     * @param names what was asked about; those that are the same are asked about once
     * @param answer waits for one, or throws
     */
    public static <T> Answers<T> of(Collection<String> names, Function<String, T> answer) {
        Map<String, T> given = new LinkedHashMap<>();
        List<UserException> failures = new ArrayList<>();
        names.stream().distinct().forEach(name -> {
            try {
                given.put(name, answer.apply(name));
            } catch (UserException e) {
                failures.add(e);
            }
        });
        return new Answers<>(given, failures);
    }

    /** Throws one line that tells of all failures, if there are any; for the end, when the others have been printed. */
    public void requireAll() {
        if (failures.isEmpty()) {
            return;
        }
        UserException first = failures.get(0);
        String lines = failures.stream().map(UserException::line).distinct().collect(Collectors.joining(" "));
        throw new UserException(first.exitCode(), lines, first);
    }
}
