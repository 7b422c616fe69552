/**
 * The metadata of one node: what is kept in files, and the picture of the cluster derived from it.
 *
 * <p>{@link io.sluice.storage.metadata.FileMetadataStore} holds versioned values in an append log and a snapshot (byte
 * tables: docs/formats/metadata.md). {@link io.sluice.storage.metadata.ClusterImages} watches it and hands out the
 * immutable image; {@link io.sluice.storage.metadata.TopicCatalogue} creates, changes and deletes topics; {@link
 * io.sluice.storage.metadata.PartitionLifecycle} opens and deletes logs as the image says. Everything that changes runs on
 * the metadata thread, the only one that waits for the disk here; everything that is read is immutable. Start with {@link
 * io.sluice.storage.metadata.TopicCatalogue}.
 */
@NullMarked
package io.sluice.storage.metadata;

import org.jspecify.annotations.NullMarked;
