package io.sluice.base.metadata;

/**
 * One partition as the metadata has it.
 *
 * @param partition number inside the topic
 * @param logId numeric id of its log, never used again after deletion
 */
public record PartitionImage(int partition, long logId) {}
