package io.sluice.broker.configuration;

import io.sluice.base.config.ConfigKey;
import io.sluice.storage.config.DynamicConfigs;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.PolicyViolationException;

/**
 * Bounds the groups, or the subscriptions, with settings of their own, those included that are being given some at this
 * moment: no other thing need exist for it. Safe on every thread.
 */
final class ConfiguredNames {
    private final String what;
    private final Supplier<Set<String>> configured;
    private final DynamicConfigs configs;
    private final ConfigKey<Integer> most;
    private final Set<String> begun = new HashSet<>();

    /**
     * Bounds what has settings now.
     *
     * @param what their kind, in the plural
     * @param most how many there may be
     */
    ConfiguredNames(String what, Supplier<Set<String>> configured, DynamicConfigs configs, ConfigKey<Integer> most) {
        this.what = what;
        this.configured = configured;
        this.configs = configs;
        this.most = most;
    }

    /**
     * Reserves a place; {@link #end} must follow where this is true.
     *
     * @return whether one was needed: what has settings already keeps its own
     * @throws PolicyViolationException where there is none left
     */
    synchronized boolean begin(String name) {
        Set<String> there = configured.get();
        if (there.contains(name)) {
            return false;
        }
        int allowed = configs.current().values().get(most);
        if (there.size() + begun.size() >= allowed) {
            throw new PolicyViolationException("Settings of one more are too many: " + there.size() + " " + what
                    + " have some, and " + most.name() + " is " + allowed
                    + ". Delete those of " + what + " that are not used any more, or raise it.");
        }
        return begun.add(name);
    }

    /** The settings are in the image, or were refused. */
    synchronized void end(String name) {
        begun.remove(name);
    }
}
