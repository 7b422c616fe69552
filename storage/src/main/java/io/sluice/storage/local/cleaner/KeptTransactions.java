package io.sluice.storage.local.cleaner;

import io.sluice.protocol.record.BatchView;
import org.agrona.collections.LongHashSet;

/** Producers of whose transaction something was kept by a cleaning, and whose marker is still to come. For one thread. */
final class KeptTransactions {
    private final LongHashSet producers = new LongHashSet();

    /** The next batch was cleaned; {@code kept} says whether any record of it stays. */
    void onCleaned(BatchView batch, boolean kept) {
        if (batch.isControl()) {
            producers.remove(batch.producerId());
        } else if (batch.isTransactional() && kept) {
            producers.add(batch.producerId());
        }
    }

    /** Whether something stays of the transaction that this marker ends. */
    boolean isKept(BatchView marker) {
        return producers.contains(marker.producerId());
    }
}
