package io.sluice.coordinator.transaction;

import io.sluice.coordinator.runtime.CoordinatorLocation;
import io.sluice.coordinator.runtime.TransactionVerifier;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.message.AddOffsetsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTransaction;
import org.apache.kafka.common.message.DescribeTransactionsResponseData;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.ListTransactionsRequestData;
import org.apache.kafka.common.message.ListTransactionsResponseData;
import org.apache.kafka.common.protocol.Errors;

/**
 * Coordination of transactions (KIP-98, KIP-360, KIP-890): which producer owns a transactional id, what its transaction has
 * touched, and how it ended.
 *
 * <p>Every answer that says something was written is given only when that is durable. A request for an id whose coordinator
 * is not here, or still loads, is answered with NOT_COORDINATOR, COORDINATOR_NOT_AVAILABLE or COORDINATOR_LOAD_IN_PROGRESS
 * inside the answer. Errors are those of the newest version of a request: a fenced producer is told PRODUCER_FENCED. Stages do
 * not fail but for defects.
 *
 * <p>Threads: safe on every thread; nothing blocks. Stages complete on the coordinator's thread, or another one that must not
 * be held up.
 */
public interface TransactionPort extends TransactionVerifier, AutoCloseable {
    /** Where the id's coordinator is. Creates the topic of transactions if there is none yet. Never fails. */
    CompletionStage<CoordinatorLocation> locate(String transactionalId);

    /**
     * InitProducerId with a transactional id, which is not empty; the time-out has been checked, and producer id and epoch are
     * both given or neither. Without a transaction open the answer is the new epoch; else that one is aborted, and the answer
     * CONCURRENT_TRANSACTIONS: ask again.
     */
    CompletionStage<InitProducerIdResponseData> initProducerId(InitProducerIdRequestData request);

    /**
     * AddPartitionsToTxn for one transaction: all partitions are added, or none. With {@code verifyOnly} nothing is added, and
     * each partition gets its own answer. Partitions exist.
     *
     * @param version of the request: from 5 on the client is of the second generation (KIP-890)
     * @return an error for each partition, or NONE
     */
    CompletionStage<Map<TopicPartition, Errors>> addPartitions(
            AddPartitionsToTxnTransaction transaction, short version);

    /** AddOffsetsToTxn: adds the partition that holds the group's offsets. */
    CompletionStage<Errors> addOffsets(AddOffsetsToTxnRequestData request);

    /**
     * EndTxn. Answered once the decision is durable; the markers follow.
     *
     * @param version of the request: from 5 on the epoch is raised at each end (KIP-890)
     */
    CompletionStage<EndTxnResponseData> endTransaction(EndTxnRequestData request, short version);

    /** DescribeTransactions. */
    CompletionStage<List<DescribeTransactionsResponseData.TransactionState>> describe(List<String> transactionalIds);

    /** ListTransactions: those whose coordinator is here. */
    CompletionStage<ListTransactionsResponseData> list(ListTransactionsRequestData request);

    /** Stops within two seconds; later calls are answered COORDINATOR_NOT_AVAILABLE. */
    @Override
    void close();
}
