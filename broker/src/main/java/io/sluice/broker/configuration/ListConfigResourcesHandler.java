package io.sluice.broker.configuration;

import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.broker.directory.BrokerDirectory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.message.ListConfigResourcesResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.ListConfigResourcesRequest;
import org.apache.kafka.common.requests.ListConfigResourcesResponse;

/** ListConfigResources (KIP-1142): what has settings that can be described. Version 0 knows client metrics only. */
public final class ListConfigResourcesHandler implements ApiHandler<ListConfigResourcesRequest> {
    private final ClusterImageSource images;
    private final BrokerDirectory brokers;

    /** Lists what the images hold. */
    public ListConfigResourcesHandler(ClusterImageSource images, BrokerDirectory brokers) {
        this.images = images;
        this.brokers = brokers;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.LIST_CONFIG_RESOURCES;
    }

    @Override
    public void handle(Call<ListConfigResourcesRequest> call) {
        Set<Byte> supported = call.request().supportedResourceTypes();
        Set<Byte> asked = new LinkedHashSet<>(call.request().data().resourceTypes());
        if (asked.isEmpty()) {
            asked = supported;
        }
        if (!supported.containsAll(asked)) {
            String message = "Among the resource types " + asked + " is one that cannot be listed; those that can are "
                    + supported + ".";
            call.respond(call.request().getErrorResponse(new UnsupportedVersionException(message)));
            return;
        }
        ClusterImage image = images.current();
        List<ListConfigResourcesResponseData.ConfigResource> resources = new ArrayList<>();
        for (byte type : asked) {
            for (String name : names(ConfigResource.Type.forId(type), image)) {
                resources.add(new ListConfigResourcesResponseData.ConfigResource()
                        .setResourceType(type)
                        .setResourceName(name));
            }
        }
        call.respond(
                new ListConfigResourcesResponse(new ListConfigResourcesResponseData().setConfigResources(resources)));
    }

    private Collection<String> names(ConfigResource.Type type, ClusterImage image) {
        return switch (type) {
            case TOPIC -> image.topics().stream().map(topic -> topic.name()).toList();
            case GROUP -> image.groupConfigs().keySet();
            case CLIENT_METRICS -> image.clientMetricsConfigs().keySet();
            case BROKER, BROKER_LOGGER ->
                brokers.brokers().stream()
                        .map(broker -> Integer.toString(broker.nodeId()))
                        .toList();
            default -> List.of();
        };
    }
}
