package io.sluice.broker.transaction;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.AsyncAnswer;
import io.sluice.broker.api.Call;
import io.sluice.coordinator.transaction.TransactionPort;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.EndTxnRequest;
import org.apache.kafka.common.requests.EndTxnResponse;

/** EndTxn: a transaction is committed or aborted. */
final class EndTxnHandler implements ApiHandler<EndTxnRequest> {
    private static final int FIRST_KNOWING_FENCED = 2;

    private final TransactionPort transactions;

    EndTxnHandler(TransactionPort transactions) {
        this.transactions = transactions;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.END_TXN;
    }

    @Override
    public void handle(Call<EndTxnRequest> call) {
        short version = call.header().apiVersion();
        CompletionStage<EndTxnResponseData> ended =
                call.request().data().transactionalId().isEmpty()
                        ? CompletableFuture.completedStage(
                                new EndTxnResponseData().setErrorCode(Errors.INVALID_REQUEST.code()))
                        : transactions.endTransaction(call.request().data(), version);
        AsyncAnswer.give(call, ended.thenApply(answer -> response(answer, version)));
    }

    private static EndTxnResponse response(EndTxnResponseData answer, short version) {
        Errors error = FencedProducers.tell(Errors.forCode(answer.errorCode()), version, FIRST_KNOWING_FENCED);
        return new EndTxnResponse(answer.setErrorCode(error.code()));
    }
}
