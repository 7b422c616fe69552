package io.sluice.broker.handshake;

import java.util.List;

/**
 * A feature of KIP-584 as ApiVersions tells clients of it.
 *
 * @param name Kafka's name
 * @param minSupported lowest level this node can work at
 * @param maxSupported highest level this node can work at
 * @param finalized the level in force; 0 means off and is not told
 */
public record FeatureLevel(String name, short minSupported, short maxSupported, short finalized) {
    /**
     * Groups of KIP-848, share groups of KIP-932 with dead letters (KIP-1191), streams groups of KIP-1071 and transactions of
     * KIP-890, on. Features of APIs that are not served are left out.
     */
    public static final List<FeatureLevel> SERVED = List.of(
            of("group.version", 0, 1, 1),
            of("share.version", 0, 2, 2),
            of("streams.version", 0, 1, 1),
            of("transaction.version", 0, 2, 2));

    /** A feature from plain numbers. */
    public static FeatureLevel of(String name, int minSupported, int maxSupported, int finalized) {
        return new FeatureLevel(name, (short) minSupported, (short) maxSupported, (short) finalized);
    }
}
