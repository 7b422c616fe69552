package io.sluice.storage.local;

import io.sluice.storage.log.LogWorld;
import io.sluice.storage.log.ProducerContract;

/** The local engine keeps the promises to producers. */
class LocalProducerTest extends ProducerContract {
    @Override
    protected LogWorld newWorld() {
        return new LocalWorld();
    }
}
