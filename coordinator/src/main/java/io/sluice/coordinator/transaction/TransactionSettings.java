package io.sluice.coordinator.transaction;

import io.sluice.base.config.ConfigValues;
import io.sluice.storage.config.TransactionKeys;

/** The settings a shard goes by, in milliseconds. */
record TransactionSettings(int abortIntervalMillis, int removeIntervalMillis, int idExpirationMillis) {
    static TransactionSettings of(ConfigValues config) {
        return new TransactionSettings(
                config.get(TransactionKeys.ABORT_INTERVAL_MS),
                config.get(TransactionKeys.REMOVE_INTERVAL_MS),
                config.get(TransactionKeys.ID_EXPIRATION_MS));
    }
}
