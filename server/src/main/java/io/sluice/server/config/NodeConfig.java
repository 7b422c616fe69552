package io.sluice.server.config;

import io.sluice.base.config.ConfigException;
import io.sluice.base.config.ConfigValues;
import io.sluice.coordinator.group.GroupConfigRules;
import io.sluice.storage.config.BrokerConfigKeys;
import io.sluice.storage.config.ListenerKeys;
import io.sluice.storage.config.StorageKeys;
import io.sluice.storage.config.TopicDefaults;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A node's settings, all checked before anything is touched.
 *
 * @param values by key
 * @param listeners where it listens and what it tells clients
 * @param dataDirectory absolute
 */
public record NodeConfig(ConfigValues values, ListenerPlan listeners, Path dataDirectory) {
    /**
     * Checks texts.
     *
     * @param localAddresses this machine's addresses, for a message
     * @throws ConfigException for the first thing that is wrong
     */
    public static NodeConfig read(Map<String, String> texts, Supplier<List<String>> localAddresses) {
        ConfigValues values = BrokerConfigKeys.SCHEMA.read(texts);
        TopicDefaults.of(texts);
        GroupConfigRules.check(values);
        ListenerPlan listeners = ListenerPlan.of(
                values.get(ListenerKeys.LISTENERS), values.get(ListenerKeys.ADVERTISED_LISTENERS), localAddresses);
        return new NodeConfig(values, listeners, directory(values.get(StorageKeys.LOG_DIRS)));
    }

    /** The same with the admin port that the system chose, so that it can be asked for. */
    public NodeConfig withAdminPort(int port) {
        Map<String, String> texts = new HashMap<>(values.texts());
        texts.put(ListenerKeys.ADMIN_PORT.name(), Integer.toString(port));
        return new NodeConfig(BrokerConfigKeys.SCHEMA.read(texts), listeners, dataDirectory);
    }

    private static Path directory(String text) {
        if (text.isBlank() || text.contains(",")) {
            throw new ConfigException("Invalid value '" + text + "' for " + StorageKeys.LOG_DIRS.name()
                    + ": allowed is one directory. A journal on a disk of its own is " + StorageKeys.JOURNAL_DIR.name()
                    + ".");
        }
        try {
            return Path.of(text).toAbsolutePath().normalize();
        } catch (InvalidPathException e) {
            throw new ConfigException(
                    "Invalid value '" + text + "' for " + StorageKeys.LOG_DIRS.name() + ": " + e.getReason() + ".", e);
        }
    }
}
