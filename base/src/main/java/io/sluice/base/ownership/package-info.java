/**
 * Who serves a partition now, and under which leader epoch. Every handler and coordinator asks here.
 */
@NullMarked
package io.sluice.base.ownership;

import org.jspecify.annotations.NullMarked;
