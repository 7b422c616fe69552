package io.sluice.coordinator.library;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.config.ConfigValues;
import io.sluice.storage.config.BrokerConfigKeys;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the node takes as a setting the library must take too: else the node would end, instead of naming the key. */
class LibraryConfigTest {
    private static LibraryConfig of(String key, String text) {
        ConfigValues values = BrokerConfigKeys.SCHEMA.read(Map.of(key, text));
        return LibraryConfig.of(values);
    }

    @Test
    void listsMayHaveBlanksAndEmptyWords() {
        assertThat(of("group.streams.rack.aware.assignment.tags", " zone,, rack ,")
                        .groups()
                        .streamsGroupRackAwareAssignmentTags())
                .containsExactly("zone", "rack");
    }

    @Test
    void numbersMayHaveBlanks() {
        assertThat(of("group.max.size", " 7 ").groups().classicGroupMaxSize()).isEqualTo(7);
    }
}
