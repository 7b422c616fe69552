package io.sluice.broker.producerid;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.AsyncAnswer;
import io.sluice.broker.api.Call;
import io.sluice.broker.transaction.FencedProducers;
import io.sluice.coordinator.transaction.TransactionPort;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.requests.InitProducerIdRequest;
import org.apache.kafka.common.requests.InitProducerIdResponse;

/**
 * Serves InitProducerId, versions 0 to 5: an id of its own for an idempotent producer, and through the coordinator of
 * transactions the next epoch for one with a transactional id. Where no id could be reserved, the answer is
 * COORDINATOR_LOAD_IN_PROGRESS, as in Kafka, and the client tries again.
 */
public final class InitProducerIdHandler implements ApiHandler<InitProducerIdRequest> {
    private static final int FIRST_KNOWING_FENCED = 4;

    private final ProducerIds ids;
    private final TransactionPort transactions;
    private final int maxTimeoutMillis;

    /**
     * A handler.
     *
     * @param maxTimeoutMillis longest time-out a transaction may have ({@code transaction.max.timeout.ms})
     */
    public InitProducerIdHandler(ProducerIds ids, TransactionPort transactions, int maxTimeoutMillis) {
        this.ids = ids;
        this.transactions = transactions;
        this.maxTimeoutMillis = maxTimeoutMillis;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.INIT_PRODUCER_ID;
    }

    @Override
    public void handle(Call<InitProducerIdRequest> call) {
        Errors error = check(call.request().data());
        if (error != Errors.NONE) {
            respond(call, error, RecordBatch.NO_PRODUCER_ID, RecordBatch.NO_PRODUCER_EPOCH);
            return;
        }
        if (call.request().data().transactionalId() != null) {
            initialize(call);
            return;
        }
        ids.take(id -> {
            if (id == ProducerIds.NONE) {
                respond(
                        call,
                        Errors.COORDINATOR_LOAD_IN_PROGRESS,
                        RecordBatch.NO_PRODUCER_ID,
                        RecordBatch.NO_PRODUCER_EPOCH);
            } else {
                respond(call, Errors.NONE, id, (short) 0);
            }
        });
    }

    private void initialize(Call<InitProducerIdRequest> call) {
        short version = call.header().apiVersion();
        AsyncAnswer.give(
                call, transactions.initProducerId(call.request().data()).thenApply(answer -> {
                    Errors error = Errors.forCode(answer.errorCode());
                    return new InitProducerIdResponse(
                            answer.setErrorCode(FencedProducers.tell(error, version, FIRST_KNOWING_FENCED)
                                    .code()));
                }));
    }

    private Errors check(InitProducerIdRequestData data) {
        boolean hasId = data.producerId() != RecordBatch.NO_PRODUCER_ID;
        boolean hasEpoch = data.producerEpoch() != RecordBatch.NO_PRODUCER_EPOCH;
        if (hasId != hasEpoch) {
            return Errors.INVALID_REQUEST;
        }
        if (data.transactionalId() == null) {
            return Errors.NONE;
        }
        if (data.transactionalId().isEmpty()) {
            return Errors.INVALID_REQUEST;
        }
        if (data.enable2Pc()) {
            // Two-phase commit (KIP-939) is off, and this is how Kafka says so.
            return Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED;
        }
        if (data.keepPreparedTxn()) {
            return Errors.UNSUPPORTED_VERSION;
        }
        int timeout = data.transactionTimeoutMs();
        return timeout <= 0 || timeout > maxTimeoutMillis ? Errors.INVALID_TRANSACTION_TIMEOUT : Errors.NONE;
    }

    private static void respond(Call<InitProducerIdRequest> call, Errors error, long id, short epoch) {
        call.respond(new InitProducerIdResponse(new InitProducerIdResponseData()
                .setErrorCode(error.code())
                .setProducerId(id)
                .setProducerEpoch(epoch)));
    }
}
