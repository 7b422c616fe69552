package io.sluice.broker.share;

import io.sluice.base.config.ConfigKey;
import io.sluice.base.config.ConfigValues;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.coordinator.share.ShareGroupSettings;
import io.sluice.storage.config.GroupResourceKeys;
import io.sluice.storage.config.ShareGroupKeys;
import java.util.Map;

/**
 * What share groups are set to: each by its own settings, else by the node's.
 *
 * @param node the node's, as it was started
 */
public record ShareGroupConfigs(ClusterImageSource images, ConfigValues node) {
    private static final String READ_COMMITTED = "read_committed";

    /** As it is now. */
    public ShareGroupSettings of(String groupId) {
        Map<String, String> own = own(groupId);
        return new ShareGroupSettings(
                number(own, GroupResourceKeys.SHARE_DELIVERY_COUNT_LIMIT, ShareGroupKeys.DELIVERY_COUNT_LIMIT),
                number(own, GroupResourceKeys.SHARE_LOCK_DURATION_MS, ShareGroupKeys.LOCK_DURATION_MS),
                number(own, GroupResourceKeys.SHARE_MAX_RECORD_LOCKS, ShareGroupKeys.MAX_RECORD_LOCKS),
                Boolean.parseBoolean(text(own, GroupResourceKeys.SHARE_RENEW_ENABLE)),
                text(own, GroupResourceKeys.SHARE_ISOLATION_LEVEL).equals(READ_COMMITTED),
                !text(own, GroupResourceKeys.DEAD_LETTER_TOPIC).isEmpty(),
                text(own, GroupResourceKeys.SHARE_AUTO_OFFSET_RESET));
    }

    /** Where the group's dead letters go, "" for nowhere. */
    String deadLetterTopic(String groupId) {
        return text(own(groupId), GroupResourceKeys.DEAD_LETTER_TOPIC);
    }

    /** Whether its dead letters hold key and value. */
    boolean copiesDeadLetters(String groupId) {
        return Boolean.parseBoolean(text(own(groupId), GroupResourceKeys.DEAD_LETTER_COPY));
    }

    private Map<String, String> own(String groupId) {
        return images.current().groupConfigs().getOrDefault(groupId, Map.of());
    }

    /** Numbers were checked when they were set. */
    private int number(Map<String, String> own, ConfigKey<Integer> key, ConfigKey<Integer> nodeKey) {
        String text = own.get(key.name());
        return text == null ? node.get(nodeKey) : Integer.parseInt(text.trim());
    }

    private static String text(Map<String, String> own, ConfigKey<?> key) {
        return own.getOrDefault(key.name(), String.valueOf(key.defaultText()));
    }
}
