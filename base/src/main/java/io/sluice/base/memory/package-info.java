/**
 * Direct memory, counted in one place and refused before its limit.
 */
@NullMarked
package io.sluice.base.memory;

import org.jspecify.annotations.NullMarked;
