package io.sluice.benchmarks.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/** One thing to measure. */
interface Cell {
    /** The word that selects it on the command line. */
    String name();

    /** What it measures, in a line. */
    String description();

    /** Whether it makes sense against this contender. */
    default boolean appliesTo(Contender contender) {
        return contender.stores();
    }

    /** Measures once; starts and stops the contender itself, on an empty directory. */
    Map<String, Double> measure(Contender contender, Path directory)
            throws IOException, InterruptedException, ExecutionException, TimeoutException;
}
