package io.sluice.broker.configuration;

import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.storage.config.GroupConfigKeys;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.IntSupplier;
import org.apache.kafka.common.errors.PolicyViolationException;

/**
 * Bounds the groups with settings of their own, those included that are being given some at this moment: a group need not
 * exist for it. Safe on every thread.
 */
final class ConfiguredGroups {
    private final ClusterImageSource images;
    private final IntSupplier most;
    private final Set<String> begun = new HashSet<>();

    ConfiguredGroups(ClusterImageSource images, IntSupplier most) {
        this.images = images;
        this.most = most;
    }

    /**
     * Reserves a place for a group; {@link #end} must follow where this is true.
     *
     * @return whether one was needed: a group that has settings already keeps its own
     * @throws PolicyViolationException where there is none left
     */
    synchronized boolean begin(String group) {
        Map<String, Map<String, String>> there = images.current().groupConfigs();
        if (there.containsKey(group)) {
            return false;
        }
        int allowed = most.getAsInt();
        if (there.size() + begun.size() >= allowed) {
            throw new PolicyViolationException("Settings of one more group are too many: " + there.size()
                    + " groups have some, and " + GroupConfigKeys.MAX_CONFIGURED.name() + " is " + allowed
                    + ". Delete those of groups that are not used any more, or raise it.");
        }
        return begun.add(group);
    }

    /** The settings are in the image, or were refused. */
    synchronized void end(String group) {
        begun.remove(group);
    }
}
