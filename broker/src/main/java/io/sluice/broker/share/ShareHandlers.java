package io.sluice.broker.share;

import io.sluice.base.time.Clock;
import io.sluice.base.time.Scheduler;
import io.sluice.broker.api.ApiHandler;
import java.util.List;

/** The handlers of share groups' records, to be registered. */
public final class ShareHandlers {
    private ShareHandlers() {}

    /**
     * The handlers, in the order of their API keys.
     *
     * @param maxBytes most bytes of records in one answer
     * @param sessionSlots most share sessions at a time
     */
    public static List<ApiHandler<?>> all(
            SharePartitions partitions, Clock clock, Scheduler scheduler, int maxBytes, int sessionSlots) {
        ShareSessions sessions = new ShareSessions(sessionSlots, partitions);
        return List.of(
                new ShareFetchHandler(partitions, sessions, clock, scheduler, maxBytes),
                new ShareAcknowledgeHandler(partitions, sessions));
    }
}
