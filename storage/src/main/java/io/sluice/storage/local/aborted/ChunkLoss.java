package io.sluice.storage.local.aborted;

/**
 * Why what a chunk holds is not known until the next start.
 *
 * @param why names the file
 * @param fileMissing whether there is none
 */
public record ChunkLoss(String why, boolean fileMissing) {}
