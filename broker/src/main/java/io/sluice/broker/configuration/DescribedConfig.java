package io.sluice.broker.configuration;

import io.sluice.base.config.ConfigKey;
import java.util.List;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResourceResult;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsSynonym;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigSource;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigType;
import org.jspecify.annotations.Nullable;

/**
 * One setting as it is told.
 *
 * @param value as text, null where it has none
 * @param synonyms where it may come from, the strongest first; the first one is where it does
 */
record DescribedConfig(
        ConfigKey<?> key, @Nullable String value, boolean readOnly, List<DescribeConfigsSynonym> synonyms) {
    /** For DescribeConfigs. */
    DescribeConfigsResourceResult toResult(boolean includeSynonyms, boolean includeDocumentation) {
        return new DescribeConfigsResourceResult()
                .setName(key.name())
                .setValue(isSensitive() ? null : value)
                .setReadOnly(readOnly)
                .setConfigSource(source())
                .setIsSensitive(isSensitive())
                .setSynonyms(includeSynonyms ? synonyms : List.of())
                .setConfigType(type().id())
                .setDocumentation(includeDocumentation ? key.doc() : null);
    }

    byte source() {
        return synonyms.isEmpty()
                ? ConfigSource.DEFAULT_CONFIG.id()
                : synonyms.get(0).source();
    }

    boolean isSensitive() {
        return key.type() == ConfigKey.Type.PASSWORD;
    }

    private ConfigType type() {
        return switch (key.type()) {
            case BOOLEAN -> ConfigType.BOOLEAN;
            case STRING -> ConfigType.STRING;
            case INT -> ConfigType.INT;
            case SHORT -> ConfigType.SHORT;
            case LONG -> ConfigType.LONG;
            case DOUBLE -> ConfigType.DOUBLE;
            case LIST -> ConfigType.LIST;
            case PASSWORD -> ConfigType.PASSWORD;
        };
    }
}
