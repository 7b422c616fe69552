package io.sluice.storage.log;

/** A log whose storage answers late keeps the contract too. */
class SimulatedAsyncProducerTest extends ProducerContract {
    @Override
    protected LogWorld newWorld() {
        return new SimulatedAsyncLogWorld(1);
    }
}
