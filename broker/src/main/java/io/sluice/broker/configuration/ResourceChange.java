package io.sluice.broker.configuration;

import io.sluice.base.concurrent.StageList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiError;
import org.jspecify.annotations.Nullable;

/**
 * What a request wants of one resource, in the same words for both requests that alter configs.
 *
 * @param type Kafka's number of the resource's type
 * @param malformed what is wrong before anybody looks at the resource; null for nothing
 */
record ResourceChange(
        byte type,
        String name,
        List<ConfigEdit.Step> steps,
        @Nullable ApiError malformed) {
    /** A text, because a map of texts stays fast where many have the same hash: they can be put in order. */
    private String key() {
        return type + "/" + name;
    }

    /** The resource; its type may be UNKNOWN. */
    ConfigResource resource() {
        return new ConfigResource(ConfigResource.Type.forId(type), name);
    }

    /** Makes the changes that are well formed; one answer for each, in the order of the changes. */
    static CompletionStage<List<ApiError>> makeEach(
            List<ResourceChange> changes, Function<ResourceChange, CompletionStage<ApiError>> make) {
        Map<String, Integer> seen = new HashMap<>();
        changes.forEach(change -> seen.merge(change.key(), 1, Integer::sum));
        return StageList.all(changes.stream()
                .map(change -> {
                    ApiError fault = change.fault(seen.getOrDefault(change.key(), 0));
                    return fault == null ? make.apply(change) : CompletableFuture.completedStage(fault);
                })
                .toList());
    }

    private @Nullable ApiError fault(int timesSeen) {
        if (malformed != null) {
            return malformed;
        }
        if (timesSeen > 1) {
            return invalid("Each resource must appear at most once.");
        }
        List<String> keys = steps.stream().map(ConfigEdit.Step::key).toList();
        if (new HashSet<>(keys).size() < keys.size()) {
            return invalid("Error due to duplicate config keys");
        }
        List<String> nulls = steps.stream()
                .filter(step -> step.type() != AlterConfigOp.OpType.DELETE && step.value() == null)
                .map(ConfigEdit.Step::key)
                .toList();
        if (!nulls.isEmpty()) {
            return invalid(
                    "There is no value for " + String.join(", ", nulls) + "; give one, or delete the key instead.");
        }
        return resource().type() == ConfigResource.Type.UNKNOWN ? unknownType(type) : null;
    }

    static ApiError unknownType(byte type) {
        return invalid("Unknown resource type " + type);
    }

    private static ApiError invalid(String message) {
        return new ApiError(Errors.INVALID_REQUEST, message);
    }
}
