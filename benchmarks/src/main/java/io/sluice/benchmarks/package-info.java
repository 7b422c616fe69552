/**
 * Measures against Kafka.
 */
@NullMarked
package io.sluice.benchmarks;

import org.jspecify.annotations.NullMarked;
