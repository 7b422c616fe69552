package io.sluice.testkit.fuzz;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.protocol.ApiKeys;
import org.jspecify.annotations.Nullable;

/**
 * What became of the frames. Only those are counted that the node has certainly taken: it answered them, answered one behind
 * them, or closed the connection on them. Safe on every thread.
 */
final class FuzzCoverage {
    /**
     * Answers without any error cannot be had: without an authentication, an authorizer, a key for tokens or a plug-in for
     * descriptions of topologies; or where the node waits between two of them for longer than a run lasts (telemetry).
     */
    private static final Set<ApiKeys> NEVER_RIGHT = Set.of(
            ApiKeys.SASL_HANDSHAKE,
            ApiKeys.SASL_AUTHENTICATE,
            ApiKeys.DESCRIBE_ACLS,
            ApiKeys.CREATE_ACLS,
            ApiKeys.DELETE_ACLS,
            ApiKeys.CREATE_DELEGATION_TOKEN,
            ApiKeys.RENEW_DELEGATION_TOKEN,
            ApiKeys.EXPIRE_DELEGATION_TOKEN,
            ApiKeys.DESCRIBE_DELEGATION_TOKEN,
            ApiKeys.PUSH_TELEMETRY,
            ApiKeys.STREAMS_GROUP_TOPOLOGY_DESCRIPTION_UPDATE);

    /** Answers with an error cannot be had without an authorizer or a fault of the node. */
    private static final Set<ApiKeys> NEVER_WRONG = Set.of(
            ApiKeys.DESCRIBE_LOG_DIRS,
            ApiKeys.LIST_GROUPS,
            ApiKeys.LIST_PARTITION_REASSIGNMENTS,
            ApiKeys.GET_TELEMETRY_SUBSCRIPTIONS,
            ApiKeys.DESCRIBE_SHARE_GROUP_OFFSETS);

    /** Partitions only become more, up to the bound that the node was started with. */
    private static final Set<ApiKeys> UNTIL_THERE_IS_NO_MORE_ROOM =
            Set.of(ApiKeys.CREATE_PARTITIONS, ApiKeys.CREATE_TOPICS);

    private static final long FEW = 3;

    /** Below this many frames it is chance whether the rarest outcomes, some eighty in a million, are among them. */
    private static final long ENOUGH_FOR_EVERY_OUTCOME = 300_000;

    /** What became of a frame. */
    enum Outcome {
        /** An answer without an error. */
        RIGHT("answer"),
        /** An answer with one. */
        WRONG("error"),
        /** Wanted no answer, and one behind it was answered. */
        READ("no answer"),
        /** The node closed the connection on it. */
        CLOSED("close"),
        /** No answer yet, rightly: not counted. */
        LATE("(waits)"),
        /** Not sent as a whole: not counted. */
        UNFINISHED("(partial)");

        private final String column;

        Outcome(String column) {
            this.column = column;
        }

        boolean isCounted() {
            return this != LATE && this != UNFINISHED;
        }

        boolean isAnswer() {
            return this == RIGHT || this == WRONG;
        }
    }

    private record Cell(Object row, Outcome outcome) {}

    private record ApiVersion(ApiKeys api, short version) {}

    private final Map<Cell, LongAdder> cells = new ConcurrentHashMap<>();
    private final Map<ApiVersion, LongAdder> answersByVersion = new ConcurrentHashMap<>();
    private final LongAdder counted = new LongAdder();

    void add(SpoiledFrame frame, Outcome outcome) {
        increment(frame.api() == null ? "no API" : frame.api(), outcome);
        increment(frame.spoiling(), outcome);
        ApiKeys api = frame.api();
        if (api != null && outcome.isAnswer()) {
            answersByVersion
                    .computeIfAbsent(new ApiVersion(api, frame.version()), key -> new LongAdder())
                    .increment();
        }
        if (outcome.isCounted()) {
            counted.increment();
        }
    }

    private void increment(Object row, Outcome outcome) {
        cells.computeIfAbsent(new Cell(row, outcome), key -> new LongAdder()).increment();
    }

    /** How many frames the node has taken. */
    long counted() {
        return counted.sum();
    }

    /** How often an API, or null for frames that ask for none, came to one of these. */
    long of(@Nullable ApiKeys api, Outcome... outcomes) {
        return count(api == null ? "no API" : api, outcomes);
    }

    private long count(Object row, Outcome... outcomes) {
        long sum = 0;
        for (Outcome outcome : outcomes) {
            LongAdder adder = cells.get(new Cell(row, outcome));
            sum += adder == null ? 0 : adder.sum();
        }
        return sum;
    }

    /**
     * What was reached less often than it should have been, in words: every version of every API answered, every API closed
     * on, every way of spoiling, and after a long run every API with and without an error.
     */
    List<String> gaps(Corpus corpus) {
        List<String> gaps = new ArrayList<>();
        long perOutcome = counted() < ENOUGH_FOR_EVERY_OUTCOME ? 0 : counted() / 20_000;
        long perVersion = Math.max(1, counted() / 30_000);
        for (ApiKeys api : corpus.apis()) {
            require(gaps, api.name + " without an error", of(api, Outcome.RIGHT), leastRight(api, perOutcome));
            require(
                    gaps,
                    api.name + " with an error",
                    of(api, Outcome.WRONG),
                    NEVER_WRONG.contains(api) ? 0 : perOutcome);
            require(gaps, api.name + " answered", of(api, Outcome.RIGHT, Outcome.WRONG), counted() / 500);
            require(gaps, api.name + " closed", of(api, Outcome.CLOSED), counted() / 500);
            for (short version : corpus.versions(api)) {
                LongAdder answers = answersByVersion.get(new ApiVersion(api, version));
                require(gaps, api.name + " v" + version + " answered", answers == null ? 0 : answers.sum(), perVersion);
            }
        }
        for (Spoiling kind : Spoiling.values()) {
            require(
                    gaps,
                    kind + " counted",
                    count(kind, Outcome.RIGHT, Outcome.WRONG, Outcome.READ, Outcome.CLOSED),
                    counted() / 50);
        }
        return gaps;
    }

    private static long leastRight(ApiKeys api, long usual) {
        if (NEVER_RIGHT.contains(api)) {
            return 0;
        }
        return UNTIL_THERE_IS_NO_MORE_ROOM.contains(api) ? Math.min(usual, FEW) : usual;
    }

    private static void require(List<String> gaps, String what, long seen, long least) {
        if (seen < least) {
            gaps.add(what + ": " + seen + " times, should be " + least);
        }
    }

    /** A table of all of it. */
    String table(Corpus corpus) {
        StringBuilder text = new StringBuilder(String.format("fuzz: %-28s", "API or way"));
        for (Outcome outcome : Outcome.values()) {
            text.append(String.format("%11s", outcome.column));
        }
        corpus.apis().forEach(api -> appendRow(text, api.name, api));
        appendRow(text, "no API", "no API");
        for (Spoiling kind : Spoiling.values()) {
            appendRow(text, kind.name(), kind);
        }
        return text.append(String.format("%nfuzz: %d frames counted", counted()))
                .toString();
    }

    private void appendRow(StringBuilder text, String name, Object row) {
        text.append(String.format("%nfuzz: %-28s", name));
        for (Outcome outcome : Outcome.values()) {
            text.append(String.format("%11d", count(row, outcome)));
        }
    }
}
