package io.sluice.broker.share;

import io.sluice.broker.api.ApiHandler;
import io.sluice.coordinator.share.ShareStatePort;
import java.util.List;

/** The handlers of share groups' state, to be registered. */
public final class ShareStateHandlers {
    private ShareStateHandlers() {}

    /** The handlers, in the order of their API keys. */
    public static List<ApiHandler<?>> all(ShareStatePort state) {
        return List.of(
                new InitializeShareGroupStateHandler(state),
                new ReadShareGroupStateHandler(state),
                new WriteShareGroupStateHandler(state),
                new DeleteShareGroupStateHandler(state),
                new ReadShareGroupStateSummaryHandler(state));
    }
}
