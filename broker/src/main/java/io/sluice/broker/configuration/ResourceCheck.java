package io.sluice.broker.configuration;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiError;
import org.jspecify.annotations.Nullable;

/** What is wrong with a request to alter configs before anybody looks at the settings themselves. */
final class ResourceCheck {
    private final Map<Resource, Integer> seen = new HashMap<>();

    private record Resource(byte type, String name) {}

    /** Counts a resource of the request. */
    void see(byte type, String name) {
        seen.merge(new Resource(type, name), 1, Integer::sum);
    }

    /**
     * What is wrong with one resource, or null.
     *
     * @param keys the settings named
     * @param nulls those whose value is missing
     */
    @Nullable ApiError fault(byte type, String name, List<String> keys, List<String> nulls) {
        if (seen.getOrDefault(new Resource(type, name), 0) > 1) {
            return invalid("Each resource must appear at most once.");
        }
        if (new HashSet<>(keys).size() < keys.size()) {
            return invalid("Error due to duplicate config keys");
        }
        if (!nulls.isEmpty()) {
            return invalid("Null value not supported for : " + String.join(", ", nulls));
        }
        return ConfigResource.Type.forId(type) == ConfigResource.Type.UNKNOWN ? unknownType(type) : null;
    }

    static ApiError unknownType(byte type) {
        return invalid("Unknown resource type " + type);
    }

    private static ApiError invalid(String message) {
        return new ApiError(Errors.INVALID_REQUEST, message);
    }
}
