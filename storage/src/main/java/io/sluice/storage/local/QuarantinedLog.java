package io.sluice.storage.local;

/**
 * A log with places that are not served, because the records there are missing or damaged.
 *
 * @param name of the partition, for people
 * @param ranges how many such places, at least one
 */
public record QuarantinedLog(String name, int ranges) {}
