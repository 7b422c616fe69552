package io.sluice.base.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.base.config.ConfigKey.Scope;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ConfigSchemaTest {
    private static final ConfigKey<Integer> THREADS =
            ConfigKey.ofInt("num.network.threads", 2, 1, 64, Scope.RESTART, "Event loops.");
    private static final ConfigKey<Long> RETENTION =
            ConfigKey.ofLong("log.retention.ms", 604_800_000, -1, Long.MAX_VALUE, Scope.DYNAMIC, "Age kept.");
    private static final ConfigKey<String> ADVERTISED =
            ConfigKey.ofString("advertised.listeners", null, Scope.RESTART, "Addresses for clients.");
    private static final ConfigKey<String> DURABILITY = ConfigKey.ofChoice(
            "sluice.durability", "disk", List.of("disk", "memory"), Scope.DYNAMIC, "Where a record is safe.");
    private static final ConfigSchema SCHEMA = ConfigSchema.of(List.of(THREADS, RETENTION, ADVERTISED, DURABILITY));

    @Test
    void readsDefaultsWhereNothingIsSet() {
        ConfigValues values = SCHEMA.read(Map.of());
        assertThat(values.get(THREADS)).isEqualTo(2);
        assertThat(values.get(DURABILITY)).isEqualTo("disk");
        assertThat(values.find(ADVERTISED)).isNull();
        assertThat(values.isSet(THREADS)).isFalse();
    }

    @Test
    void readsWhatIsSet() {
        ConfigValues values = SCHEMA.read(Map.of("num.network.threads", " 8 ", "log.retention.ms", "-1"));
        assertThat(values.get(THREADS)).isEqualTo(8);
        assertThat(values.get(RETENTION)).isEqualTo(-1);
        assertThat(values.isSet(THREADS)).isTrue();
    }

    @Test
    void suggestsTheNearestKeyForAnUnknownOne() {
        assertThatThrownBy(() -> SCHEMA.read(Map.of("num.netwrok.threads", "2")))
                .isInstanceOf(ConfigException.class)
                .hasMessage("Unknown configuration key 'num.netwrok.threads'; did you mean 'num.network.threads'?");
    }

    @Test
    void suggestsNothingWhenNothingIsNear() {
        assertThatThrownBy(() -> SCHEMA.read(Map.of("zzzz", "2"))).hasMessage("Unknown configuration key 'zzzz'.");
    }

    @Test
    void saysWhatIsAllowedForAValueOutOfRange() {
        assertThatThrownBy(() -> SCHEMA.read(Map.of("num.network.threads", "65")))
                .hasMessage("Invalid value '65' for num.network.threads: allowed is 1 to 64.");
        assertThatThrownBy(() -> SCHEMA.read(Map.of("log.retention.ms", "-2")))
                .hasMessage("Invalid value '-2' for log.retention.ms: allowed is -1 or more.");
        assertThatThrownBy(() -> SCHEMA.read(Map.of("sluice.durability", "tape")))
                .hasMessage("Invalid value 'tape' for sluice.durability: allowed is one of disk, memory.");
    }

    @Test
    void refusesWhatIsNoNumber() {
        assertThatThrownBy(() -> SCHEMA.read(Map.of("num.network.threads", "two")))
                .hasMessageContaining("Invalid value 'two'");
    }

    @Test
    void refusesTwoKeysOfOneName() {
        assertThatThrownBy(() -> ConfigSchema.of(List.of(THREADS, THREADS)))
                .hasMessage("two keys are called num.network.threads");
    }
}
