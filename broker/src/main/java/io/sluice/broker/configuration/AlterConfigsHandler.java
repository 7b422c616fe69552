package io.sluice.broker.configuration;

import io.sluice.base.concurrent.StageList;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.AsyncAnswer;
import io.sluice.broker.api.Call;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.AlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.AlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.AlterConfigsResponseData.AlterConfigsResourceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AlterConfigsRequest;
import org.apache.kafka.common.requests.AlterConfigsResponse;
import org.apache.kafka.common.requests.ApiError;
import org.jspecify.annotations.Nullable;

/** AlterConfigs, the old way: what is given replaces everything set on a resource. */
public final class AlterConfigsHandler implements ApiHandler<AlterConfigsRequest> {
    private final ConfigAlteration alteration;

    /** Alters through the alteration. */
    public AlterConfigsHandler(ConfigAlteration alteration) {
        this.alteration = alteration;
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.ALTER_CONFIGS;
    }

    @Override
    public void handle(Call<AlterConfigsRequest> call) {
        boolean validateOnly = call.request().data().validateOnly();
        ResourceCheck check = new ResourceCheck();
        call.request().data().resources().forEach(one -> check.see(one.resourceType(), one.resourceName()));
        List<CompletionStage<AlterConfigsResourceResponse>> results = new ArrayList<>();
        for (AlterConfigsResource resource : call.request().data().resources()) {
            results.add(alter(resource, check, validateOnly)
                    .thenApply(error -> new AlterConfigsResourceResponse()
                            .setErrorCode(error.error().code())
                            .setErrorMessage(error.message())
                            .setResourceType(resource.resourceType())
                            .setResourceName(resource.resourceName())));
        }
        AsyncAnswer.give(
                call,
                StageList.all(results)
                        .thenApply(all -> new AlterConfigsResponse(new AlterConfigsResponseData().setResponses(all))));
    }

    private CompletionStage<ApiError> alter(AlterConfigsResource resource, ResourceCheck check, boolean validateOnly) {
        List<String> keys = new ArrayList<>();
        List<String> nulls = new ArrayList<>();
        Map<String, String> texts = new HashMap<>();
        for (AlterableConfig config : resource.configs()) {
            keys.add(config.name());
            if (config.value() == null) {
                nulls.add(config.name());
            } else {
                texts.put(config.name(), config.value());
            }
        }
        @Nullable ApiError fault = check.fault(resource.resourceType(), resource.resourceName(), keys, nulls);
        ConfigResource.Type type = ConfigResource.Type.forId(resource.resourceType());
        if (fault == null && type == ConfigResource.Type.BROKER_LOGGER) {
            fault = ResourceCheck.unknownType(resource.resourceType());
        }
        return fault != null
                ? CompletableFuture.completedFuture(fault)
                : alteration.alter(
                        new ConfigResource(type, resource.resourceName()), ConfigEdit.replace(texts), validateOnly);
    }
}
