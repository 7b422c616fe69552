package io.sluice.broker.configuration;

import org.apache.kafka.common.errors.InvalidRequestException;

/** Brokers as resources are named by their number. */
final class NodeNames {
    private NodeNames() {}

    /**
     * Requires the name of this node.
     *
     * @throws InvalidRequestException for any other
     */
    static void requireThis(String name, int nodeId) {
        int id;
        try {
            id = Integer.parseInt(name);
        } catch (NumberFormatException e) {
            throw new InvalidRequestException("Broker id must be an integer, but it is: " + name, e);
        }
        if (id != nodeId) {
            throw new InvalidRequestException(
                    "Unexpected broker id, expected " + nodeId + " or empty string, but received " + name);
        }
    }
}
