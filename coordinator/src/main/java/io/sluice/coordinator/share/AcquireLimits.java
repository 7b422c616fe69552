package io.sluice.coordinator.share;

/**
 * How much a member takes.
 *
 * @param maxRecords most offsets
 * @param strict whether that is a limit (record_limit of KIP-1206); else the last batch is taken whole (batch_optimized)
 */
public record AcquireLimits(int maxRecords, boolean strict) {}
