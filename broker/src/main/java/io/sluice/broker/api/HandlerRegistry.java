package io.sluice.broker.api;

import java.util.Collection;
import java.util.List;
import org.apache.kafka.common.protocol.ApiKeys;
import org.jspecify.annotations.Nullable;

/** The handlers that a node serves, one for each API. Immutable. */
public final class HandlerRegistry {
    private final List<ApiHandler<?>> handlers;
    private final @Nullable ApiHandler<?>[] byKey;

    private HandlerRegistry(List<ApiHandler<?>> handlers, @Nullable ApiHandler<?>[] byKey) {
        this.handlers = handlers;
        this.byKey = byKey;
    }

    /**
     * A registry of these handlers.
     *
     * @throws IllegalArgumentException when two serve one API
     */
    public static HandlerRegistry of(Collection<? extends ApiHandler<?>> handlers) {
        int keys = 1;
        for (ApiKeys api : ApiKeys.values()) {
            keys = Math.max(keys, api.id + 1);
        }
        @Nullable ApiHandler<?>[] byKey = new ApiHandler<?>[keys];
        for (ApiHandler<?> handler : handlers) {
            int key = handler.api().id;
            if (byKey[key] != null) {
                throw new IllegalArgumentException("two handlers serve " + handler.api());
            }
            byKey[key] = handler;
        }
        return new HandlerRegistry(List.copyOf(handlers), byKey);
    }

    /** All handlers, in the order given. */
    public List<ApiHandler<?>> handlers() {
        return handlers;
    }

    /** The handler of an API key as it came over the wire, or null. */
    public @Nullable ApiHandler<?> find(int apiKey) {
        return apiKey >= 0 && apiKey < byKey.length ? byKey[apiKey] : null;
    }
}
