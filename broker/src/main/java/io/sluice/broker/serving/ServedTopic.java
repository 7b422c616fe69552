package io.sluice.broker.serving;

import io.sluice.base.id.PartitionId;
import io.sluice.base.metadata.TopicImage;
import io.sluice.base.metadata.TopicNames;
import io.sluice.protocol.record.BatchRules;
import io.sluice.protocol.record.CompressionCodec;
import io.sluice.storage.config.TopicConfig;
import io.sluice.storage.config.TopicDefaults;
import org.jspecify.annotations.Nullable;

/** One topic as the metadata has it, with everything resolved that a request needs. Immutable. */
public final class ServedTopic {
    private final TopicImage image;
    private final TopicDefaults defaults;
    private final PartitionId[] partitions;
    private final TopicConfig config;
    private final BatchRules rules;
    private final boolean internal;
    private final TopicSeries series;

    ServedTopic(TopicImage image, TopicDefaults defaults, TopicSeries series) {
        this.image = image;
        this.defaults = defaults;
        this.series = series;
        internal = TopicNames.isInternal(image.name());
        config = defaults.effectiveConfig(internal, image.configs());
        rules = rulesOf(config);
        partitions = new PartitionId[image.partitions().size()];
        for (int i = 0; i < partitions.length; i++) {
            partitions[i] = image.partitionId(i);
        }
    }

    private static BatchRules rulesOf(TopicConfig config) {
        CompressionCodec codec = CompressionCodec.named(config.compressionType());
        boolean ownLevel =
                codec == CompressionCodec.GZIP || codec == CompressionCodec.LZ4 || codec == CompressionCodec.ZSTD;
        return new BatchRules(
                config.maxBatchBytes(),
                codec,
                ownLevel ? (Integer) config.compressionLevel() : null,
                config.compacted(),
                config.logAppendTime(),
                config.timestampBeforeMaxMillis(),
                config.timestampAfterMaxMillis(),
                config.maxDecompressedBatchBytes());
    }

    @SuppressWarnings("ReferenceEquality") // images are immutable and kept while they stand: identity is the cheap test
    boolean isOf(TopicImage otherImage, TopicDefaults otherDefaults) {
        return image == otherImage && defaults == otherDefaults;
    }

    /** The topic in the metadata. */
    public TopicImage image() {
        return image;
    }

    /** The identity of a partition, or null where the topic has none of that number. */
    public @Nullable PartitionId partition(int number) {
        return number >= 0 && number < partitions.length ? partitions[number] : null;
    }

    /** Its settings, the node's defaults included. */
    public TopicConfig config() {
        return config;
    }

    /** What it demands of a producer's batch. */
    public BatchRules rules() {
        return rules;
    }

    /** Whether only coordinators may write to it. */
    public boolean internal() {
        return internal;
    }

    /** Where its traffic is counted. */
    public TopicSeries series() {
        return series;
    }
}
