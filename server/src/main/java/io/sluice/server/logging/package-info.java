/**
 * The node's own log: quiet until {@link io.sluice.server.logging.Logging} sets it up. Lines are a constant message and
 * keys with values.
 */
@NullMarked
package io.sluice.server.logging;

import org.jspecify.annotations.NullMarked;
