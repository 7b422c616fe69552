package io.sluice.broker.configuration;

import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.metadata.TopicNames;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.storage.config.DynamicConfigs;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.message.DescribeConfigsRequestData;
import org.apache.kafka.common.message.DescribeConfigsRequestData.DescribeConfigsResource;
import org.apache.kafka.common.message.DescribeConfigsResponseData;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResourceResult;
import org.apache.kafka.common.message.DescribeConfigsResponseData.DescribeConfigsResult;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiError;
import org.apache.kafka.common.requests.DescribeConfigsRequest;
import org.apache.kafka.common.requests.DescribeConfigsResponse;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigSource;

/**
 * DescribeConfigs: all settings of topics, brokers, groups, subscriptions to clients' metrics, and loggers. Each resource once, however often it is named; those
 * beyond {@value #MAX_ENTRIES} settings in one answer are refused, because the answer is made on the heap.
 */
public final class DescribeConfigsHandler implements ApiHandler<DescribeConfigsRequest> {
    static final int MAX_ENTRIES = 200_000;
    private static final ApiError TOO_MANY = new ApiError(
            Errors.INVALID_REQUEST,
            "The answer would have more than " + MAX_ENTRIES + " settings; ask for fewer resources at a time.");

    private final ClusterImageSource images;
    private final DynamicConfigs configs;
    private final LoggerLevels loggers;
    private final int nodeId;

    /** Describes what the images and the node's settings hold. */
    public DescribeConfigsHandler(ClusterImageSource images, DynamicConfigs configs, LoggerLevels loggers, int nodeId) {
        this.images = images;
        this.configs = configs;
        this.loggers = loggers;
        this.nodeId = nodeId;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.DESCRIBE_CONFIGS;
    }

    @Override
    public void handle(Call<DescribeConfigsRequest> call) {
        DescribeConfigsRequestData request = call.request().data();
        ClusterImage image = images.current();
        List<DescribeConfigsResult> results = new ArrayList<>();
        Set<String> described = new HashSet<>(); // texts have an order: such a set stays fast whatever they are
        int entries = 0;
        for (DescribeConfigsResource resource : request.resources()) {
            ConfigResource.Type type = ConfigResource.Type.forId(resource.resourceType());
            if (!described.add(type.id() + "/" + resource.resourceName())) {
                continue;
            }
            DescribeConfigsResult result =
                    entries < MAX_ENTRIES ? result(image, request, resource) : refused(resource, TOO_MANY);
            entries += 1 + result.configs().size();
            results.add(result);
        }
        call.respond(new DescribeConfigsResponse(new DescribeConfigsResponseData().setResults(results)));
    }

    private static DescribeConfigsResult refused(DescribeConfigsResource resource, ApiError error) {
        return new DescribeConfigsResult()
                .setResourceType(resource.resourceType())
                .setResourceName(resource.resourceName())
                .setErrorCode(error.error().code())
                .setErrorMessage(error.message());
    }

    private DescribeConfigsResult result(
            ClusterImage image, DescribeConfigsRequestData request, DescribeConfigsResource resource) {
        try {
            List<String> wanted = resource.configurationKeys();
            return new DescribeConfigsResult()
                    .setResourceType(resource.resourceType())
                    .setResourceName(resource.resourceName())
                    .setConfigs(describe(image, request, resource)
                            .filter(config -> wanted == null || wanted.isEmpty() || wanted.contains(config.name()))
                            .toList());
        } catch (ApiException e) {
            return refused(resource, ApiError.fromThrowable(e));
        }
    }

    private Stream<DescribeConfigsResourceResult> describe(
            ClusterImage image, DescribeConfigsRequestData request, DescribeConfigsResource resource) {
        String name = resource.resourceName();
        return switch (ConfigResource.Type.forId(resource.resourceType())) {
            case TOPIC ->
                toResults(
                        request,
                        new TopicConfigDescription(configs)
                                .describe(name, requireTopic(image, name).configs()));
            case BROKER ->
                toResults(
                        request,
                        name.isEmpty()
                                ? new BrokerConfigDescription(configs).describeDefaults()
                                : requireThisNode(name).describe());
            case GROUP -> toResults(request, new GroupConfigDescription(configs).describe(requireGroup(image, name)));
            case CLIENT_METRICS ->
                toResults(request, ClientMetricsDescription.describe(requireSubscription(image, name)));
            case BROKER_LOGGER -> loggers(name);
            default ->
                throw new InvalidRequestException("Unsupported resource type: "
                        + ConfigResource.Type.forId(resource.resourceType())
                        + "; topics, brokers, broker loggers, groups and client metrics have settings.");
        };
    }

    private static Stream<DescribeConfigsResourceResult> toResults(
            DescribeConfigsRequestData request, List<DescribedConfig> described) {
        return described.stream()
                .map(config -> config.toResult(request.includeSynonyms(), request.includeDocumentation()));
    }

    private static TopicImage requireTopic(ClusterImage image, String name) {
        String fault = TopicNames.fault(name);
        if (fault != null) {
            throw new InvalidTopicException(fault);
        }
        TopicImage topic = image.topic(name);
        if (topic == null) {
            throw new UnknownTopicOrPartitionException("There is no topic '" + name + "'.");
        }
        return topic;
    }

    private BrokerConfigDescription requireThisNode(String name) {
        NodeNames.requireThis(name, nodeId);
        return new BrokerConfigDescription(configs);
    }

    private static Map<String, String> requireGroup(ClusterImage image, String name) {
        if (name.isEmpty()) {
            throw new InvalidRequestException("Group name must not be empty");
        }
        return image.groupConfigs().getOrDefault(name, Map.of());
    }

    private static Map<String, String> requireSubscription(ClusterImage image, String name) {
        if (name.isEmpty()) {
            throw new InvalidRequestException("Client metrics subscription name must not be empty");
        }
        return image.clientMetricsConfigs().getOrDefault(name, Map.of());
    }

    private Stream<DescribeConfigsResourceResult> loggers(String name) {
        if (name.isEmpty()) {
            throw new InvalidRequestException("Broker id must not be empty");
        }
        NodeNames.requireThis(name, nodeId);
        return new TreeMap<>(loggers.levels())
                .entrySet().stream()
                        .map(logger -> new DescribeConfigsResourceResult()
                                .setName(logger.getKey())
                                .setValue(logger.getValue())
                                .setConfigSource(ConfigSource.DYNAMIC_BROKER_LOGGER_CONFIG.id())
                                .setDocumentation(""));
    }
}
