package io.sluice.cli.connect;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.Sentence;
import io.sluice.base.error.UserException;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.internals.Topic;

/** Names of topics and groups as arguments: nothing is called nothing. */
public final class Names {
    private Names() {}

    /**
     * Refuses a name that is empty or blank, which is most likely a variable that was not set.
     *
     * @param kind of what, for the message
     */
    public static void require(String kind, String name) {
        require(kind, List.of(name));
    }

    /** Refuses what cannot be the name of a topic, before anything is asked or sent. */
    public static void requireTopic(String name) {
        require("topic", name);
        try {
            Topic.validate(name);
        } catch (InvalidTopicException e) {
            throw new UserException(
                    ExitCode.USAGE, Subject.topic(name).says(Sentence.of(String.valueOf(e.getMessage()))), e);
        }
    }

    /** Refuses names if one of them is empty or blank. */
    public static void require(String kind, Collection<String> names) {
        for (String name : names) {
            if (name.isBlank()) {
                throw new UserException(
                        ExitCode.USAGE,
                        "Invalid value '" + name + "' for the name of a " + kind + ": it must not be empty.");
            }
        }
    }
}
