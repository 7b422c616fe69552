package io.sluice.coordinator.transaction;

import java.util.function.LongConsumer;

/** Where new producer ids come from. Safe on every thread. */
@FunctionalInterface
public interface ProducerIdSource {
    /** What is given where there is none for the moment. */
    long NONE = -1;

    /**
     * Gives out an id that nobody ever had, or {@link #NONE}.
     *
     * @param receiver called once, on any thread, maybe at once
     */
    void take(LongConsumer receiver);
}
