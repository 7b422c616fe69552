/**
 * Views over record batches (magic 2, KIP-98): read and changed in place, checked, iterated, built. Kafka's compression
 * streams are used inside; none of its types is in a public signature. A view, cursor or builder is for one thread at a
 * time. Start with {@link io.sluice.protocol.record.BatchView}.
 */
@NullMarked
package io.sluice.protocol.record;

import org.jspecify.annotations.NullMarked;
