package io.sluice.broker.configuration;

import io.sluice.base.config.ConfigKey;
import io.sluice.storage.config.DynamicConfigs;
import io.sluice.storage.config.GroupResourceKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsSynonym;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigSource;

/** All settings of a group with their values and where those come from. */
final class GroupConfigDescription {
    private final ConfigLayers layers;

    GroupConfigDescription(DynamicConfigs configs) {
        this.layers = new ConfigLayers(configs);
    }

    List<DescribedConfig> describe(Map<String, String> own) {
        List<DescribedConfig> all = new ArrayList<>();
        for (ConfigKey<?> key : GroupResourceKeys.SCHEMA.keys()) {
            String brokerKey = GroupResourceKeys.brokerKey(key.name());
            List<DescribeConfigsSynonym> synonyms = new ArrayList<>();
            String ownText = own.get(key.name());
            if (ownText != null) {
                synonyms.add(ConfigLayers.synonym(key.name(), ownText, ConfigSource.GROUP_CONFIG));
            }
            List<DescribeConfigsSynonym> nodes = layers.synonyms(brokerKey);
            synonyms.addAll(nodes);
            if (nodes.isEmpty()) {
                synonyms.add(ConfigLayers.synonym(key.name(), key.defaultText(), ConfigSource.DEFAULT_CONFIG));
            }
            String inherited = layers.current().values().texts().getOrDefault(brokerKey, key.defaultText());
            all.add(new DescribedConfig(key, ownText == null ? inherited : ownText, false, synonyms));
        }
        return all;
    }
}
