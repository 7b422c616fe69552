package io.sluice.testkit.broker;

import java.io.IOException;
import java.nio.file.Path;
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

        @Override
        public BrokerUnderTest startOn(Path data, Map<String, String> configs)
                throws IOException, InterruptedException {
            return ReferenceKafka.startOn(data, configs);
        }
    },
    /** The product. */
    SLUICE {
        @Override
        public BrokerUnderTest start(Map<String, String> configs) throws IOException, InterruptedException {
            return SluiceNode.start(SluiceBuild.SHIPPED, configs);
        }

        @Override
        public BrokerUnderTest startOn(Path data, Map<String, String> configs)
                throws IOException, InterruptedException {
            return SluiceNode.startOn(SluiceBuild.SHIPPED, data, configs);
        }
    },
    /** The product with a planted defect, for trying the tests themselves: it acknowledges before the flush. */
    ACKNOWLEDGING_EARLY {
        @Override
        public BrokerUnderTest start(Map<String, String> configs) throws IOException, InterruptedException {
            return SluiceNode.start(SluiceBuild.ACKNOWLEDGING_EARLY, configs);
        }

        @Override
        public BrokerUnderTest startOn(Path data, Map<String, String> configs)
                throws IOException, InterruptedException {
            return SluiceNode.startOn(SluiceBuild.ACKNOWLEDGING_EARLY, data, configs);
        }
    };

    /**
     * Starts one on free ports with an empty data directory and waits until it is ready.
     *
     * @param configs broker configs by Kafka's names, over what a single node needs
     */
    public abstract BrokerUnderTest start(Map<String, String> configs) throws IOException, InterruptedException;

    /**
     * As {@link #start}, on a data directory elsewhere, which may hold data already and is not deleted at the end.
     */
    public abstract BrokerUnderTest startOn(Path data, Map<String, String> configs)
            throws IOException, InterruptedException;

    /**
     * The broker that tests are about: Sluice, unless {@code -Dsluice.testkit.candidate=kafka} tries the tests themselves
     * against the reference.
     */
    public static BrokerKind candidate() {
        String name = System.getProperty("sluice.testkit.candidate", "sluice");
        return valueOf(name.toUpperCase(Locale.ROOT));
    }
}
