package io.sluice.storage.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.base.id.TopicId;
import io.sluice.base.metadata.ClusterImage;
import io.sluice.base.metadata.ClusterImageSource;
import io.sluice.base.metadata.TopicImage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DynamicConfigsTest {
    private final HandMadeImages images = new HandMadeImages();
    private final DynamicConfigs configs =
            new DynamicConfigs(Map.of("num.partitions", "3", "log.retention.ms", "10"), 1);

    @Test
    void thisNodesSettingWinsOverAllNodesOverTheFile() {
        configs.follow(images);
        assertThat(retentionMillis()).isEqualTo(10);
        images.set(Map.of("", Map.of("log.retention.ms", "20")));
        assertThat(retentionMillis()).isEqualTo(20);
        images.set(Map.of("", Map.of("log.retention.ms", "20"), "1", Map.of("log.retention.ms", "30")));
        assertThat(retentionMillis()).isEqualTo(30);
        images.set(Map.of("2", Map.of("log.retention.ms", "40")));
        assertThat(retentionMillis()).isEqualTo(10);
        assertThat(configs.current().values().get(TopicDefaultKeys.NUM_PARTITIONS))
                .isEqualTo(3);
    }

    @Test
    void listenersHearOnlyOfRealChanges() {
        configs.follow(images);
        List<String> heard = new ArrayList<>();
        configs.addListener((previous, current) -> heard.add(previous.topicDefaults()
                        .inherited() + " -> " + current.topicDefaults().inherited()));
        images.set(Map.of("7", Map.of("log.retention.ms", "20")));
        images.set(Map.of("1", Map.of("log.retention.ms", "20")));
        images.set(Map.of("1", Map.of("log.retention.ms", "20")));
        assertThat(heard).containsExactly("{retention.ms=10} -> {retention.ms=20}");
    }

    @Test
    void whatIsStoredAndContradictsTheFileIsLeftOutAndTheRestHolds() {
        DynamicConfigs bounded = new DynamicConfigs(Map.of("log.cleaner.max.compaction.lag.ms", "500"), 1);
        bounded.follow(images);
        images.set(Map.of(
                "", Map.of("log.cleaner.min.compaction.lag.ms", "1000", "log.retention.ms", "20"),
                "1", Map.of("log.retention.bytes", "30")));
        assertThat(bounded.current().topicDefaults().inherited())
                .isEqualTo(Map.of("max.compaction.lag.ms", "500", "retention.ms", "20", "retention.bytes", "30"));
    }

    private long retentionMillis() {
        return configs.current().topicDefaults().topicConfig(Map.of()).retentionMillis();
    }

    private static final class HandMadeImages implements ClusterImageSource {
        private final List<ImageListener> listeners = new ArrayList<>();
        private ClusterImage current = new ConfigImage(Map.of());

        void set(Map<String, Map<String, String>> brokerConfigs) {
            ClusterImage previous = current;
            current = new ConfigImage(brokerConfigs);
            listeners.forEach(listener -> listener.onImage(previous, current));
        }

        @Override
        public ClusterImage current() {
            return current;
        }

        @Override
        public void addListener(ImageListener listener) {
            listeners.add(listener);
            listener.onImage(current, current);
        }
    }

    private record ConfigImage(Map<String, Map<String, String>> brokerConfigs) implements ClusterImage {
        @Override
        public long version() {
            return 0;
        }

        @Override
        public String clusterId() {
            return "AAAAAAAAAAAAAAAAAAAAAA";
        }

        @Override
        public @Nullable TopicImage topic(String name) {
            return null;
        }

        @Override
        public @Nullable TopicImage topic(TopicId id) {
            return null;
        }

        @Override
        public Collection<TopicImage> topics() {
            return List.of();
        }

        @Override
        public Map<String, Map<String, String>> clientMetricsConfigs() {
            return Map.of();
        }

        @Override
        public Map<String, Map<String, String>> groupConfigs() {
            return Map.of();
        }
    }
}
