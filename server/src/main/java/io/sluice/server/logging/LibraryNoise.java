package io.sluice.server.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import org.apache.kafka.common.errors.CoordinatorLoadInProgressException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Leaves out what the library of the coordinators says, as warning or error and in part with a stack trace, when a client
 * sends it nonsense or does not come back: the client gets an error, the error is counted, and there is nothing for an
 * operator to do. Leaves out, too, that work in its queue is not done because the node stops: loading a partition and
 * forgetting a deleted topic begin anew at the next start. Leaves out, last, each append that our log refused, for want of
 * room or since it cannot write: whoever hands it on logs that, once in a while; or since a producer's transaction ended while
 * its offsets were on their way: that is told to the client; and what a partition that
 * loads cannot do yet for a deleted topic, and does when it has loaded. Whatever else the library says stays.
 */
final class LibraryNoise extends Filter<ILoggingEvent> {
    private static final String LIBRARY = "org.apache.kafka.coordinator.";

    private static final String STOPPED = "EventProcessor is closed.";

    /** Of topics that are deleted; a partition that loads looks for them itself once it has. */
    private static final List<String> CLEANUPS =
            List.of("Could not delete offsets for deleted topics", "Unable to cleanup state for the deleted topics");

    private static final Set<String> REFUSALS = Set.of(
            TimeoutException.class.getName(),
            KafkaStorageException.class.getName(),
            InvalidTxnStateException.class.getName(),
            InvalidProducerEpochException.class.getName());

    /** Words of the library's, in messages about a client's doing. */
    private static final List<String> CLIENTS_DOING = List.of(
            "Failed to parse Consumer Protocol",
            "Cannot upgrade classic group",
            "Couldn't parse regular expression",
            "Sending empty assignment to member",
            "Setting empty assignments for members",
            "could not complete rebalance because no members rejoined",
            "Attempt to add rejoining member",
            "Topic Data is empty",
            "Partition Data for topic",
            "Group id must be specified and non-empty",
            "Request topic id is null",
            "Request partition id is negative",
            "Request leader epoch is negative",
            "epoch is smaller than last recorded",
            "Attempted to delete non-existent share partition",
            "Read on uninitialized share partition",
            "in the in-memory state of share coordinator",
            "Topic or partition not found in metadata image when",
            "Topic configuration failed for topology epoch");

    @Override
    public FilterReply decide(ILoggingEvent event) {
        if (!event.getLoggerName().startsWith(LIBRARY)) {
            return FilterReply.NEUTRAL;
        }
        String message = event.getFormattedMessage();
        boolean noise = isStop(event.getThrowableProxy())
                || isRefusal(event.getThrowableProxy(), message)
                || isLoading(event.getThrowableProxy(), message)
                || isEndpoint(event.getThrowableProxy(), message)
                || CLIENTS_DOING.stream().anyMatch(message::contains);
        return noise ? FilterReply.DENY : FilterReply.NEUTRAL;
    }

    /** A member of a streams group that tells an endpoint and whose topology lacks topics: it is asked again without. */
    private static boolean isEndpoint(@Nullable IThrowableProxy thrown, String message) {
        return thrown != null
                && thrown.getClassName().equals(NoSuchElementException.class.getName())
                && message.contains("Operation streams-group-heartbeat")
                && message.contains("userEndpoint=Endpoint(");
    }

    private static boolean isRefusal(@Nullable IThrowableProxy thrown, String message) {
        return thrown != null
                && REFUSALS.contains(thrown.getClassName())
                && message.contains("Failed to write records to");
    }

    private static boolean isLoading(@Nullable IThrowableProxy thrown, String message) {
        return thrown != null
                && thrown.getClassName().equals(CoordinatorLoadInProgressException.class.getName())
                && CLEANUPS.stream().anyMatch(message::contains);
    }

    private static boolean isStop(@Nullable IThrowableProxy thrown) {
        return thrown != null
                && thrown.getClassName().equals(RejectedExecutionException.class.getName())
                && STOPPED.equals(thrown.getMessage());
    }
}
