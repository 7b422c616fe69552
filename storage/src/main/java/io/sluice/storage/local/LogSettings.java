package io.sluice.storage.local;

import io.sluice.storage.config.TopicConfig;
import java.util.Map;

/**
 * The settings of one log.
 *
 * @param resolved with everything inherited
 * @param own what is set on the topic itself
 */
record LogSettings(TopicConfig resolved, Map<String, String> own) {
    LogSettings {
        own = Map.copyOf(own);
    }
}
