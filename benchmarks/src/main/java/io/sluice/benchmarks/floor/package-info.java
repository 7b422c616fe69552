/**
 * A broker that answers and stores nothing: what is left when storage costs nothing, so the floor under every figure. Start with
 * {@link io.sluice.benchmarks.floor.FloorBroker}.
 */
@NullMarked
package io.sluice.benchmarks.floor;

import org.jspecify.annotations.NullMarked;
