package io.sluice.storage.log;

import io.sluice.base.time.SimulatedTime;

/**
 * A store with the world around it, as the contract needs it: what one engine calls a flush another calls an
 * acknowledgement of its peers.
 */
public interface LogWorld extends AutoCloseable {
    /** The store that runs now. */
    PartitionLogStore store();

    /** Time of the world. */
    SimulatedTime time();

    /** Makes everything appended so far durable and lets all that has been started come to its end. */
    void settle();

    /** Lets all that has been started come to its end, but for making appends durable. */
    void runTasks();

    /** Stops the store in order and starts it again. */
    void restart();

    /** The next thing that would make appends durable fails: their outcome is unknown for ever. */
    void failWrites();

    /** Lets at most so many bytes wait to become durable; the next append beyond is refused as FULL. */
    void limitPendingBytes(long bytes);

    @Override
    void close();
}
