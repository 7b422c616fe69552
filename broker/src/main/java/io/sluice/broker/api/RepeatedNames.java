package io.sluice.broker.api;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Names that a request has more than once, where each may be there only once. */
public final class RepeatedNames {
    private RepeatedNames() {}

    /** All of them, in the order in which they are repeated. */
    public static Set<String> of(Stream<String> names) {
        return repetitions(names).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    /** The one that is repeated first; null where there is none. */
    public static @Nullable String firstOf(Stream<String> names) {
        return repetitions(names).findFirst().orElse(null);
    }

    private static Stream<String> repetitions(Stream<String> names) {
        Set<String> seen = new HashSet<>();
        return names.filter(name -> !seen.add(name));
    }
}
