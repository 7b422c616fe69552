package io.sluice.protocol.frame;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * Which lists of which requests Kafka's classes put into hash tables, by the names that the fields have in Kafka's schemas:
 * those of every API that clients may call, whether it is served or not, so that none is forgotten when it is. Immutable.
 */
final class HashedLists {
    private static final Map<ApiKeys, Map<String, HashedList>> LISTS = new EnumMap<>(ApiKeys.class);

    /**
     * One list.
     *
     * @param keys the fields of its elements that the hash is made of, in that order; none if the elements are the keys
     * @param decoded whether the request's reader makes the table, for as many elements as there are
     * @param grown whether a table, of the answer as a rule, is filled one by one from nothing
     */
    record HashedList(List<String> keys, boolean decoded, boolean grown) {}

    static {
        decoded(ApiKeys.PRODUCE, "topic_data", "name", "topic_id");
        decoded(ApiKeys.JOIN_GROUP, "protocols", "name");
        decoded(ApiKeys.CREATE_TOPICS, "topics", "name");
        decoded(ApiKeys.CREATE_TOPICS, "topics.assignments", "partition_index");
        decoded(ApiKeys.CREATE_TOPICS, "topics.configs", "name");
        decoded(ApiKeys.CREATE_PARTITIONS, "topics", "name");
        decoded(ApiKeys.OFFSET_FOR_LEADER_EPOCH, "topics", "topic");
        decoded(ApiKeys.ADD_PARTITIONS_TO_TXN, "transactions", "transactional_id");
        decoded(ApiKeys.ADD_PARTITIONS_TO_TXN, "transactions.topics", "name");
        decoded(ApiKeys.ADD_PARTITIONS_TO_TXN, "v3_and_below_topics", "name");
        decoded(ApiKeys.ALTER_CONFIGS, "resources", "resource_type", "resource_name");
        decoded(ApiKeys.ALTER_CONFIGS, "resources.configs", "name");
        decoded(ApiKeys.INCREMENTAL_ALTER_CONFIGS, "resources", "resource_type", "resource_name");
        decoded(ApiKeys.INCREMENTAL_ALTER_CONFIGS, "resources.configs", "name", "config_operation");
        decoded(ApiKeys.ALTER_REPLICA_LOG_DIRS, "dirs", "path");
        decoded(ApiKeys.ALTER_REPLICA_LOG_DIRS, "dirs.topics", "name");
        decoded(ApiKeys.DESCRIBE_LOG_DIRS, "topics", "topic");
        decoded(ApiKeys.ELECT_LEADERS, "topic_partitions", "topic");
        decoded(ApiKeys.UPDATE_FEATURES, "feature_updates", "feature");
        decoded(ApiKeys.DESCRIBE_PRODUCERS, "topics", "name");
        decoded(ApiKeys.SHARE_FETCH, "topics", "topic_id");
        decoded(ApiKeys.SHARE_FETCH, "topics.partitions", "partition_index");
        decoded(ApiKeys.SHARE_ACKNOWLEDGE, "topics", "topic_id");
        decoded(ApiKeys.SHARE_ACKNOWLEDGE, "topics.partitions", "partition_index");
        decoded(ApiKeys.ADD_RAFT_VOTER, "listeners", "name");
        decoded(ApiKeys.ALTER_SHARE_GROUP_OFFSETS, "topics", "topic_name");
        // The group coordinator's library fills the tables of these answers.
        put(ApiKeys.OFFSET_DELETE, "topics", new HashedList(List.of("name"), true, true));
        put(ApiKeys.OFFSET_DELETE, "topics.partitions", new HashedList(List.of("partition_index"), false, true));
        put(ApiKeys.DELETE_GROUPS, "groups_names", new HashedList(List.of(), false, true));
    }

    private HashedLists() {}

    private static void decoded(ApiKeys api, String path, String... keys) {
        put(api, path, new HashedList(List.of(keys), true, false));
    }

    private static void put(ApiKeys api, String path, HashedList list) {
        LISTS.computeIfAbsent(api, any -> new HashMap<>()).put(path, list);
    }

    /** The APIs that have any. */
    static Set<ApiKeys> apis() {
        return LISTS.keySet();
    }

    /** The lists of an API, by the names of the fields that lead to them, a dot between two. */
    static Map<String, HashedList> of(ApiKeys api) {
        return LISTS.getOrDefault(api, Map.of());
    }
}
