/** Keeps record batches: the seam in {@code log}, the local engine behind it. Knows no sockets and no requests. */
@NullMarked
package io.sluice.storage;

import org.jspecify.annotations.NullMarked;
