package io.sluice.storage.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.config.ConfigException;
import io.sluice.base.config.ConfigKey;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.server.config.ServerTopicConfigSynonyms;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares our list of topic settings with that of Kafka's own library. */
class TopicConfigKeysTest {
    private static final String DURABILITY = TopicConfigKeys.DURABILITY.name();

    @Test
    void knowsExactlyKafkasKeysAndDurability() {
        TreeSet<String> expected = new TreeSet<>();
        kafkaKeys().values().stream().filter(key -> !key.internalConfig).forEach(key -> expected.add(key.name));
        expected.add(DURABILITY);
        assertThat(TopicConfigKeys.SCHEMA.keys())
                .extracting(ConfigKey::name)
                .containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void hasKafkasTypesAndDefaults() {
        for (ConfigKey<?> key : TopicConfigKeys.SCHEMA.keys()) {
            if (key.name().equals(DURABILITY)) {
                continue;
            }
            ConfigDef.ConfigKey kafka = Objects.requireNonNull(kafkaKeys().get(key.name()));
            assertThat(key.type().name()).as(key.name()).isEqualTo(kafka.type.name());
            assertThat(key.defaultText())
                    .as(key.name())
                    .isEqualTo(ConfigDef.convertToString(kafka.defaultValue, kafka.type));
        }
    }

    @Test
    void fallsBackToKafkasBrokerNamesInKafkasOrder() {
        ServerTopicConfigSynonyms.ALL_TOPIC_CONFIG_SYNONYMS.forEach((topicKey, synonyms) -> {
            if (topicKey.startsWith("remote.") || topicKey.startsWith("local.")) {
                return;
            }
            assertThat(TopicDefaults.synonymsOf(topicKey))
                    .as(topicKey)
                    .extracting(TopicDefaults.Synonym::brokerKey)
                    .containsExactlyElementsOf(synonyms.stream()
                            .map(synonym -> synonym.name())
                            .filter(name -> !name.equals("log.flush.scheduler.interval.ms"))
                            .toList());
        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cleanup.policy|compact,delete",
                "cleanup.policy|''",
                "cleanup.policy|compact,compact",
                "cleanup.policy|compact, delete",
                "cleanup.policy|keep",
                "compression.gzip.level|0",
                "compression.gzip.level|-1",
                "compression.gzip.level|10",
                "compression.zstd.level|-7",
                "compression.type|GZIP",
                "compression.type|none",
                "leader.replication.throttled.replicas|*",
                "leader.replication.throttled.replicas|1:2,3:4",
                "leader.replication.throttled.replicas|1",
                "message.timestamp.type|createtime",
                "min.cleanable.dirty.ratio|1.5",
                "preallocate|TRUE",
                "preallocate|yes",
                "retention.bytes|-5",
                "retention.ms|' 5 '",
                "retention.ms|-2",
                "retention.ms|5.0",
                "retention.ms|99999999999999999999",
                "segment.bytes|1048575",
                "segment.bytes|1048576",
                "min.compaction.lag.ms|9223372036854775807",
                "max.message.bytes|2147483648",
                "min.insync.replicas|0",
            })
    void acceptsAndRefusesWhatKafkaDoes(String name, String text) {
        assertThat(sluiceAccepts(Map.of(name, text))).isEqualTo(kafkaAccepts(Map.of(name, text)));
    }

    @Test
    void refusesARatioThatIsNoNumberThoughKafkaTakesIt() {
        assertThat(sluiceAccepts(Map.of("min.cleanable.dirty.ratio", "NaN"))).isFalse();
    }

    @Test
    void refusesAMinimumLagAboveTheMaximum() {
        Map<String, String> texts = Map.of("min.compaction.lag.ms", "10", "max.compaction.lag.ms", "5");
        assertThat(kafkaAccepts(texts)).isFalse();
        assertThat(sluiceAccepts(texts)).isFalse();
    }

    private static boolean sluiceAccepts(Map<String, String> texts) {
        try {
            TopicConfig.parse(texts);
            return true;
        } catch (ConfigException e) {
            return false;
        }
    }

    private static boolean kafkaAccepts(Map<String, String> texts) {
        try {
            LogConfig.validate(texts);
            return true;
        } catch (InvalidConfigurationException | org.apache.kafka.common.config.ConfigException e) {
            return false;
        }
    }

    private static Map<String, ConfigDef.ConfigKey> kafkaKeys() {
        return new TreeMap<>(LogConfig.configDefCopy().configKeys());
    }
}
