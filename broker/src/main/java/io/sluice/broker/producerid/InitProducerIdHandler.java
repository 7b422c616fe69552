package io.sluice.broker.producerid;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.requests.InitProducerIdRequest;
import org.apache.kafka.common.requests.InitProducerIdResponse;

/**
 * Serves InitProducerId, versions 0 to 5, for idempotent producers.
 *
 * <p>Until transactions are served, a transactional id is answered COORDINATOR_NOT_AVAILABLE, as FindCoordinator answers for
 * it: what Kafka says while nobody coordinates transactions. The client tries again until its own time-out and then reports
 * that the coordinator was not available, which is the truth; nothing is lost, because nothing was begun. Where no id could
 * be reserved, the answer is COORDINATOR_LOAD_IN_PROGRESS, as in Kafka, and the client tries again.
 */
public final class InitProducerIdHandler implements ApiHandler<InitProducerIdRequest> {
    private final ProducerIds ids;
    private final int maxTimeoutMillis;

    /**
     * A handler.
     *
     * @param maxTimeoutMillis longest time-out a transaction may have ({@code transaction.max.timeout.ms})
     */
    public InitProducerIdHandler(ProducerIds ids, int maxTimeoutMillis) {
        this.ids = ids;
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
        int timeout = data.transactionTimeoutMs();
        if (timeout <= 0 || timeout > maxTimeoutMillis) {
            return Errors.INVALID_TRANSACTION_TIMEOUT;
        }
        return Errors.COORDINATOR_NOT_AVAILABLE;
    }

    private static void respond(Call<InitProducerIdRequest> call, Errors error, long id, short epoch) {
        call.respond(new InitProducerIdResponse(new InitProducerIdResponseData()
                .setErrorCode(error.code())
                .setProducerId(id)
                .setProducerEpoch(epoch)));
    }
}
