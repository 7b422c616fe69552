package io.sluice.storage.config;

import io.sluice.base.config.ConfigException;
import io.sluice.base.config.ConfigValues;
import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.ClusterImageSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node's settings as they stand now: what was set on this node while it ran, over what was set on all nodes, over its
 * file and command line, over the defaults. Changes arrive with the cluster's image.
 *
 * <p>Readers are safe on every thread; listeners hear on the metadata thread and must not block.
 */
public final class DynamicConfigs {
    private static final Logger LOG = LoggerFactory.getLogger(DynamicConfigs.class);

    private final Map<String, String> staticTexts;
    private final String nodeKey;
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private volatile Current current;

    /**
     * Starts with the static settings alone, until it is {@link #follow}ing an image.
     *
     * @param staticTexts from file and command line, checked against {@link BrokerConfigKeys#SCHEMA}
     * @param nodeId this node's number
     */
    public DynamicConfigs(Map<String, String> staticTexts, int nodeId) {
        this.staticTexts = Map.copyOf(staticTexts);
        this.nodeKey = Integer.toString(nodeId);
        this.current = resolve(Map.of(), Map.of());
    }

    /**
     * The settings at one moment.
     *
     * @param values all settings of the node
     * @param topicDefaults what topics inherit from them
     * @param onThisNode what was set on this node while it ran
     * @param onAllNodes what was set on all nodes while they ran
     */
    public record Current(
            ConfigValues values,
            TopicDefaults topicDefaults,
            Map<String, String> onThisNode,
            Map<String, String> onAllNodes) {}

    /** Hears of changes. */
    @FunctionalInterface
    public interface Listener {
        /** Some setting changed. */
        void onChange(Current previous, Current current);
    }

    /** Takes changes from the image source from now on. */
    public void follow(ClusterImageSource images) {
        images.addListener(this::onImage);
    }

    /** The settings now. */
    public Current current() {
        return current;
    }

    /** From file and command line. */
    public Map<String, String> staticTexts() {
        return staticTexts;
    }

    /** Adds a listener, which hears of later changes. */
    public void addListener(Listener listener) {
        listeners.add(listener);
    }

    private void onImage(ClusterImage previousImage, ClusterImage image) {
        Current resolved = resolveLeniently(image.brokerConfigs());
        Current previous = current;
        current = resolved;
        if (resolved.values().texts().equals(previous.values().texts())) {
            return;
        }
        listeners.forEach(listener -> listener.onChange(previous, resolved));
    }

    /**
     * What the node's settings would be.
     *
     * @param layers what is set while nodes run, by node number, for all nodes under the empty name
     * @throws ConfigException for a value not allowed, or two values that contradict each other
     */
    public Current resolve(Map<String, Map<String, String>> layers) {
        return resolve(layers.getOrDefault("", Map.of()), layers.getOrDefault(nodeKey, Map.of()));
    }

    /** What is stored was checked, but with another file: what contradicts the file now is left out, the rest holds. */
    private Current resolveLeniently(Map<String, Map<String, String>> layers) {
        try {
            return resolve(layers);
        } catch (ConfigException e) {
            LOG.warn("dynamic settings contradict the node's file", e);
        }
        Map<String, String> everywhere = sound(layers.getOrDefault("", Map.of()), Map.of());
        return resolve(everywhere, sound(layers.getOrDefault(nodeKey, Map.of()), everywhere));
    }

    private Map<String, String> sound(Map<String, String> layer, Map<String, String> below) {
        Map<String, String> kept = new HashMap<>();
        for (Map.Entry<String, String> entry : new TreeMap<>(layer).entrySet()) {
            kept.put(entry.getKey(), entry.getValue());
            try {
                resolve(below, kept);
            } catch (ConfigException e) {
                kept.remove(entry.getKey());
                LOG.warn("dynamic setting {} is ignored: {}", entry.getKey(), e.getMessage());
            }
        }
        return kept;
    }

    private Current resolve(Map<String, String> everywhere, Map<String, String> here) {
        Map<String, String> texts = new HashMap<>(staticTexts);
        texts.putAll(everywhere);
        texts.putAll(here);
        return new Current(BrokerConfigKeys.SCHEMA.read(texts), TopicDefaults.of(texts), here, everywhere);
    }
}
