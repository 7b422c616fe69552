package io.sluice.broker.configuration;

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
        List<ResourceChange> changes = call.request().data().resources().stream()
                .map(IncrementalAlterConfigsHandler::change)
                .toList();
        boolean validateOnly = call.request().data().validateOnly();
        AsyncAnswer.give(
                call,
                ResourceChange.makeEach(changes, change -> alter(change, validateOnly))
                        .thenApply(errors -> answer(changes, errors)));
    }

    private static ResourceChange change(AlterConfigsResource resource) {
        List<ConfigEdit.Step> steps = new ArrayList<>();
        ApiError malformed = null;
        for (AlterableConfig config : resource.configs()) {
            AlterConfigOp.@Nullable OpType type = AlterConfigOp.OpType.forId(config.configOperation());
            if (type == null) {
                malformed = new ApiError(Errors.INVALID_REQUEST, "Unknown operations type " + config.configOperation());
            } else {
                steps.add(new ConfigEdit.Step(type, config.name(), config.value()));
            }
        }
        return new ResourceChange(resource.resourceType(), resource.resourceName(), steps, malformed);
    }

    private CompletionStage<ApiError> alter(ResourceChange change, boolean validateOnly) {
        ConfigResource resource = change.resource();
        return resource.type() == ConfigResource.Type.BROKER_LOGGER
                ? CompletableFuture.completedStage(loggers.alter(change.name(), change.steps(), validateOnly))
                : alteration.alter(resource, ConfigEdit.incremental(change.steps()), validateOnly);
    }

    private static IncrementalAlterConfigsResponse answer(List<ResourceChange> changes, List<ApiError> errors) {
        IncrementalAlterConfigsResponseData data = new IncrementalAlterConfigsResponseData();
        for (int i = 0; i < changes.size(); i++) {
            data.responses()
                    .add(new AlterConfigsResourceResponse()
                            .setErrorCode(errors.get(i).error().code())
                            .setErrorMessage(errors.get(i).message())
                            .setResourceType(changes.get(i).type())
                            .setResourceName(changes.get(i).name()));
        }
        return new IncrementalAlterConfigsResponse(data);
    }
}
