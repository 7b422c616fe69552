package io.sluice.storage.config;

import io.sluice.base.config.ConfigKey;
import io.sluice.base.config.ConfigKey.Scope;
import java.util.List;

/** Settings of transactions, by Kafka's names. */
public final class TransactionKeys {
    /** Longest time-out a transactional producer may ask for, in milliseconds. */
    public static final ConfigKey<Integer> MAX_TIMEOUT_MS = ConfigKey.ofInt(
            "transaction.max.timeout.ms",
            900000,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Longest transaction time-out a producer may ask for, in milliseconds; a longer one is refused.");

    /** All of them. */
    static final List<ConfigKey<?>> ALL = List.of(MAX_TIMEOUT_MS);

    private TransactionKeys() {}
}
