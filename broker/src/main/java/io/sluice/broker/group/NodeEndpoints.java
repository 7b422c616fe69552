package io.sluice.broker.group;

import org.apache.kafka.common.Node;
import org.jspecify.annotations.Nullable;

/** Where clients reach a node. Safe on every thread; answers from memory. */
@FunctionalInterface
public interface NodeEndpoints {
    /** The address advertised on this listener; null where the node is unknown or away. */
    @Nullable Node find(int nodeId, String listenerName);
}
