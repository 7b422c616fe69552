package io.sluice.storage.log;

/** A log whose storage answers late keeps the contract too. */
class SimulatedAsyncPartitionLogTest extends PartitionLogContract {
    @Override
    protected LogWorld newWorld() {
        return new SimulatedAsyncLogWorld(1);
    }
}
