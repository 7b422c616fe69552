/**
 * Kafka's group coordinator library, wired to our logs, clocks, metadata and ownership. The library keeps all group state
 * as records of {@code __consumer_offsets} and changes it only by replaying them; these classes give it a place to append
 * ({@link io.sluice.coordinator.library.LogPartitionWriter}), a way to reload ({@link
 * io.sluice.coordinator.library.LogLoader}), time that no wall-clock jump moves, and Kafka's kind of metadata image.
 *
 * <p>Threads: the library runs one thread of its own for all group events and at most one more for assignments handed off;
 * both start with the first use of a group. Loading and metadata updates run on the background executor handed in.
 * Start reading at {@link io.sluice.coordinator.library.LibraryGroups}.
 */
@NullMarked
package io.sluice.coordinator.library;

import org.jspecify.annotations.NullMarked;
