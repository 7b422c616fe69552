package io.sluice.broker.configuration;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ApiError;
import org.jspecify.annotations.Nullable;

/** Changes levels of loggers (KIP-412): all of a request or none. */
final class LoggerAlteration {
    private final LoggerLevels loggers;
    private final int nodeId;

    LoggerAlteration(LoggerLevels loggers, int nodeId) {
        this.loggers = loggers;
        this.nodeId = nodeId;
    }

    ApiError alter(String node, List<ConfigEdit.Step> steps, boolean validateOnly) {
        try {
            NodeNames.requireThis(node, nodeId);
        } catch (InvalidRequestException e) {
            return ApiError.fromThrowable(e);
        }
        Map<String, String> levels = loggers.levels();
        for (ConfigEdit.Step step : steps) {
            ApiError fault = fault(step, levels);
            if (fault != null) {
                return fault;
            }
        }
        if (!validateOnly) {
            steps.forEach(this::apply);
        }
        return ApiError.NONE;
    }

    private @Nullable ApiError fault(ConfigEdit.Step step, Map<String, String> levels) {
        if (step.type() == OpType.APPEND || step.type() == OpType.SUBTRACT) {
            return new ApiError(
                    Errors.INVALID_REQUEST, step.type() + " operation is not allowed for the BROKER_LOGGER resource");
        }
        if (!levels.containsKey(step.key())) {
            return new ApiError(Errors.INVALID_CONFIG, "Logger " + step.key() + " does not exist!");
        }
        if (step.type() == OpType.DELETE) {
            return step.key().equals(LoggerLevels.ROOT)
                    ? new ApiError(Errors.INVALID_REQUEST, "Removing the log level of the root logger is not allowed")
                    : null;
        }
        String level = step.value();
        return level == null || !LoggerLevels.LEVELS.contains(level.toUpperCase(Locale.ROOT))
                ? new ApiError(
                        Errors.INVALID_CONFIG,
                        "Cannot set the log level of " + step.key() + " to " + level + ": allowed are "
                                + String.join(", ", LoggerLevels.LEVELS) + ".")
                : null;
    }

    private void apply(ConfigEdit.Step step) {
        String level = step.value();
        if (step.type() == OpType.DELETE || level == null) {
            loggers.unset(step.key());
        } else {
            loggers.set(step.key(), level);
        }
    }
}
