/**
 * Executors. Start with {@link io.sluice.base.concurrent.SerialExecutor}.
 */
@NullMarked
package io.sluice.base.concurrent;

import org.jspecify.annotations.NullMarked;
