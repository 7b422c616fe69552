package io.sluice.coordinator.group;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.base.config.ConfigException;
import io.sluice.base.config.ConfigValues;
import io.sluice.storage.config.BrokerConfigKeys;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GroupConfigRulesTest {
    private static ConfigValues values(Map<String, String> texts) {
        return BrokerConfigKeys.SCHEMA.read(texts);
    }

    @Test
    void acceptsTheDefaults() {
        assertThatCode(() -> GroupConfigRules.check(values(Map.of()))).doesNotThrowAnyException();
    }

    @Test
    void refusesALowerBoundAboveTheUpperOneAndNamesBoth() {
        assertThatThrownBy(() -> GroupConfigRules.check(values(Map.of("group.min.session.timeout.ms", "1800001"))))
                .isInstanceOf(ConfigException.class)
                .hasMessage("Invalid value '1800001' for group.min.session.timeout.ms: it must not be above"
                        + " group.max.session.timeout.ms, which is 1800000.");
    }

    @Test
    void refusesAHeartbeatAsLongAsTheSession() {
        assertThatThrownBy(() -> GroupConfigRules.check(values(Map.of(
                        "group.consumer.heartbeat.interval.ms",
                        "45000",
                        "group.consumer.max.heartbeat.interval.ms",
                        "45000"))))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("group.consumer.session.timeout.ms, which is 45000");
    }

    @Test
    void refusesATagOfStreamsGroupsThatIsThereTwice() {
        assertThatThrownBy(() -> GroupConfigRules.check(
                        values(Map.of("group.streams.rack.aware.assignment.tags", "zone, rack, zone"))))
                .isInstanceOf(ConfigException.class)
                .hasMessage(
                        "Invalid value 'zone,rack,zone' for group.streams.rack.aware.assignment.tags: it must not have"
                                + " a tag twice.");
    }

    @Test
    void refusesMoreCopiesOfAStreamsGroupsStateThanAGroupMayHave() {
        assertThatThrownBy(() -> GroupConfigRules.check(values(Map.of("group.streams.num.standby.replicas", "3"))))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("group.streams.max.standby.replicas, which is 2");
    }
}
