package io.sluice.broker.directory;

import io.sluice.broker.api.AsyncAnswer;
import io.sluice.storage.metadata.TopicOutcome;
import java.io.IOException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiError;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What became of a change, as Kafka's errors. */
public final class TopicErrors {
    private static final Logger LOG = LoggerFactory.getLogger(TopicErrors.class);

    private TopicErrors() {}

    /** The error of a refusal. */
    public static ApiError of(TopicOutcome.Refused refused) {
        return new ApiError(error(refused.reason()), refused.message());
    }

    /** The error of a stage that failed: the store could not write, or something took too long. */
    public static ApiError of(Throwable cause) {
        Throwable inner = AsyncAnswer.unwrap(cause);
        if (inner instanceof TimeoutException) {
            return new ApiError(Errors.REQUEST_TIMED_OUT, inner.getMessage());
        }
        if (inner instanceof IOException) {
            return new ApiError(Errors.KAFKA_STORAGE_ERROR, inner.getMessage());
        }
        LOG.atError().setMessage("A change of metadata failed").setCause(inner).log();
        return new ApiError(Errors.UNKNOWN_SERVER_ERROR, inner.toString());
    }

    private static Errors error(TopicOutcome.Reason reason) {
        return switch (reason) {
            case EXISTS -> Errors.TOPIC_ALREADY_EXISTS;
            case UNKNOWN_NAME -> Errors.UNKNOWN_TOPIC_OR_PARTITION;
            case UNKNOWN_ID -> Errors.UNKNOWN_TOPIC_ID;
            case INVALID_NAME -> Errors.INVALID_TOPIC_EXCEPTION;
            case INVALID_PARTITIONS -> Errors.INVALID_PARTITIONS;
            case INVALID_REPLICATION_FACTOR -> Errors.INVALID_REPLICATION_FACTOR;
            case INVALID_CONFIG -> Errors.INVALID_CONFIG;
            case TOO_MANY_PARTITIONS -> Errors.POLICY_VIOLATION;
            case CONTENDED -> Errors.REQUEST_TIMED_OUT;
        };
    }
}
