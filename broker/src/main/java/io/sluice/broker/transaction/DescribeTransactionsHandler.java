package io.sluice.broker.transaction;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.AsyncAnswer;
import io.sluice.broker.api.Call;
import io.sluice.coordinator.transaction.TransactionPort;
import org.apache.kafka.common.message.DescribeTransactionsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.DescribeTransactionsRequest;
import org.apache.kafka.common.requests.DescribeTransactionsResponse;

/** DescribeTransactions (KIP-664): who owns transactional ids, and what their transactions have touched. */
final class DescribeTransactionsHandler implements ApiHandler<DescribeTransactionsRequest> {
    private final TransactionPort transactions;

    DescribeTransactionsHandler(TransactionPort transactions) {
        this.transactions = transactions;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.DESCRIBE_TRANSACTIONS;
    }

    @Override
    public void handle(Call<DescribeTransactionsRequest> call) {
        AsyncAnswer.give(
                call,
                transactions
                        .describe(call.request().data().transactionalIds())
                        .thenApply(states -> new DescribeTransactionsResponse(
                                new DescribeTransactionsResponseData().setTransactionStates(states))));
    }
}
