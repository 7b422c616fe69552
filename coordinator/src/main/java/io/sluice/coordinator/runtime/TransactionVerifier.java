package io.sluice.coordinator.runtime;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;

/** The coordinator of transactions, as logs know it. Safe on every thread; nothing blocks. */
@FunctionalInterface
public interface TransactionVerifier {
    /** Of a coordinator that writes nothing in a transaction: to ask it is a defect. */
    TransactionVerifier NONE = (transactionalId, producerId, producerEpoch, partitions, adds) ->
            CompletableFuture.failedFuture(new IllegalStateException("nothing here is written in a transaction"));

    /**
     * What a partition's log asks before it takes the first batch of a transaction (KIP-890): whether the partition belongs
     * to the producer's transaction, adding it first where the client leaves that to the broker.
     *
     * @param adds whether to add (clients of the second protocol generation) or only to verify
     * @return for each partition NONE, or the coordinator's error: TRANSACTION_ABORTABLE where it does not belong to the
     *     transaction, PRODUCER_FENCED, INVALID_PRODUCER_ID_MAPPING, CONCURRENT_TRANSACTIONS and where no coordinator is here.
     *     What that is for the producer depends on its version and is the caller's to say
     */
    CompletionStage<Map<TopicPartition, Errors>> verify(
            String transactionalId,
            long producerId,
            short producerEpoch,
            List<TopicPartition> partitions,
            boolean adds);
}
