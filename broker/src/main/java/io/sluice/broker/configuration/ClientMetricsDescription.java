package io.sluice.broker.configuration;

import io.sluice.base.config.ConfigKey;
import io.sluice.storage.config.ClientMetricsKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsSynonym;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigSource;

/** All settings of a subscription to clients' metrics; the node has none that would stand behind them. */
final class ClientMetricsDescription {
    private ClientMetricsDescription() {}

    static List<DescribedConfig> describe(Map<String, String> own) {
        List<DescribedConfig> all = new ArrayList<>();
        for (ConfigKey<?> key : ClientMetricsKeys.SCHEMA.keys()) {
            List<DescribeConfigsSynonym> synonyms = new ArrayList<>();
            String ownText = own.get(key.name());
            if (ownText != null) {
                synonyms.add(ConfigLayers.synonym(key.name(), shown(key, ownText), ConfigSource.CLIENT_METRICS_CONFIG));
            }
            String text = ownText == null ? key.defaultText() : shown(key, ownText);
            all.add(new DescribedConfig(key, text, false, synonyms));
        }
        return all;
    }

    /** Lists are told as they are read: without blanks, each word once. */
    private static String shown(ConfigKey<?> key, String text) {
        return key.type() == ConfigKey.Type.LIST
                ? ConfigKey.split(text).stream().distinct().collect(Collectors.joining(","))
                : text;
    }
}
