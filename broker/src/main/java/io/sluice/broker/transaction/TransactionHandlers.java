package io.sluice.broker.transaction;

import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.broker.api.ApiHandler;
import io.sluice.coordinator.transaction.TransactionPort;
import java.util.List;

/** All handlers that ask the coordinator of transactions, to be registered; but for InitProducerId and FindCoordinator. */
public final class TransactionHandlers {
    private TransactionHandlers() {}

    /** The handlers, in the order of their API keys. */
    public static List<ApiHandler<?>> all(TransactionPort transactions, ClusterImageSource images) {
        return List.of(
                new AddPartitionsToTxnHandler(transactions, images),
                new AddOffsetsToTxnHandler(transactions),
                new EndTxnHandler(transactions),
                new DescribeTransactionsHandler(transactions),
                new ListTransactionsHandler(transactions));
    }
}
