package io.sluice.server.config;

import io.sluice.base.config.ConfigException;
import io.sluice.base.config.ConfigValues;
import io.sluice.coordinator.group.GroupConfigRules;
import io.sluice.storage.config.BrokerConfigKeys;
import io.sluice.storage.config.ListenerKeys;
import io.sluice.storage.config.StorageKeys;
import io.sluice.storage.config.TopicDefaults;
import io.sluice.storage.local.DataDirectory;
import java.net.InetAddress;
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
        requireAdminAddress(values, listeners);
        Path dataDirectory = directory(values.get(StorageKeys.LOG_DIRS));
        requireJournalDirectory(values, dataDirectory);
        return new NodeConfig(values, listeners, dataDirectory);
    }

    /** Whether other machines can reach the admin port, which asks nobody who they are. */
    public boolean isAdminOpenToOthers() {
        return !adminAddress(values).isLoopbackAddress();
    }

    private static InetAddress adminAddress(ConfigValues values) {
        String host = values.get(ListenerKeys.ADMIN_HOST);
        if (host.isBlank()) {
            throw invalid(ListenerKeys.ADMIN_HOST.name(), host, "allowed is a host or an address of this machine");
        }
        return ListenerPlan.resolve(ListenerKeys.ADMIN_HOST.name(), host, host);
    }

    /** A port of its own, where the system does not choose one. */
    private static void requireAdminAddress(ConfigValues values, ListenerPlan listeners) {
        InetAddress admin = adminAddress(values);
        int port = values.get(ListenerKeys.ADMIN_PORT);
        for (ListenerPlan.Endpoint endpoint : listeners.endpoints()) {
            Listener bind = endpoint.bind();
            InetAddress address = ListenerPlan.resolve(ListenerKeys.LISTENERS.name(), bind.toString(), bind.host());
            boolean overlap = address.isAnyLocalAddress() || admin.isAnyLocalAddress() || address.equals(admin);
            if (port != 0 && port == bind.port() && overlap) {
                throw invalid(
                        ListenerKeys.ADMIN_PORT.name(),
                        Integer.toString(port),
                        "the listener " + bind + " has that port. Choose another with --admin-port N or --port N");
            }
        }
    }

    /** A directory of its own: what else is kept in the data directory has its place there. */
    private static void requireJournalDirectory(ConfigValues values, Path dataDirectory) {
        String text = values.find(StorageKeys.JOURNAL_DIR);
        if (text == null) {
            return;
        }
        String key = StorageKeys.JOURNAL_DIR.name();
        String unset = "unset it for one inside the data directory";
        Path journal = path(key, text, "allowed is a directory; " + unset)
                .toAbsolutePath()
                .normalize();
        boolean taken = journal.equals(dataDirectory)
                || journal.startsWith(dataDirectory.resolve(DataDirectory.LOGS))
                || journal.startsWith(dataDirectory.resolve(DataDirectory.METADATA));
        if (taken) {
            throw invalid(
                    key,
                    text,
                    "the data directory " + dataDirectory + " keeps other things there. Give one of its own, or "
                            + unset);
        }
    }

    /** The same with the admin port that the system chose, so that it can be asked for. */
    public NodeConfig withAdminPort(int port) {
        Map<String, String> texts = new HashMap<>(values.texts());
        texts.put(ListenerKeys.ADMIN_PORT.name(), Integer.toString(port));
        return new NodeConfig(BrokerConfigKeys.SCHEMA.read(texts), listeners, dataDirectory);
    }

    private static Path directory(String text) {
        String allowed =
                "allowed is one directory. A journal on a disk of its own is " + StorageKeys.JOURNAL_DIR.name();
        if (text.contains(",")) {
            throw invalid(StorageKeys.LOG_DIRS.name(), text, allowed);
        }
        return path(StorageKeys.LOG_DIRS.name(), text, allowed).toAbsolutePath().normalize();
    }

    private static Path path(String key, String text, String allowed) {
        if (text.isBlank()) {
            throw invalid(key, text, allowed);
        }
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw new ConfigException(key, "Invalid value '" + text + "' for " + key + ": " + e.getReason() + ".", e);
        }
    }

    private static ConfigException invalid(String key, String text, String allowed) {
        return new ConfigException(key, "Invalid value '" + text + "' for " + key + ": " + allowed + ".", null);
    }
}
