package io.sluice.cli.connect;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import org.apache.kafka.common.internals.Topic;
import org.apache.kafka.common.protocol.Errors;

/**
 * Why groups cannot be asked about: what is answered for the partition that their state is kept in.
 *
 * @param partition of the topic of committed offsets
 * @param error of the node that is to serve it
 */
public record GroupRefusal(int partition, Errors error) {
    /** The partition, as logs name it. */
    public String partitionName() {
        return Topic.GROUP_METADATA_TOPIC_NAME + "-" + partition;
    }

    /** What to say where it is about one group. */
    public UserException of(String group) {
        return new UserException(ExitCode.FAILED, says("of group '" + group + "'"));
    }

    /** What to say where it is about all that are kept there. */
    public UserException ofAll() {
        return new UserException(ExitCode.FAILED, says("of the groups kept there"));
    }

    private String says(String whose) {
        String answer = "the node answers " + error.name() + " for " + partitionName();
        return error == Errors.COORDINATOR_LOAD_IN_PROGRESS
                ? "The state " + whose + " is still being read (" + answer + "). Try again later; the node's log tells"
                        + " where that fails."
                : "The state " + whose + " cannot be read (" + answer + "): records may be damaged or missing, or the"
                        + " partition has no owner. The node's log says what is wrong; what to do is in docs/operations.md,"
                        + " 'When something is wrong'.";
    }
}
