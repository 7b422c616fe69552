package io.sluice.storage.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.base.config.ConfigException;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TopicDefaultsTest {
    @Test
    void theTopicsOwnSettingWins() {
        TopicDefaults defaults = TopicDefaults.of(Map.of("log.retention.ms", "1000"));
        assertThat(defaults.topicConfig(Map.of("retention.ms", "5")).retentionMillis())
                .isEqualTo(5);
        assertThat(defaults.topicConfig(Map.of()).retentionMillis()).isEqualTo(1000);
        assertThat(TopicDefaults.NONE.topicConfig(Map.of()).retentionMillis()).isEqualTo(604_800_000);
    }

    @Test
    void millisecondsWinOverMinutesOverHours() {
        Map<String, String> hours = Map.of("log.retention.hours", "2");
        Map<String, String> minutes = Map.of("log.retention.hours", "2", "log.retention.minutes", "3");
        assertThat(TopicDefaults.of(hours).topicConfig(Map.of()).retentionMillis())
                .isEqualTo(7_200_000);
        assertThat(TopicDefaults.of(minutes).topicConfig(Map.of()).retentionMillis())
                .isEqualTo(180_000);
    }

    @Test
    void minusOneMeansNoBoundInEveryUnit() {
        assertThat(TopicDefaults.of(Map.of("log.retention.hours", "-1"))
                        .topicConfig(Map.of())
                        .retentionMillis())
                .isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aWrongSettingOfTheNodeIsRefusedByName() {
        assertThatThrownBy(() -> TopicDefaults.of(Map.of("log.roll.hours", "soon")))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("log.roll.hours")
                .hasMessageContaining("'soon'");
    }

    @Test
    void anInternalTopicIsOnDiskWhateverIsSet() {
        TopicDefaults memory = TopicDefaults.of(Map.of("sluice.durability", "memory"));
        assertThat(memory.effectiveConfig(false, Map.of()).memoryDurability()).isTrue();
        assertThat(memory.effectiveConfig(true, Map.of()).memoryDurability()).isFalse();
        assertThat(memory.effectiveConfig(true, Map.of("sluice.durability", "memory"))
                        .memoryDurability())
                .isFalse();
    }

    @Test
    void whatATopicHasItselfStandsAndTheInheritedGivesWay() {
        TopicDefaults lags = TopicDefaults.of(
                Map.of("log.cleaner.min.compaction.lag.ms", "100", "log.cleaner.max.compaction.lag.ms", "200"));
        TopicConfig high = lags.effectiveConfig(false, Map.of("min.compaction.lag.ms", "1000"));
        assertThat(high.minCompactionLagMillis()).isEqualTo(1000);
        assertThat(high.maxCompactionLagMillis()).isEqualTo(1000);
        TopicConfig low = lags.effectiveConfig(false, Map.of("max.compaction.lag.ms", "10"));
        assertThat(low.minCompactionLagMillis()).isEqualTo(10);
        assertThat(low.maxCompactionLagMillis()).isEqualTo(10);
        assertThat(lags.yielding(Map.of("min.compaction.lag.ms", "1000"))).isEqualTo("max.compaction.lag.ms");
        assertThat(lags.yielding(Map.of("min.compaction.lag.ms", "150"))).isNull();
        assertThat(lags.yielding(Map.of("min.compaction.lag.ms", "150", "max.compaction.lag.ms", "180")))
                .isNull();
    }
}
