package io.sluice.broker.configuration;

import io.sluice.base.config.ConfigKey;
import io.sluice.storage.config.BrokerConfigKeys;
import io.sluice.storage.config.DynamicConfigs;
import io.sluice.storage.config.TopicDefaults;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsSynonym;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigSource;
import org.jspecify.annotations.Nullable;

/**
 * Where a setting of the node comes from, the strongest first: set on this node, on all nodes, in the file, by default. In
 * each layer the names that stand in for each other follow in their order, as Kafka tells them.
 */
final class ConfigLayers {
    private static final Map<String, String> DEFAULTS = defaults();

    private final DynamicConfigs.Current current;
    private final Map<String, String> staticTexts;

    ConfigLayers(DynamicConfigs configs) {
        this.current = configs.current();
        this.staticTexts = configs.staticTexts();
    }

    /** The settings as they stand. */
    DynamicConfigs.Current current() {
        return current;
    }

    /** Where a setting's value may come from; empty where it has neither value nor default under its own name. */
    List<DescribeConfigsSynonym> synonyms(String brokerKey) {
        List<String> chain = TopicDefaults.chainOf(brokerKey);
        List<DescribeConfigsSynonym> synonyms = new ArrayList<>();
        add(synonyms, chain, current.onThisNode()::get, ConfigSource.DYNAMIC_BROKER_CONFIG);
        add(synonyms, chain, current.onAllNodes()::get, ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG);
        add(synonyms, chain, staticTexts::get, ConfigSource.STATIC_BROKER_CONFIG);
        add(synonyms, chain, DEFAULTS::get, ConfigSource.DEFAULT_CONFIG);
        while (!synonyms.isEmpty() && !synonyms.get(0).name().equals(brokerKey)) {
            synonyms.remove(0);
        }
        return synonyms;
    }

    /** One place that a value may come from. */
    static DescribeConfigsSynonym synonym(String name, @Nullable String value, ConfigSource source) {
        return new DescribeConfigsSynonym().setName(name).setValue(value).setSource(source.id());
    }

    private static void add(
            List<DescribeConfigsSynonym> synonyms,
            List<String> names,
            Function<String, @Nullable String> layer,
            ConfigSource source) {
        for (String name : names) {
            String value = layer.apply(name);
            if (value != null) {
                synonyms.add(synonym(name, isSecret(name) ? null : value, source));
            }
        }
    }

    private static boolean isSecret(String brokerKey) {
        ConfigKey<?> key = BrokerConfigKeys.SCHEMA.find(brokerKey);
        return key == null || key.type() == ConfigKey.Type.PASSWORD;
    }

    private static Map<String, String> defaults() {
        Map<String, String> defaults = new HashMap<>();
        for (ConfigKey<?> key : BrokerConfigKeys.SCHEMA.keys()) {
            String text = key.defaultText();
            if (text != null) {
                defaults.put(key.name(), text);
            }
        }
        return Map.copyOf(defaults);
    }
}
