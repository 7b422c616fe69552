package io.sluice.broker.transaction;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.AsyncAnswer;
import io.sluice.broker.api.Call;
import io.sluice.coordinator.transaction.TransactionPort;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.ListTransactionsRequest;
import org.apache.kafka.common.requests.ListTransactionsResponse;

/** ListTransactions (KIP-664): by state and producer, since version 1 by duration, since 2 by a pattern of ids. */
final class ListTransactionsHandler implements ApiHandler<ListTransactionsRequest> {
    private final TransactionPort transactions;

    ListTransactionsHandler(TransactionPort transactions) {
        this.transactions = transactions;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.LIST_TRANSACTIONS;
    }

    @Override
    public void handle(Call<ListTransactionsRequest> call) {
        AsyncAnswer.give(call, transactions.list(call.request().data()).thenApply(ListTransactionsResponse::new));
    }
}
