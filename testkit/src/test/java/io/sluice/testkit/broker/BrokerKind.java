package io.sluice.testkit.broker;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;

/** Which broker a test talks to. */
public enum BrokerKind {
    /** A real Kafka, the reference. */
    KAFKA {
        @Override
        public BrokerUnderTest start(Map<String, String> configs) throws IOException, InterruptedException {
            return ReferenceKafka.start(configs);
        }
    },
    /** The product. */
    SLUICE {
        @Override
        public BrokerUnderTest start(Map<String, String> configs) throws IOException, InterruptedException {
            return SluiceNode.start(configs);
        }
    };

    /**
     * Starts one on free ports with an empty data directory and waits until it is ready.
     *
     * @param configs broker configs by Kafka's names, over what a single node needs
     */
    public abstract BrokerUnderTest start(Map<String, String> configs) throws IOException, InterruptedException;

    /**
     * The broker that tests are about: Sluice, unless {@code -Dsluice.testkit.candidate=kafka} tries the tests themselves
     * against the reference.
     */
    public static BrokerKind candidate() {
        String name = System.getProperty("sluice.testkit.candidate", "sluice");
        return valueOf(name.toUpperCase(Locale.ROOT));
    }
}
