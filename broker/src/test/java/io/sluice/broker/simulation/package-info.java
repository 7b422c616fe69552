/**
 * A small world for handler tests: logs in memory whose flushes are made by hand, metadata that a test sets, calls that
 * record their answer. For one thread.
 */
@NullMarked
package io.sluice.broker.simulation;

import org.jspecify.annotations.NullMarked;
