/**
 * Errors that a person reads: which thing, which value, what is allowed, what to do.
 */
@NullMarked
package io.sluice.base.error;

import org.jspecify.annotations.NullMarked;
