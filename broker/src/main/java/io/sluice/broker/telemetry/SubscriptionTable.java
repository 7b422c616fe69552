package io.sluice.broker.telemetry;

import io.sluice.base.config.ConfigException;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.storage.config.ClientMetricsSubscription;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The subscriptions as the image has them, read once for each change of them. Safe on every thread. */
final class SubscriptionTable {
    private static final Logger LOG = LoggerFactory.getLogger(SubscriptionTable.class);

    private final ClusterImageSource images;
    private volatile Edition current = new Edition(0, Map.of(), List.of());

    SubscriptionTable(ClusterImageSource images) {
        this.images = images;
    }

    /**
     * The subscriptions at one time.
     *
     * @param number grows with every change
     * @param texts what they were read from
     */
    record Edition(long number, Map<String, Map<String, String>> texts, List<ClientMetricsSubscription> subscriptions) {
        Assignment assign(ClientAttributes client) {
            return Assignment.of(
                    client.instanceId(),
                    subscriptions.stream().filter(client::matches).toList());
        }
    }

    Edition current() {
        Map<String, Map<String, String>> texts = images.current().clientMetricsConfigs();
        Edition known = current;
        return known.texts() == texts ? known : refresh();
    }

    private synchronized Edition refresh() {
        Map<String, Map<String, String>> texts = images.current().clientMetricsConfigs();
        if (current.texts() != texts) {
            boolean same = current.texts().equals(texts);
            current =
                    new Edition(current.number() + (same ? 0 : 1), texts, same ? current.subscriptions() : read(texts));
        }
        return current;
    }

    private static List<ClientMetricsSubscription> read(Map<String, Map<String, String>> all) {
        List<ClientMetricsSubscription> subscriptions = new ArrayList<>();
        all.forEach((name, texts) -> {
            try {
                subscriptions.add(ClientMetricsSubscription.of(texts));
            } catch (ConfigException e) {
                LOG.atWarn()
                        .addKeyValue("subscription", name)
                        .addKeyValue("reason", e.getMessage())
                        .log("a subscription to client metrics cannot be read and is left out");
            }
        });
        return List.copyOf(subscriptions);
    }
}
