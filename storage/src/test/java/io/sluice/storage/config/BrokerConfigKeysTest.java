package io.sluice.storage.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.base.config.ConfigException;
import io.sluice.base.config.ConfigKey;
import java.lang.reflect.Field;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BrokerConfigKeysTest {
    @Test
    void everyDefaultIsAllowed() {
        for (ConfigKey<?> key : BrokerConfigKeys.SCHEMA.keys()) {
            String text = key.defaultText();
            if (text != null) {
                assertThat(key.parse(text)).as(key.name()).isNotNull();
            }
        }
    }

    @Test
    void everyKeyThatIsDeclaredIsASettingOfTheNode() throws IllegalAccessException {
        List<Class<?>> declaring = List.of(
                TopicDefaultKeys.class,
                ListenerKeys.class,
                GroupConfigKeys.class,
                ShareGroupKeys.class,
                StreamsGroupKeys.class,
                TelemetryKeys.class,
                StorageKeys.class,
                LoggingKeys.class,
                TransactionKeys.class);
        for (Class<?> keys : declaring) {
            for (Field field : keys.getDeclaredFields()) {
                if (ConfigKey.class.isAssignableFrom(field.getType())) {
                    ConfigKey<?> key = (ConfigKey<?>) field.get(null);
                    assertThat(BrokerConfigKeys.SCHEMA.find(key.name()))
                            .as(key.name())
                            .isSameAs(key);
                }
            }
        }
    }

    @Test
    void everyNameBehindATopicSettingIsASettingOfTheNode() {
        for (ConfigKey<?> topicKey : TopicConfigKeys.SCHEMA.keys()) {
            for (TopicDefaults.Synonym synonym : TopicDefaults.synonymsOf(topicKey.name())) {
                assertThat(BrokerConfigKeys.SCHEMA.find(synonym.brokerKey()))
                        .as(synonym.brokerKey())
                        .isNotNull();
            }
        }
    }

    @Test
    void aDefaultOfTheNodeIsTheDefaultOfTheTopic() {
        for (ConfigKey<?> topicKey : TopicConfigKeys.SCHEMA.keys()) {
            for (TopicDefaults.Synonym synonym : TopicDefaults.synonymsOf(topicKey.name())) {
                ConfigKey<?> brokerKey = BrokerConfigKeys.SCHEMA.find(synonym.brokerKey());
                String text = brokerKey == null ? null : brokerKey.defaultText();
                if (text != null) {
                    assertThat(synonym.toTopicText(text))
                            .as(synonym.brokerKey())
                            .isEqualTo(topicKey.defaultText());
                }
            }
        }
    }

    @Test
    void anUnknownKeyIsRefusedWithTheNearestOne() {
        assertThatThrownBy(() -> BrokerConfigKeys.SCHEMA.read(Map.of("log.retention.hour", "1")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("'log.retention.hours'");
    }

    @Test
    void memoryForAnswersThatWouldDeliverNothingIsRefused() {
        for (String tooSmall : new String[] {"0", "-2", "1048575"}) {
            assertThatThrownBy(() -> BrokerConfigKeys.SCHEMA.read(Map.of("sluice.response.memory.bytes", tooSmall)))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining("-1, or 1048576 or more");
        }
        assertThat(ListenerKeys.RESPONSE_MEMORY_BYTES.parse("1048576")).isEqualTo(1_048_576);
    }
}
