package io.sluice.broker.configuration;

import io.sluice.base.config.ConfigException;
import io.sluice.base.config.ConfigKey;
import io.sluice.base.config.ConfigSchema;
import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.metadata.TopicNames;
import io.sluice.broker.api.AsyncAnswer;
import io.sluice.broker.directory.TopicErrors;
import io.sluice.storage.config.BrokerConfigKeys;
import io.sluice.storage.config.ClientMetricsKeys;
import io.sluice.storage.config.DynamicConfigs;
import io.sluice.storage.config.GroupConfigKeys;
import io.sluice.storage.config.GroupResourceKeys;
import io.sluice.storage.config.TelemetryKeys;
import io.sluice.storage.config.TopicConfigKeys;
import io.sluice.storage.config.TopicDefaults;
import io.sluice.storage.metadata.ConfigCatalogue;
import io.sluice.storage.metadata.TopicCatalogue;
import io.sluice.storage.metadata.TopicOutcome;
import io.sluice.storage.metadata.TopicOutcome.Reason;
import io.sluice.storage.metadata.TopicOutcome.Refused;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiError;
import org.jspecify.annotations.Nullable;

/**
 * Changes the settings of topics, brokers, groups and subscriptions to clients' metrics: checked first, then durable and in effect when the stage completes.
 * Settings of a broker that take effect at a start only are refused here. Safe on every thread; nothing blocks.
 */
public final class ConfigAlteration {
    private final TopicCatalogue topics;
    private final ConfigCatalogue resources;
    private final ClusterImageSource images;
    private final DynamicConfigs configs;
    private final int nodeId;
    private final ConfiguredNames configuredGroups;
    private final ConfiguredNames subscriptions;

    /** Changes what the catalogues keep. */
    public ConfigAlteration(
            TopicCatalogue topics,
            ConfigCatalogue resources,
            ClusterImageSource images,
            DynamicConfigs configs,
            int nodeId) {
        this.topics = topics;
        this.resources = resources;
        this.images = images;
        this.configs = configs;
        this.nodeId = nodeId;
        this.configuredGroups = new ConfiguredNames(
                "groups", () -> images.current().groupConfigs().keySet(), configs, GroupConfigKeys.MAX_CONFIGURED);
        this.subscriptions = new ConfiguredNames(
                "subscriptions to client metrics",
                () -> images.current().clientMetricsConfigs().keySet(),
                configs,
                TelemetryKeys.MAX_SUBSCRIPTIONS);
    }

    /** Alters one resource, or only tells what altering it would come to; never fails. */
    CompletionStage<ApiError> alter(ConfigResource resource, ConfigEdit edit, boolean validateOnly) {
        try {
            return switch (resource.type()) {
                case TOPIC -> alterTopic(resource.name(), edit, validateOnly);
                case BROKER -> alterBroker(resource.name(), edit, validateOnly);
                case GROUP -> alterGroup(resource.name(), edit, validateOnly);
                case CLIENT_METRICS -> alterClientMetrics(resource.name(), edit, validateOnly);
                default ->
                    throw new InvalidRequestException(
                            "Settings of " + resource.type()
                                    + " cannot be changed; those of topics, brokers, broker loggers, groups and client metrics can.");
            };
        } catch (ApiException e) {
            return CompletableFuture.completedFuture(ApiError.fromThrowable(e));
        } catch (ConfigException e) {
            return CompletableFuture.completedFuture(error(e));
        }
    }

    private CompletionStage<ApiError> alterTopic(String name, ConfigEdit edit, boolean validateOnly) {
        if (name.isEmpty()) {
            throw new InvalidRequestException("Default topic resources are not allowed.");
        }
        String fault = TopicNames.fault(name);
        if (fault != null) {
            return CompletableFuture.completedFuture(new ApiError(Errors.INVALID_TOPIC_EXCEPTION, fault));
        }
        TopicDefaults defaults = configs.current().topicDefaults();
        UnaryOperator<Map<String, String>> change =
                now -> edit.apply(now, TopicConfigKeys.SCHEMA, key -> inherited(key, defaults));
        return validateOnly
                ? CompletableFuture.completedFuture(error(name, topics.validateConfigure(name, change)))
                : topics.configure(name, change)
                        .handle((outcome, cause) -> cause == null ? error(name, outcome) : TopicErrors.of(cause));
    }

    private static @Nullable String inherited(String key, TopicDefaults defaults) {
        ConfigKey<?> known = TopicConfigKeys.SCHEMA.find(key);
        return defaults.inherited().getOrDefault(key, known == null ? null : known.defaultText());
    }

    private static ApiError error(String name, TopicOutcome outcome) {
        if (!(outcome instanceof Refused refused)) {
            return ApiError.NONE;
        }
        return refused.reason() == Reason.UNKNOWN_NAME
                ? new ApiError(Errors.UNKNOWN_TOPIC_OR_PARTITION, "The topic '" + name + "' does not exist.")
                : TopicErrors.of(refused);
    }

    private CompletionStage<ApiError> alterBroker(String name, ConfigEdit edit, boolean validateOnly) {
        if (!name.isEmpty()) {
            NodeNames.requireThis(name, nodeId);
        }
        String node = name.isEmpty() ? "" : Integer.toString(nodeId);
        UnaryOperator<Map<String, String>> change = now -> {
            Map<String, String> wanted = edit.apply(now, BrokerConfigKeys.SCHEMA, this::brokerText);
            requireDynamic(now, wanted);
            requireAgreement(node, wanted);
            return wanted;
        };
        Map<String, String> unused =
                change.apply(images.current().brokerConfigs().getOrDefault(node, Map.of()));
        return validateOnly ? done() : settled(resources.configureBroker(node, change));
    }

    private @Nullable String brokerText(String key) {
        ConfigKey<?> known = BrokerConfigKeys.SCHEMA.find(key);
        return configs.current().values().texts().getOrDefault(key, known == null ? null : known.defaultText());
    }

    /** Kafka answers a wrong value of a broker's setting with INVALID_REQUEST. */
    private void requireDynamic(Map<String, String> now, Map<String, String> wanted) {
        for (Map.Entry<String, String> entry : wanted.entrySet()) {
            ConfigKey<?> key = require(BrokerConfigKeys.SCHEMA, entry.getKey());
            if (entry.getValue().equals(now.get(entry.getKey()))) {
                continue;
            }
            if (key.scope() != ConfigKey.Scope.DYNAMIC) {
                throw new InvalidRequestException("Cannot update these configs dynamically: [" + key.name()
                        + "]. Restart needed: set it in the node's configuration file and start the node again.");
            }
        }
    }

    /** What is wanted must go with the other layers of the node's settings, and with what every topic has itself. */
    private void requireAgreement(String node, Map<String, String> wanted) {
        ClusterImage image = images.current();
        Map<String, Map<String, String>> layers = new HashMap<>(image.brokerConfigs());
        layers.put(node, wanted);
        TopicDefaults now = configs.current().topicDefaults();
        TopicDefaults defaults;
        try {
            defaults = configs.resolve(layers).topicDefaults();
        } catch (ConfigException e) {
            throw new InvalidRequestException(e.getMessage(), e);
        }
        for (TopicImage topic : image.topics()) {
            String yielding = defaults.yielding(topic.configs());
            if (yielding != null && !yielding.equals(now.yielding(topic.configs()))) {
                throw new InvalidRequestException("Invalid value '"
                        + defaults.inherited().get(yielding) + "' for "
                        + TopicDefaults.synonymsOf(yielding).get(0).brokerKey() + ": topic '" + topic.name()
                        + "' would inherit it as " + yielding + ", which contradicts what the topic has itself: "
                        + topic.configs() + ". Change the topic first.");
            }
        }
    }

    private CompletionStage<ApiError> alterGroup(String name, ConfigEdit edit, boolean validateOnly) {
        if (name.isEmpty()) {
            throw new InvalidRequestException("Default group resources are not allowed.");
        }
        UnaryOperator<Map<String, String>> change = now -> {
            Map<String, String> wanted = edit.apply(now, GroupResourceKeys.SCHEMA, key -> null);
            GroupResourceKeys.require(wanted, configs.current().values());
            return wanted;
        };
        Map<String, String> wanted =
                change.apply(images.current().groupConfigs().getOrDefault(name, Map.of()));
        return bounded(
                configuredGroups,
                name,
                wanted,
                () -> validateOnly ? done() : settled(resources.configureGroup(name, change)));
    }

    private CompletionStage<ApiError> alterClientMetrics(String name, ConfigEdit edit, boolean validateOnly) {
        if (name.isEmpty()) {
            throw new InvalidRequestException("Subscription name can't be empty");
        }
        UnaryOperator<Map<String, String>> change = now -> {
            Map<String, String> wanted = edit.apply(now, ClientMetricsKeys.SCHEMA, key -> null);
            ClientMetricsRules.require(wanted);
            return wanted;
        };
        Map<String, String> wanted =
                change.apply(images.current().clientMetricsConfigs().getOrDefault(name, Map.of()));
        return bounded(
                subscriptions,
                name,
                wanted,
                () -> validateOnly ? done() : settled(resources.configureClientMetrics(name, change)));
    }

    private static CompletionStage<ApiError> bounded(
            ConfiguredNames names,
            String name,
            Map<String, String> wanted,
            Supplier<CompletionStage<ApiError>> change) {
        boolean begun = !wanted.isEmpty() && names.begin(name);
        CompletionStage<ApiError> outcome = change.get();
        return begun ? outcome.whenComplete((error, cause) -> names.end(name)) : outcome;
    }

    private static CompletionStage<ApiError> settled(CompletionStage<Void> change) {
        return change.handle((done, cause) -> {
            if (cause == null) {
                return ApiError.NONE;
            }
            Throwable inner = AsyncAnswer.unwrap(cause);
            if (inner instanceof ConfigException refused) {
                return error(refused);
            }
            return inner instanceof ApiException refused ? ApiError.fromThrowable(refused) : TopicErrors.of(inner);
        });
    }

    private static CompletionStage<ApiError> done() {
        return CompletableFuture.completedFuture(ApiError.NONE);
    }

    private static ApiError error(ConfigException e) {
        return new ApiError(Errors.INVALID_CONFIG, e.getMessage());
    }

    private static ConfigKey<?> require(ConfigSchema schema, String name) {
        ConfigKey<?> key = schema.find(name);
        if (key == null) {
            schema.read(Map.of(name, ""));
            throw new IllegalStateException("the schema takes '" + name + "' though it does not know it");
        }
        return key;
    }
}
