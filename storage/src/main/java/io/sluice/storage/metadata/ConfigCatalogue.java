package io.sluice.storage.metadata;

import io.sluice.base.metadata.MetadataStore;
import io.sluice.base.metadata.MetadataStore.Entry;
import io.sluice.base.metadata.MetadataStore.MultiResult;
import io.sluice.base.metadata.MetadataStore.Operation;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

/**
 * Changes what is set dynamically on brokers, groups and subscriptions to clients' metrics. Wholly or not at all, durable and in the image when the stage
 * completes. Safe on every thread; stages complete on the metadata thread.
 */
public final class ConfigCatalogue {
    private static final int TRIES = 20;

    private final MetadataStore store;

    /** Ready at once. */
    public ConfigCatalogue(MetadataStore store) {
        this.store = store;
    }

    /**
     * Changes the settings of a node.
     *
     * @param node its id, or "" for all nodes
     * @param edit from the settings there are to those that shall be; what it throws fails the stage and changes nothing
     */
    public CompletionStage<Void> configureBroker(String node, UnaryOperator<Map<String, String>> edit) {
        return change(MetadataKeys.brokerConfig(node), TRIES, edit);
    }

    /** Changes the settings of a group, which need not exist. */
    public CompletionStage<Void> configureGroup(String group, UnaryOperator<Map<String, String>> edit) {
        return change(MetadataKeys.groupConfig(group), TRIES, edit);
    }

    /** Changes a subscription to clients' metrics; without settings there is none. */
    public CompletionStage<Void> configureClientMetrics(String subscription, UnaryOperator<Map<String, String>> edit) {
        return change(MetadataKeys.clientMetricsConfig(subscription), TRIES, edit);
    }

    private CompletionStage<Void> change(String key, int tries, UnaryOperator<Map<String, String>> edit) {
        return store.get(key).thenCompose(found -> {
            Map<String, String> now = found.map(entry -> MetadataValues.decodeTexts(entry.value()))
                    .orElse(Map.of());
            Map<String, String> wanted = edit.apply(now);
            if (wanted.equals(now)) {
                return CompletableFuture.completedFuture(null);
            }
            Operation operation = found.map(entry -> replace(entry, wanted))
                    .orElseGet(() -> new Operation.Create(key, MetadataValues.encodeTexts(wanted)));
            return store.multi(List.of(operation)).thenCompose(result -> settle(key, tries, edit, result));
        });
    }

    /** Where nothing is left, nothing is kept: there may be any number of groups. */
    private static Operation replace(Entry entry, Map<String, String> wanted) {
        return wanted.isEmpty()
                ? new Operation.Delete(entry.key(), entry.version())
                : new Operation.Set(entry.key(), MetadataValues.encodeTexts(wanted), entry.version());
    }

    private CompletionStage<Void> settle(
            String key, int tries, UnaryOperator<Map<String, String>> edit, MultiResult result) {
        if (result instanceof MultiResult.Applied) {
            return CompletableFuture.completedFuture(null);
        }
        boolean tooLarge = ((MultiResult.Refused) result).reason() == MetadataStore.Reason.TOO_LARGE;
        if (tooLarge || tries <= 1) {
            return CompletableFuture.failedFuture(new IOException(
                    tooLarge
                            ? "the settings under " + key + " are too large"
                            : key + " keeps being changed by others"));
        }
        return change(key, tries - 1, edit);
    }
}
