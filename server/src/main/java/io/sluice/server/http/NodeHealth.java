package io.sluice.server.http;

import io.sluice.cli.output.Json;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How far a node's life has got, for {@code /health/live} and {@code /health/ready}. Safe on every thread.
 *
 * <pre>
 * starting (a step, with progress) -> ready -> stopping
 *                                     failed, while there are faults
 * </pre>
 */
public final class NodeHealth {
    private volatile State state = new State("starting", "configuration", 0, 0);
    private volatile Faults faults = Faults.NONE;

    /** What keeps a node that serves from serving everything. Asked on the admin port's event loop. */
    public interface Faults {
        /** There are none. */
        Faults NONE = new Faults() {
            @Override
            public List<String> causes() {
                return List.of();
            }

            @Override
            public int failedPartitions() {
                return 0;
            }

            @Override
            public List<Problem> problems() {
                return List.of();
            }
        };

        /** Why it is of no use until it is started again, a sentence each; empty if it is. */
        List<String> causes();

        /** Partitions that are not served, while the others are. */
        int failedPartitions();

        /** What is not served of the rest, and to whom; a few. */
        List<Problem> problems();
    }

    /**
     * What somebody has to see to while the node serves the rest.
     *
     * @param problem what it is, without a full stop
     * @param advice what to do, in whole sentences
     */
    public record Problem(String problem, String advice) {}

    /** From now on these are told, once it is ready. */
    public void watch(Faults watched) {
        faults = watched;
    }

    /** A step of the start begins. */
    public void toStep(String step) {
        state = new State("starting", step, 0, 0);
    }

    /** The step has got so far. */
    public void toProgress(long done, long total) {
        state = new State("starting", state.step, done, total);
    }

    /** The node can serve. */
    public void toReady() {
        state = new State("ready", "", 0, 0);
    }

    /** The node takes no new work. */
    public void toStopping() {
        state = new State("stopping", "", 0, 0);
    }

    /** 200 as long as the process answers at all. */
    public Page livePage() {
        return Page.json(200, Json.write(Map.of("status", "live")));
    }

    /** 200 when the node can serve, if need be with problems; 503 before, with progress, and after, and when a write has failed. */
    public Page readyPage() {
        State now = state;
        return now.name.equals("ready") ? servingPage() : page(now);
    }

    private Page servingPage() {
        List<String> causes = faults.causes();
        int failedPartitions = faults.failedPartitions();
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("status", causes.isEmpty() ? "ready" : "failed");
        if (!causes.isEmpty()) {
            document.put("causes", causes);
        }
        if (failedPartitions > 0) {
            document.put("failedPartitions", failedPartitions);
        }
        List<Problem> problems = faults.problems();
        if (!problems.isEmpty()) {
            document.put("problems", problems);
        }
        return Page.json(causes.isEmpty() ? 200 : 503, Json.write(document));
    }

    private static Page page(State now) {
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("status", now.name);
        if (!now.step.isEmpty()) {
            document.put("step", now.step);
        }
        if (now.total > 0) {
            document.put("done", now.done);
            document.put("total", now.total);
        }
        return Page.json(503, Json.write(document));
    }

    private record State(String name, String step, long done, long total) {}
}
