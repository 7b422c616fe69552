package io.sluice.broker.produce;

import io.sluice.protocol.record.BatchVerdict;
import io.sluice.storage.log.AppendResult.Refusal;
import java.util.List;
import org.apache.kafka.common.message.ProduceResponseData.BatchIndexAndErrorMessage;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/** How the outcome for one partition is said in Kafka's terms. */
final class ProduceAnswers {
    private static final long NONE = -1;

    private ProduceAnswers() {}

    static PartitionProduceResponse appended(int partition, long baseOffset, long logAppendTime, long logStartOffset) {
        return new PartitionProduceResponse()
                .setIndex(partition)
                .setBaseOffset(baseOffset)
                .setLogAppendTimeMs(logAppendTime)
                .setLogStartOffset(logStartOffset);
    }

    static PartitionProduceResponse failed(int partition, Errors error, @Nullable String message) {
        return fail(new PartitionProduceResponse().setIndex(partition), error, message);
    }

    /** Turns an answer into a failure, whatever it said before. */
    static PartitionProduceResponse fail(PartitionProduceResponse answer, Errors error, @Nullable String message) {
        return answer.setErrorCode(error.code())
                .setErrorMessage(message)
                .setBaseOffset(NONE)
                .setLogAppendTimeMs(NONE)
                .setLogStartOffset(NONE);
    }

    /** Like Kafka, names the log's start only where the batch got as far as the log. */
    static PartitionProduceResponse invalid(int partition, BatchVerdict.Refused refused, long logStartOffset) {
        Errors error = Errors.forCode(refused.error().code());
        PartitionProduceResponse answer = failed(partition, error, refused.message());
        boolean early = refused.structural() || error == Errors.CORRUPT_MESSAGE || error == Errors.MESSAGE_TOO_LARGE;
        return answer.setLogStartOffset(early ? NONE : logStartOffset).setRecordErrors(recordErrors(refused));
    }

    private static List<BatchIndexAndErrorMessage> recordErrors(BatchVerdict.Refused refused) {
        return refused.recordErrors().stream()
                .map(error -> new BatchIndexAndErrorMessage()
                        .setBatchIndex(error.index())
                        .setBatchIndexErrorMessage(error.message()))
                .toList();
    }

    static Errors errorOf(Refusal refusal) {
        return switch (refusal) {
            case NOT_OWNER, NOT_SERVING, FENCED -> Errors.NOT_LEADER_OR_FOLLOWER;
            case FULL -> Errors.REQUEST_TIMED_OUT;
            case DELETED -> Errors.UNKNOWN_TOPIC_OR_PARTITION;
            case STORAGE -> Errors.KAFKA_STORAGE_ERROR;
            case OUT_OF_ORDER_SEQUENCE -> Errors.OUT_OF_ORDER_SEQUENCE_NUMBER;
            case INVALID_PRODUCER_EPOCH -> Errors.INVALID_PRODUCER_EPOCH;
            case INVALID_TRANSACTION_STATE -> Errors.INVALID_TXN_STATE;
            case COORDINATOR_FENCED -> Errors.TRANSACTION_COORDINATOR_FENCED;
        };
    }

    /** Whether the answer names the log's start although it failed: Kafka does where producer state was the reason. */
    static boolean reachedLog(Refusal refusal) {
        return refusal == Refusal.OUT_OF_ORDER_SEQUENCE || refusal == Refusal.INVALID_PRODUCER_EPOCH;
    }
}
