package io.sluice.cli.connect;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.Sentence;
import io.sluice.base.error.UserException;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.KafkaStorageException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.jspecify.annotations.Nullable;

/** What a Kafka client's exception means to the person at the keyboard. */
public final class KafkaFailures {
    private KafkaFailures() {}

    /**
     * One line and an exit code for whatever a Kafka client threw when asked about something.
     *
     * @param address whom it asked
     */
    public static UserException toUserException(String address, Subject subject, Throwable failure) {
        Throwable cause = unwrap(failure);
        boolean missing = (cause instanceof UnknownTopicOrPartitionException && subject.kind() == Subject.Kind.TOPIC)
                || (cause instanceof GroupIdNotFoundException && subject.kind() == Subject.Kind.GROUP);
        if (missing) {
            return new UserException(ExitCode.FAILED, subject.missing(), cause);
        }
        // The second is what a group with members says to a commit of a stranger's.
        if (cause instanceof GroupNotEmptyException
                || (cause instanceof UnknownMemberIdException && subject.kind() == Subject.Kind.GROUP)) {
            return new UserException(
                    ExitCode.FAILED,
                    "Group '" + subject.name() + "' has members. Stop them first; 'sluice group describe "
                            + subject.name() + "' shows them.",
                    cause);
        }
        UserException known = toUserException(address, cause);
        return known.exitCode() == ExitCode.FAILED || known.exitCode() == ExitCode.USAGE
                ? new UserException(known.exitCode(), subject.says(known.line()), cause)
                : known;
    }

    /**
     * One line and an exit code for whatever a Kafka client threw.
     *
     * @param address whom it asked
     */
    public static UserException toUserException(String address, Throwable failure) {
        Throwable cause = unwrap(failure);
        if (cause instanceof UserException user) {
            return user;
        }
        String message = sentence(cause);
        if (message.contains("thread has exited")) {
            // An answer that no Kafka would give ends the admin client's thread.
            return noBroker(address, cause);
        }
        if (message.contains("not present in metadata")) {
            // A producer waits for a topic that may come into being; a silent node looks the same to it.
            return new UserException(
                    ExitCode.UNAVAILABLE,
                    "No answer in time from " + address
                            + " about the topic. Does a node listen there, and is it ready ('sluice"
                            + " doctor')? Is there such a topic ('sluice topic list')? --timeout SECONDS waits longer.",
                    cause);
        }
        if (cause instanceof TimeoutException
                || cause instanceof DisconnectException
                || cause instanceof java.util.concurrent.TimeoutException) {
            return silent(address, cause);
        }
        if (cause instanceof UnsupportedVersionException) {
            return new UserException(ExitCode.FAILED, "The node does not offer this: " + message, cause);
        }
        if (cause instanceof UnknownTopicOrPartitionException) {
            return new UserException(ExitCode.FAILED, message + " 'sluice topic list' shows those there are.", cause);
        }
        if (cause instanceof OffsetOutOfRangeException gone) {
            return new UserException(ExitCode.FAILED, positionGone(gone), cause);
        }
        if (isWrongValue(cause)) {
            return new UserException(ExitCode.USAGE, message, cause);
        }
        if (cause instanceof KafkaStorageException) {
            return new UserException(
                    ExitCode.FAILED,
                    "The node answers KAFKA_STORAGE_ERROR (" + message.replaceFirst("\\.$", "")
                            + "): its disk is short of room, or a write to it has failed. Its log says which, and so does"
                            + " 'sluice doctor' on its machine; free room, or after a failed write start it again.",
                    cause);
        }
        if (cause instanceof KafkaException) {
            return new UserException(ExitCode.FAILED, message, cause);
        }
        throw new IllegalStateException(cause);
    }

    private static String positionGone(OffsetOutOfRangeException gone) {
        String where = gone.offsetOutOfRangePartitions().entrySet().stream()
                .map(entry -> entry.getKey() + " has no offset " + entry.getValue())
                .sorted()
                .collect(Collectors.joining(", "));
        return "Reading cannot go on: " + where
                + ". The topic was made anew, or its records were deleted before they were read. Begin again, with"
                + " --from-beginning for all there are.";
    }

    /** Whoever finds a value that no node would take, the command or the node: it ends the same way. */
    private static boolean isWrongValue(Throwable cause) {
        return cause instanceof InvalidConfigurationException || cause instanceof InvalidTopicException;
    }

    /** Something listens there that is no broker. */
    static UserException noBroker(String address, @Nullable Throwable cause) {
        return new UserException(
                ExitCode.UNAVAILABLE,
                "What answers at " + address + " does not speak Kafka's protocol. Is it the right port?",
                cause);
    }

    /** Nothing answers in time. */
    static UserException silent(String address, @Nullable Throwable cause) {
        return new UserException(
                ExitCode.UNAVAILABLE,
                "No answer in time from " + address
                        + ". Does a node listen there, and is it ready ('sluice doctor')? --timeout SECONDS waits longer.",
                cause);
    }

    private static Throwable unwrap(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof ExecutionException
                        || cause instanceof CompletionException
                        || cause.getClass() == KafkaException.class)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    private static String sentence(Throwable cause) {
        return Sentence.of(
                Objects.requireNonNullElse(cause.getMessage(), cause.getClass().getSimpleName()));
    }
}
