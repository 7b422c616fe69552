/**
 * Real processes, real clients, a real Kafka.
 */
@NullMarked
package io.sluice.testkit;

import org.jspecify.annotations.NullMarked;
