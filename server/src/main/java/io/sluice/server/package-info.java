/**
 * Wires one node together by hand.
 */
@NullMarked
package io.sluice.server;

import org.jspecify.annotations.NullMarked;
