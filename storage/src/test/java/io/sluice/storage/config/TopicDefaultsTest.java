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
}
