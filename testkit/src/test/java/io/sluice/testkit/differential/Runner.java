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

    private final Side reference;
    private final Side candidate;
    private final ExecutorService threads = NamedThreads.pool("differential", 2);

    Runner(Side reference, Side candidate) {
        this.reference = reference;
        this.candidate = candidate;
    }

    /**
     * Runs one case.
     *
     * @throws IllegalStateException if it fails on the reference: then the case is wrong
     */
    List<Difference> run(Case testCase) {
        CompletableFuture<JsonNode> expected =
                CompletableFuture.supplyAsync(() -> transcript(reference, testCase), threads);
        CompletableFuture<JsonNode> actual =
                CompletableFuture.supplyAsync(() -> transcript(candidate, testCase), threads);
        CompletableFuture.allOf(expected, actual).join();
        if (expected.join().has(FAILURE)) {
            throw new IllegalStateException(testCase.id() + " fails on the reference itself: "
                    + expected.join().get(FAILURE));
        }
        return Comparison.of(testCase.id(), expected.join(), actual.join());
    }

    @SuppressWarnings("checkstyle:IllegalCatch") // Whatever a script throws is a finding about its side.
    private static JsonNode transcript(Side side, Case testCase) {
        ObjectNode failure = JsonNodeFactory.instance.objectNode();
        try (Session session = new Session(side, testCase)) {
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
