/**
 * Questions about offsets: ListOffsets and OffsetForLeaderEpoch, one handler each. A request's state belongs to its
 * connection's event loop.
 */
@NullMarked
package io.sluice.broker.offset;

import org.jspecify.annotations.NullMarked;
