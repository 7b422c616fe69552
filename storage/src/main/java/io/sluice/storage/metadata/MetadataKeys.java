package io.sluice.storage.metadata;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Where things are kept in the metadata store. Byte tables of the values: docs/formats/metadata.md. */
final class MetadataKeys {
    /** Topics by name. */
    static final String TOPICS = "/topics/";

    /** What was set dynamically on one broker, by node id, or on all, under {@link #ALL_BROKERS}. */
    static final String BROKER_CONFIGS = "/configs/brokers/";

    /** What was set on groups, by group id, URL-encoded. */
    static final String GROUP_CONFIGS = "/configs/groups/";

    /** Subscriptions to clients' metrics, by name, URL-encoded. */
    static final String CLIENT_METRICS_CONFIGS = "/configs/client-metrics/";

    /** What is kept of nodes, by node id. */
    static final String NODES = "/nodes/";

    /** The first numeric log id that has not been handed out. */
    static final String LOG_IDS = "/ids/logs";

    /** Stands for all brokers. */
    static final String ALL_BROKERS = "default";

    private MetadataKeys() {}

    static String topic(String name) {
        return TOPICS + name;
    }

    static String brokerConfig(String node) {
        return BROKER_CONFIGS + (node.isEmpty() ? ALL_BROKERS : node);
    }

    /** Back from {@link #brokerConfig}. */
    static String node(String key) {
        String name = key.substring(BROKER_CONFIGS.length());
        return name.equals(ALL_BROKERS) ? "" : name;
    }

    static String groupConfig(String group) {
        return GROUP_CONFIGS + URLEncoder.encode(group, StandardCharsets.UTF_8);
    }

    /** Back from {@link #groupConfig}. */
    static String group(String key) {
        return URLDecoder.decode(key.substring(GROUP_CONFIGS.length()), StandardCharsets.UTF_8);
    }

    static String clientMetricsConfig(String subscription) {
        return CLIENT_METRICS_CONFIGS + URLEncoder.encode(subscription, StandardCharsets.UTF_8);
    }

    /** Back from {@link #clientMetricsConfig}. */
    static String subscription(String key) {
        return URLDecoder.decode(key.substring(CLIENT_METRICS_CONFIGS.length()), StandardCharsets.UTF_8);
    }
}
