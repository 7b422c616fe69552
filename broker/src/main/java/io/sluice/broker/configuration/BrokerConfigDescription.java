package io.sluice.broker.configuration;

import io.sluice.base.config.ConfigKey;
import io.sluice.storage.config.BrokerConfigKeys;
import io.sluice.storage.config.DynamicConfigs;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsSynonym;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigSource;

/** All settings of a node with their values and where those come from. */
final class BrokerConfigDescription {
    private final ConfigLayers layers;

    BrokerConfigDescription(DynamicConfigs configs) {
        this.layers = new ConfigLayers(configs);
    }

    /** Of this node. */
    List<DescribedConfig> describe() {
        List<DescribedConfig> all = new ArrayList<>();
        Map<String, String> texts = layers.current().values().texts();
        for (ConfigKey<?> key : BrokerConfigKeys.SCHEMA.keys()) {
            String value = texts.getOrDefault(key.name(), key.defaultText());
            all.add(new DescribedConfig(key, value, isReadOnly(key), layers.synonyms(key.name())));
        }
        return all;
    }

    /** What was set on all nodes while they ran. */
    List<DescribedConfig> describeDefaults() {
        List<DescribedConfig> all = new ArrayList<>();
        layers.current().onAllNodes().forEach((name, value) -> {
            ConfigKey<?> key = BrokerConfigKeys.SCHEMA.find(name);
            if (key != null) {
                List<DescribeConfigsSynonym> synonyms = layers.synonyms(name).stream()
                        .filter(synonym -> synonym.source() == ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG.id())
                        .toList();
                all.add(new DescribedConfig(key, value, isReadOnly(key), synonyms));
            }
        });
        return all;
    }

    private static boolean isReadOnly(ConfigKey<?> key) {
        return key.scope() != ConfigKey.Scope.DYNAMIC;
    }
}
