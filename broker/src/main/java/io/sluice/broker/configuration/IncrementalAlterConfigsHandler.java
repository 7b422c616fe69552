package io.sluice.broker.configuration;

import io.sluice.base.concurrent.StageList;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.AsyncAnswer;
import io.sluice.broker.api.Call;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.IncrementalAlterConfigsRequestData.AlterableConfig;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData;
import org.apache.kafka.common.message.IncrementalAlterConfigsResponseData.AlterConfigsResourceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiError;
import org.apache.kafka.common.requests.IncrementalAlterConfigsRequest;
import org.apache.kafka.common.requests.IncrementalAlterConfigsResponse;
import org.jspecify.annotations.Nullable;

/** IncrementalAlterConfigs (KIP-339): sets, removes, and adds to or takes from lists. */
public final class IncrementalAlterConfigsHandler implements ApiHandler<IncrementalAlterConfigsRequest> {
    private final ConfigAlteration alteration;
    private final LoggerAlteration loggers;

    /** Alters through the alteration; levels of loggers at once. */
    public IncrementalAlterConfigsHandler(ConfigAlteration alteration, LoggerLevels loggers, int nodeId) {
        this.alteration = alteration;
        this.loggers = new LoggerAlteration(loggers, nodeId);
    }

    @Override
    public ApiKeys api() {
        return ApiKeys.INCREMENTAL_ALTER_CONFIGS;
    }

    @Override
    public void handle(Call<IncrementalAlterConfigsRequest> call) {
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
                        .thenApply(all -> new IncrementalAlterConfigsResponse(
                                new IncrementalAlterConfigsResponseData().setResponses(all))));
    }

    private CompletionStage<ApiError> alter(AlterConfigsResource resource, ResourceCheck check, boolean validateOnly) {
        List<String> keys = new ArrayList<>();
        List<String> nulls = new ArrayList<>();
        List<ConfigEdit.Step> steps = new ArrayList<>();
        for (AlterableConfig config : resource.configs()) {
            keys.add(config.name());
            AlterConfigOp.@Nullable OpType type = AlterConfigOp.OpType.forId(config.configOperation());
            if (type == null) {
                String message = "Unknown operations type " + config.configOperation();
                return CompletableFuture.completedFuture(new ApiError(Errors.INVALID_REQUEST, message));
            }
            if (type != AlterConfigOp.OpType.DELETE && config.value() == null) {
                nulls.add(config.name());
            }
            steps.add(new ConfigEdit.Step(type, config.name(), config.value()));
        }
        ApiError fault = check.fault(resource.resourceType(), resource.resourceName(), keys, nulls);
        if (fault != null) {
            return CompletableFuture.completedFuture(fault);
        }
        ConfigResource.Type type = ConfigResource.Type.forId(resource.resourceType());
        return type == ConfigResource.Type.BROKER_LOGGER
                ? CompletableFuture.completedFuture(loggers.alter(resource.resourceName(), steps, validateOnly))
                : alteration.alter(
                        new ConfigResource(type, resource.resourceName()), ConfigEdit.incremental(steps), validateOnly);
    }
}
