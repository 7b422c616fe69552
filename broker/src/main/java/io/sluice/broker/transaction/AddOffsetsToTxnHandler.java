package io.sluice.broker.transaction;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.AsyncAnswer;
import io.sluice.broker.api.Call;
import io.sluice.coordinator.transaction.TransactionPort;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.message.AddOffsetsToTxnResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AddOffsetsToTxnRequest;
import org.apache.kafka.common.requests.AddOffsetsToTxnResponse;

/** AddOffsetsToTxn: a group's offsets become part of a transaction. Sent by clients of the first generation only. */
final class AddOffsetsToTxnHandler implements ApiHandler<AddOffsetsToTxnRequest> {
    private static final int FIRST_KNOWING_FENCED = 2;

    private final TransactionPort transactions;

    AddOffsetsToTxnHandler(TransactionPort transactions) {
        this.transactions = transactions;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.ADD_OFFSETS_TO_TXN;
    }

    @Override
    public void handle(Call<AddOffsetsToTxnRequest> call) {
        short version = call.header().apiVersion();
        CompletionStage<Errors> added = call.request().data().transactionalId().isEmpty()
                ? CompletableFuture.completedStage(Errors.INVALID_REQUEST)
                : transactions.addOffsets(call.request().data());
        AsyncAnswer.give(
                call,
                added.thenApply(error -> new AddOffsetsToTxnResponse(new AddOffsetsToTxnResponseData()
                        .setErrorCode(FencedProducers.tell(error, version, FIRST_KNOWING_FENCED)
                                .code()))));
    }
}
