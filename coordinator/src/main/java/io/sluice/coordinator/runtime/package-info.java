/**
 * What every coordinator stands on: Kafka's coordinator runtime library, wired to our logs, clocks, metadata and ownership.
 * The runtime keeps all state of a coordinator as records of an internal topic and changes it only by replaying them; these
 * classes give it a place to append ({@link io.sluice.coordinator.runtime.LogPartitionWriter}), a way to reload ({@link
 * io.sluice.coordinator.runtime.LogLoader}), time that no wall-clock jump moves, and a life ({@link
 * io.sluice.coordinator.runtime.CoordinatorLife}).
 *
 * <p>Threads: a coordinator runs one thread of its own for all its events; it starts with the first use. Loading and
 * metadata updates run on the background executor handed in. Start reading at {@link
 * io.sluice.coordinator.runtime.CoordinatorLife}.
 */
@NullMarked
package io.sluice.coordinator.runtime;

import org.jspecify.annotations.NullMarked;
