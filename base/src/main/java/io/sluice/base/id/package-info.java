/**
 * Identities of topics and partitions. Immutable values, safe on every thread.
 */
@NullMarked
package io.sluice.base.id;

import org.jspecify.annotations.NullMarked;
