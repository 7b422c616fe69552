package io.sluice.cli.connect;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.base.metadata.TopicNames;
import java.util.Collection;
import java.util.List;

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
        String fault = TopicNames.fault(name);
        if (fault != null) {
            throw new UserException(ExitCode.USAGE, fault);
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
