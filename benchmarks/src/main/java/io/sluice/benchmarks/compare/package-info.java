/**
 * Starts Kafka and Sluice in turn on this machine, drives both with the same load in the same order, and prints their figures
 * side by side. Start with {@link io.sluice.benchmarks.compare.Compare}.
 */
@NullMarked
package io.sluice.benchmarks.compare;

import org.jspecify.annotations.NullMarked;
