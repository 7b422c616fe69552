package io.sluice.broker.configuration;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.AsyncAnswer;
import io.sluice.broker.api.Call;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.message.AlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.AlterConfigsResponseData;
import org.apache.kafka.common.message.AlterConfigsResponseData.AlterConfigsResourceResponse;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AlterConfigsRequest;
import org.apache.kafka.common.requests.AlterConfigsResponse;
import org.apache.kafka.common.requests.ApiError;

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
        List<ResourceChange> changes = call.request().data().resources().stream()
                .map(AlterConfigsHandler::change)
                .toList();
        boolean validateOnly = call.request().data().validateOnly();
        AsyncAnswer.give(
                call,
                ResourceChange.makeEach(changes, change -> alter(change, validateOnly))
                        .thenApply(errors -> answer(changes, errors)));
    }

    private static ResourceChange change(AlterConfigsResource resource) {
        List<ConfigEdit.Step> steps = resource.configs().stream()
                .map(config -> new ConfigEdit.Step(AlterConfigOp.OpType.SET, config.name(), config.value()))
                .toList();
        return new ResourceChange(resource.resourceType(), resource.resourceName(), steps, null);
    }

    private CompletionStage<ApiError> alter(ResourceChange change, boolean validateOnly) {
        ConfigResource resource = change.resource();
        return resource.type() == ConfigResource.Type.BROKER_LOGGER
                ? CompletableFuture.completedStage(ResourceChange.unknownType(change.type()))
                : alteration.alter(resource, ConfigEdit.replace(change.steps()), validateOnly);
    }

    private static AlterConfigsResponse answer(List<ResourceChange> changes, List<ApiError> errors) {
        AlterConfigsResponseData data = new AlterConfigsResponseData();
        for (int i = 0; i < changes.size(); i++) {
            data.responses()
                    .add(new AlterConfigsResourceResponse()
                            .setErrorCode(errors.get(i).error().code())
                            .setErrorMessage(errors.get(i).message())
                            .setResourceType(changes.get(i).type())
                            .setResourceName(changes.get(i).name()));
        }
        return new AlterConfigsResponse(data);
    }
}
