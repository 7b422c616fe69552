package io.sluice.server.http;

import io.sluice.cli.output.Json;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How far a node's life has got, for {@code /health/live} and {@code /health/ready}. Safe on every thread.
 *
 * <pre>
 * starting (a step, with progress) -> ready -> stopping
 * </pre>
 */
public final class NodeHealth {
    private volatile State state = new State("starting", "configuration", 0, 0);

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

    /** 200 when the node can serve; 503 before, with progress, and after. */
    public Page readyPage() {
        State now = state;
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("status", now.name);
        if (!now.step.isEmpty()) {
            document.put("step", now.step);
        }
        if (now.total > 0) {
            document.put("done", now.done);
            document.put("total", now.total);
        }
        return Page.json(now.name.equals("ready") ? 200 : 503, Json.write(document));
    }

    private record State(String name, String step, long done, long total) {}
}
