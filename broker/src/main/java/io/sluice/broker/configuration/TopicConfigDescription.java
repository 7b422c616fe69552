package io.sluice.broker.configuration;

import io.sluice.base.config.ConfigKey;
import io.sluice.base.metadata.TopicNames;
import io.sluice.storage.config.DynamicConfigs;
import io.sluice.storage.config.TopicConfigKeys;
import io.sluice.storage.config.TopicDefaults;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.CreateTopicsResponseData.CreatableTopicConfigs;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsSynonym;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigSource;
import org.jspecify.annotations.Nullable;

/** All settings of a topic with their values and where those come from. */
public final class TopicConfigDescription {
    private final ConfigLayers layers;

    /** As the node's settings stand now. */
    public TopicConfigDescription(DynamicConfigs configs) {
        this.layers = new ConfigLayers(configs);
    }

    /**
     * The settings as CreateTopics tells them.
     *
     * @param own what is set on the topic
     */
    public List<CreatableTopicConfigs> afterCreation(String topic, Map<String, String> own) {
        return describe(topic, own).stream()
                .map(config -> new CreatableTopicConfigs()
                        .setName(config.key().name())
                        .setValue(config.value())
                        .setReadOnly(config.readOnly())
                        .setConfigSource(config.source())
                        .setIsSensitive(config.isSensitive()))
                .toList();
    }

    /** An internal topic is shown as it is served: on disk, as if that were set on it. */
    List<DescribedConfig> describe(String topic, Map<String, String> stored) {
        Map<String, String> own = new HashMap<>(stored);
        if (TopicNames.isInternal(topic)) {
            own.put(TopicConfigKeys.DURABILITY.name(), "disk");
        }
        Map<String, String> inherited = layers.current().topicDefaults().inherited();
        List<DescribedConfig> all = new ArrayList<>();
        for (ConfigKey<?> key : TopicConfigKeys.SCHEMA.keys()) {
            String ownText = own.get(key.name());
            String inheritedText = inherited.getOrDefault(key.name(), key.defaultText());
            String value = ownText == null ? inheritedText : ownText;
            all.add(new DescribedConfig(key, value, false, synonyms(key.name(), ownText)));
        }
        return all;
    }

    private List<DescribeConfigsSynonym> synonyms(String topicKey, @Nullable String own) {
        List<DescribeConfigsSynonym> synonyms = new ArrayList<>();
        if (own != null) {
            synonyms.add(ConfigLayers.synonym(topicKey, own, ConfigSource.TOPIC_CONFIG));
        }
        List<TopicDefaults.Synonym> ofNode = TopicDefaults.synonymsOf(topicKey);
        if (!ofNode.isEmpty()) {
            synonyms.addAll(layers.synonyms(ofNode.get(0).brokerKey()));
        }
        return synonyms;
    }
}
