package io.sluice.broker.api;

import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractRequest;

/**
 * Serves one Kafka API: one class each. The advertised versions derive from the handlers registered, so that what is
 * advertised and what is served cannot drift.
 */
public interface ApiHandler<R extends AbstractRequest> {
    /** The API it serves. */
    ApiKeys api();

    /** Oldest version advertised. */
    default short oldestVersion() {
        return api().oldestVersion();
    }

    /** Newest version advertised; unstable versions are left out. */
    default short newestVersion() {
        return api().latestVersion(false);
    }

    /**
     * Whether a call may start while an earlier one of this API on the same connection has not been answered. Calls still
     * start in order and are answered in order. False: a call starts when all before it have been answered.
     */
    default boolean pipelined() {
        return false;
    }

    /**
     * Serves one call on the connection's event loop. Must not block. Answers exactly once, now or later, from any thread.
     * An exception thrown here is a defect: it is logged and answered with UNKNOWN_SERVER_ERROR.
     */
    void handle(Call<R> call);
}
