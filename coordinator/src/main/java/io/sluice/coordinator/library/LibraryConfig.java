package io.sluice.coordinator.library;

import io.sluice.base.config.ConfigKey;
import io.sluice.base.config.ConfigValues;
import io.sluice.storage.config.GroupConfigKeys;
import io.sluice.storage.config.ShareGroupKeys;
import io.sluice.storage.config.StreamsGroupKeys;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.coordinator.group.GroupConfigManager;
import org.apache.kafka.coordinator.group.GroupCoordinatorConfig;
import org.apache.kafka.coordinator.group.modern.share.ShareGroupConfig;

/**
 * Our settings as the library wants them. Its own share-group settings read keys of the group coordinator too, so both
 * definitions are merged into one configuration.
 */
record LibraryConfig(GroupCoordinatorConfig groups, GroupConfigManager groupConfigs) {
    static LibraryConfig of(ConfigValues values) {
        Map<String, String> texts = new HashMap<>();
        for (ConfigKey<?> key : keys()) {
            Object value = values.find(key);
            if (value != null) {
                texts.put(key.name(), text(value));
            }
        }
        AbstractConfig config = new AbstractConfig(
                Utils.mergeConfigs(List.of(GroupCoordinatorConfig.CONFIG_DEF, ShareGroupConfig.CONFIG_DEF)),
                texts,
                false);
        GroupCoordinatorConfig groups = new GroupCoordinatorConfig(config);
        return new LibraryConfig(groups, new GroupConfigManager(groups, new ShareGroupConfig(config)));
    }

    /** As the value was read, not as it was written: the library takes no list with empty words. */
    private static String text(Object value) {
        return value instanceof Collection<?> words
                ? words.stream().map(Object::toString).collect(Collectors.joining(","))
                : value.toString();
    }

    private static List<ConfigKey<?>> keys() {
        List<ConfigKey<?>> keys = new ArrayList<>(GroupConfigKeys.ALL);
        keys.addAll(ShareGroupKeys.ALL);
        keys.addAll(StreamsGroupKeys.ALL);
        return keys;
    }
}
