/**
 * Typed configuration: keys with one default, a check and a sentence; an unknown key is refused with the nearest one named.
 */
@NullMarked
package io.sluice.base.config;

import org.jspecify.annotations.NullMarked;
