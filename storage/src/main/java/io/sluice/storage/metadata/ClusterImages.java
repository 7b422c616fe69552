package io.sluice.storage.metadata;

import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.MetadataStore;
import io.sluice.base.metadata.MetadataStore.Entry;
import io.sluice.base.metadata.MetadataStore.WatchListener;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the image of a metadata store up to date through one watch. What became durable together arrives as one image.
 *
 * <p>{@link #current} is safe on every thread; everything else happens on the metadata thread.
 */
public final class ClusterImages implements ClusterImageSource {
    private final MetadataStore store;
    private final Executor metadataThread;
    private final List<ImageListener> listeners = new CopyOnWriteArrayList<>();
    private final CompletableFuture<Void> loaded = new CompletableFuture<>();
    private volatile StoredClusterImage current;

    /**
     * An empty image; call {@link #load}.
     *
     * @param metadataThread the store's own
     * @param clusterId 22 characters
     */
    public ClusterImages(MetadataStore store, Executor metadataThread, String clusterId) {
        this.store = store;
        this.metadataThread = metadataThread;
        this.current = StoredClusterImage.empty(clusterId);
    }

    /** Starts to watch; the stage completes when the image holds everything that was in the store. */
    public CompletionStage<Void> load() {
        store.watch("/", new StoreListener());
        return loaded;
    }

    @Override
    public ClusterImage current() {
        return current;
    }

    @Override
    public void addListener(ImageListener listener) {
        metadataThread.execute(() -> {
            listeners.add(listener);
            StoredClusterImage image = current;
            WatchList.shielded(() -> listener.onImage(image, image));
        });
    }

    private void publish(StoredClusterImage.Builder builder) {
        if (builder.isUnchanged()) {
            return;
        }
        StoredClusterImage previous = current;
        StoredClusterImage next = builder.build();
        current = next;
        for (ImageListener listener : listeners) {
            WatchList.shielded(() -> listener.onImage(previous, next));
        }
    }

    private final class StoreListener implements WatchListener {
        private StoredClusterImage.@Nullable Builder builder;
        private @Nullable Set<String> toldAgain;

        @Override
        public void onRestart() {
            builder = null;
            toldAgain = new HashSet<>();
        }

        @Override
        public void onPut(Entry entry) {
            String key = entry.key();
            if (toldAgain != null) {
                toldAgain.add(key);
            }
            if (key.startsWith(MetadataKeys.TOPICS)) {
                String name = key.substring(MetadataKeys.TOPICS.length());
                builder().putTopic(MetadataValues.decodeTopic(name, entry.value()));
            } else if (key.startsWith(MetadataKeys.BROKER_CONFIGS)) {
                builder().putBrokerConfigs(MetadataKeys.node(key), MetadataValues.decodeTexts(entry.value()));
            } else if (key.startsWith(MetadataKeys.GROUP_CONFIGS)) {
                builder().putGroupConfigs(MetadataKeys.group(key), MetadataValues.decodeTexts(entry.value()));
            } else if (key.startsWith(MetadataKeys.CLIENT_METRICS_CONFIGS)) {
                builder()
                        .putClientMetricsConfigs(
                                MetadataKeys.subscription(key), MetadataValues.decodeTexts(entry.value()));
            }
        }

        @Override
        public void onDelete(String key) {
            if (key.startsWith(MetadataKeys.TOPICS)) {
                builder().removeTopic(key.substring(MetadataKeys.TOPICS.length()));
            } else if (key.startsWith(MetadataKeys.BROKER_CONFIGS)) {
                builder().putBrokerConfigs(MetadataKeys.node(key), Map.of());
            } else if (key.startsWith(MetadataKeys.GROUP_CONFIGS)) {
                builder().putGroupConfigs(MetadataKeys.group(key), Map.of());
            } else if (key.startsWith(MetadataKeys.CLIENT_METRICS_CONFIGS)) {
                builder().putClientMetricsConfigs(MetadataKeys.subscription(key), Map.of());
            }
        }

        @Override
        public void onCurrent() {
            if (toldAgain != null) {
                forgetAllBut(toldAgain);
                toldAgain = null;
            }
            if (builder != null) {
                publish(builder);
                builder = null;
            }
            loaded.complete(null);
        }

        /** After a session that was lost: what was not told again has gone meanwhile. */
        private void forgetAllBut(Set<String> keys) {
            StoredClusterImage image = current;
            image.topics().stream()
                    .map(topic -> MetadataKeys.topic(topic.name()))
                    .filter(key -> !keys.contains(key))
                    .forEach(this::onDelete);
            image.brokerConfigs().keySet().stream()
                    .map(MetadataKeys::brokerConfig)
                    .filter(key -> !keys.contains(key))
                    .forEach(this::onDelete);
            image.groupConfigs().keySet().stream()
                    .map(MetadataKeys::groupConfig)
                    .filter(key -> !keys.contains(key))
                    .forEach(this::onDelete);
            image.clientMetricsConfigs().keySet().stream()
                    .map(MetadataKeys::clientMetricsConfig)
                    .filter(key -> !keys.contains(key))
                    .forEach(this::onDelete);
        }

        private StoredClusterImage.Builder builder() {
            if (builder == null) {
                builder = new StoredClusterImage.Builder(current);
            }
            return builder;
        }
    }
}
