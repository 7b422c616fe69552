/**
 * Frames and requests that no client would send, against the real process. Start reading at {@link io.sluice.testkit.fuzz.FuzzTest}.
 */
@NullMarked
package io.sluice.testkit.fuzz;

import org.jspecify.annotations.NullMarked;
