/**
 * Puts the handlers together that move records: Produce, Fetch, ListOffsets, OffsetForLeaderEpoch, InitProducerId.
 */
@NullMarked
package io.sluice.broker.records;

import org.jspecify.annotations.NullMarked;
