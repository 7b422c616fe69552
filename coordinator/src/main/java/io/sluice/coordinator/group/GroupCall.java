package io.sluice.coordinator.group;

import java.net.InetAddress;

/**
 * Who asks, and in which version: what group coordination needs to know of a request beside its body.
 *
 * @param apiKey Kafka's number of the API
 * @param apiVersion version of the request
 * @param correlationId as the client numbered it
 * @param clientId "" where the client gave none
 * @param clientAddress where it comes from
 * @param listenerName the listener it came in through
 */
public record GroupCall(
        short apiKey,
        short apiVersion,
        int correlationId,
        String clientId,
        InetAddress clientAddress,
        String listenerName) {}
