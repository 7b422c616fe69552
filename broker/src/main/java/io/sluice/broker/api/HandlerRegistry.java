package io.sluice.broker.api;

import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.protocol.ApiKeys;

/** The handlers that a node serves, one for each API. Immutable. */
public final class HandlerRegistry {
    private final List<ApiHandler<?>> handlers;

    private HandlerRegistry(List<ApiHandler<?>> handlers) {
        this.handlers = handlers;
    }

    /**
     * A registry of these handlers.
     *
     * @throws IllegalArgumentException when two serve one API
     */
    public static HandlerRegistry of(Collection<? extends ApiHandler<?>> handlers) {
        Set<ApiKeys> served = EnumSet.noneOf(ApiKeys.class);
        for (ApiHandler<?> handler : handlers) {
            if (!served.add(handler.api())) {
                throw new IllegalArgumentException("two handlers serve " + handler.api());
            }
        }
        return new HandlerRegistry(List.copyOf(handlers));
    }

    /** All handlers, in the order given. */
    public List<ApiHandler<?>> handlers() {
        return handlers;
    }
}
