package io.sluice.testkit.differential;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.testkit.process.NamedThreads;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;

/** Runs a case on both sides at once and compares the transcripts. */
final class Runner implements AutoCloseable {
    /** Label of the transcript when a script failed. */
    static final String FAILURE = "the script failed";

    private static final int MORE_ATTEMPTS = 2;

    private final Side reference;
    private final Side candidate;
    private final Coverage coverage;
    private final ExecutorService threads = NamedThreads.pool("differential", 2);

    /**
     * @param coverage takes what the candidate says
     */
    Runner(Side reference, Side candidate, Coverage coverage) {
        this.reference = reference;
        this.candidate = candidate;
        this.coverage = coverage;
    }

    /**
     * Runs one case. Kafka answers some things late or in any order: where the answers differ, Kafka is asked again, and the
     * candidate is right if it said what Kafka says at some time.
     *
     * @throws IllegalStateException if the case fails on the reference: then the case is wrong
     */
    List<Difference> run(Case testCase) {
        CompletableFuture<JsonNode> first =
                CompletableFuture.supplyAsync(() -> transcript(reference, testCase, 0), threads);
        CompletableFuture<JsonNode> actual =
                CompletableFuture.supplyAsync(() -> transcript(candidate, testCase, 0), threads);
        CompletableFuture.allOf(first, actual).join();
        coverage.onTranscript(testCase, actual.join());
        List<Difference> differences = compare(testCase, first.join(), actual.join());
        for (int attempt = 1; attempt <= MORE_ATTEMPTS && !differences.isEmpty(); attempt++) {
            List<Difference> again = compare(testCase, transcript(reference, testCase, attempt), actual.join());
            differences = again.size() < differences.size() ? again : differences;
        }
        return differences;
    }

    private static List<Difference> compare(Case testCase, JsonNode expected, JsonNode actual) {
        if (expected.has(FAILURE)) {
            throw new IllegalStateException(testCase.id() + " fails on the reference itself: " + expected.get(FAILURE));
        }
        return Comparison.of(testCase.id(), expected, actual);
    }

    @SuppressWarnings("checkstyle:IllegalCatch") // Whatever a script throws is a finding about its side.
    static JsonNode transcript(Side side, Case testCase, int attempt) {
        ObjectNode failure = JsonNodeFactory.instance.objectNode();
        try (Session session = new Session(side, testCase, attempt)) {
            try {
                testCase.script().run(session);
                return session.transcript();
            } catch (Exception | AssertionError e) {
                failure.setAll((ObjectNode) session.transcript());
                return failure.put(FAILURE, e.toString());
            }
        } catch (java.io.IOException e) {
            return failure.put(FAILURE, e.toString());
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
