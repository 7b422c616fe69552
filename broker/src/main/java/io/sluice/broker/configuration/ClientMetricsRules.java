package io.sluice.broker.configuration;

import io.sluice.base.config.ConfigException;
import io.sluice.storage.config.ClientMetricsKeys;
import io.sluice.storage.config.ClientMetricsSubscription;
import java.util.Map;
import org.apache.kafka.common.errors.InvalidRequestException;

/** What may be set on a subscription to clients' metrics, with Kafka's errors for what may not. */
final class ClientMetricsRules {
    private ClientMetricsRules() {}

    /**
     * Checks what is to be set.
     *
     * @throws InvalidRequestException for an unknown key or an interval out of range
     * @throws ConfigException for any other value that is not allowed
     */
    static void require(Map<String, String> wanted) {
        for (String key : wanted.keySet()) {
            if (ClientMetricsKeys.SCHEMA.find(key) == null) {
                throw new InvalidRequestException("Unknown client metrics configuration: " + key + "; there are "
                        + ClientMetricsKeys.METRICS.name() + ", " + ClientMetricsKeys.INTERVAL_MS.name() + " and "
                        + ClientMetricsKeys.MATCH.name() + ".");
            }
        }
        requireInterval(wanted);
        ClientMetricsSubscription.of(wanted);
    }

    private static void requireInterval(Map<String, String> wanted) {
        String text = wanted.get(ClientMetricsKeys.INTERVAL_MS.name());
        if (text == null) {
            return;
        }
        try {
            ClientMetricsKeys.INTERVAL_MS.parse(text);
        } catch (ConfigException e) {
            if (e.getCause() instanceof NumberFormatException) {
                throw e;
            }
            throw new InvalidRequestException(e.getMessage(), e);
        }
    }
}
