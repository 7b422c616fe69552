/**
 * The only places that read a clock or set a timer. Every other class gets a {@link io.sluice.base.time.Clock} and a {@link io.sluice.base.time.Scheduler} in its constructor.
 */
@NullMarked
package io.sluice.base.time;

import org.jspecify.annotations.NullMarked;
