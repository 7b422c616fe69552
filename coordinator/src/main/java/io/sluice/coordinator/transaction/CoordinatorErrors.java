package io.sluice.coordinator.transaction;

import java.util.concurrent.CompletionException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What clients are told of a coordinator's request that failed. */
final class CoordinatorErrors {
    private static final Logger LOG = LoggerFactory.getLogger(CoordinatorErrors.class);

    private CoordinatorErrors() {}

    /** The error to answer; what is none of Kafka's is a defect and logged. */
    static Errors of(Throwable failure) {
        Throwable cause = unwrap(failure);
        if (!(cause instanceof ApiException)) {
            LOG.error("A request about transactions failed", cause);
        }
        Errors error = Errors.forException(cause);
        return switch (error) {
            case UNKNOWN_TOPIC_OR_PARTITION, NOT_ENOUGH_REPLICAS, REQUEST_TIMED_OUT -> Errors.COORDINATOR_NOT_AVAILABLE;
            case NOT_LEADER_OR_FOLLOWER, KAFKA_STORAGE_ERROR -> Errors.NOT_COORDINATOR;
            case MESSAGE_TOO_LARGE, RECORD_LIST_TOO_LARGE -> Errors.UNKNOWN_SERVER_ERROR;
            default -> error;
        };
    }

    private static Throwable unwrap(Throwable failure) {
        Throwable cause = failure;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    /**
     * Whether somebody else coordinates, or this one loads again: then what was to be done is found when that is over. A record
     * that was refused for want of room is not such a case, whatever clients are told: the log serves on.
     */
    static boolean isElsewhere(Throwable failure) {
        if (unwrap(failure) instanceof KafkaStorageException) {
            return false;
        }
        Errors error = of(failure);
        return error == Errors.NOT_COORDINATOR || error == Errors.COORDINATOR_LOAD_IN_PROGRESS;
    }
}
