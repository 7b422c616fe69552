/**
 * Groups and their offsets.
 */
@NullMarked
package io.sluice.coordinator;

import org.jspecify.annotations.NullMarked;
