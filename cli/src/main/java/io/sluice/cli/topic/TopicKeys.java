package io.sluice.cli.topic;

import io.sluice.base.config.ConfigKey;
import io.sluice.base.config.ConfigSchema;
import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.storage.config.TopicConfigKeys;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.InvalidConfigurationException;

/** The keys of a topic's settings, for messages. */
final class TopicKeys {
    private TopicKeys() {}

    /**
     * Asks a node, which decides: it may be of another version and know other keys. Where it refuses, the first key that is
     * not known here either is named with the nearest.
     *
     * @param keys that are set
     */
    static <T> T explain(Collection<String> keys, Supplier<T> question) {
        try {
            return question.get();
        } catch (UserException e) {
            List<String> known =
                    TopicConfigKeys.SCHEMA.keys().stream().map(ConfigKey::name).toList();
            if (e.getCause() instanceof InvalidConfigurationException) {
                for (String key : keys) {
                    if (!known.contains(key)) {
                        throw unknown(key, known);
                    }
                }
            }
            throw e;
        }
    }

    /** Refuses a key. */
    static UserException unknown(String key, Collection<String> known) {
        String nearest = ConfigSchema.nearest(key, known);
        String advice = nearest == null
                ? ". A topic's keys are " + String.join(", ", new TreeSet<>(known)) + "."
                : "; did you mean '" + nearest + "'?";
        return new UserException(
                ExitCode.USAGE,
                "Unknown configuration key '" + key + "'" + advice
                        + " Nothing was changed. docs/config.md lists all keys.");
    }
}
