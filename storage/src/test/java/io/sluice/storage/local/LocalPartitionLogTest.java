package io.sluice.storage.local;

import io.sluice.storage.log.LogWorld;
import io.sluice.storage.log.PartitionLogContract;

/** The local engine keeps the contract. */
class LocalPartitionLogTest extends PartitionLogContract {
    @Override
    protected LogWorld newWorld() {
        return new LocalWorld();
    }
}
