/**
 * The load that a comparison drives brokers with: plain kafka-clients in a JVM of their own, so that client and broker can be
 * told apart. Start with {@link io.sluice.benchmarks.load.LoadDriver}.
 */
@NullMarked
package io.sluice.benchmarks.load;

import org.jspecify.annotations.NullMarked;
