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

    /** How long an id is kept that nobody uses. */
    public static final ConfigKey<Integer> ID_EXPIRATION_MS = ConfigKey.ofInt(
            "transactional.id.expiration.ms",
            604_800_000,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "How long a transactional id is remembered after its last change while no transaction of it is open, in"
                    + " milliseconds.");

    /** How often transactions beyond their time are looked for. */
    public static final ConfigKey<Integer> ABORT_INTERVAL_MS = ConfigKey.ofInt(
            "transaction.abort.timed.out.transaction.cleanup.interval.ms",
            10_000,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "How often transactions that have been open for longer than their time-out are looked for, to be aborted, in"
                    + " milliseconds.");

    /** How often ids that have expired are looked for. */
    public static final ConfigKey<Integer> REMOVE_INTERVAL_MS = ConfigKey.ofInt(
            "transaction.remove.expired.transaction.cleanup.interval.ms",
            3_600_000,
            1,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "How often transactional ids that have expired are looked for, to be forgotten, in milliseconds.");

    /** Partitions of the topic of transactions. */
    public static final ConfigKey<Integer> STATE_PARTITIONS = ConfigKey.ofInt(
            "transaction.state.log.num.partitions",
            8,
            1,
            1000,
            Scope.RESTART,
            "Partitions that __transaction_state is created with; an existing topic keeps its own number.");

    /** Copies of the topic of transactions. */
    public static final ConfigKey<Integer> STATE_REPLICATION = ConfigKey.ofInt(
            "transaction.state.log.replication.factor",
            3,
            1,
            Short.MAX_VALUE,
            Scope.RESTART,
            "Replication factor that __transaction_state is created with; one node keeps one copy whatever it says.");

    /** Copies that must have a record of it. */
    public static final ConfigKey<Integer> STATE_MIN_ISR = ConfigKey.ofInt(
            "transaction.state.log.min.isr",
            2,
            1,
            Short.MAX_VALUE,
            Scope.RESTART,
            "The min.insync.replicas that __transaction_state is created with, at most as many as it has copies.");

    /** Segment size of the topic of transactions. */
    public static final ConfigKey<Integer> STATE_SEGMENT_BYTES = ConfigKey.ofInt(
            "transaction.state.log.segment.bytes",
            104_857_600,
            1 << 20,
            Integer.MAX_VALUE,
            Scope.RESTART,
            "Segment size that __transaction_state is created with, in bytes.");

    /** How much is read at once while loading. */
    public static final ConfigKey<Integer> LOAD_BUFFER_BYTES = ConfigKey.ofInt(
            "transaction.state.log.load.buffer.size",
            1 << 20,
            1,
            1 << 30,
            Scope.RESTART,
            "Bytes read at once while transactions are loaded; a larger batch is read whole.");

    /** All of them. */
    public static final List<ConfigKey<?>> ALL = List.of(
            MAX_TIMEOUT_MS,
            ID_EXPIRATION_MS,
            ABORT_INTERVAL_MS,
            REMOVE_INTERVAL_MS,
            STATE_PARTITIONS,
            STATE_REPLICATION,
            STATE_MIN_ISR,
            STATE_SEGMENT_BYTES,
            LOAD_BUFFER_BYTES);

    private TransactionKeys() {}
}
