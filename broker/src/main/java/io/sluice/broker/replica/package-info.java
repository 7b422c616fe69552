/**
 * Who leads and copies partitions, as administrators ask and change it. Where a partition has one copy, on its owner, there is
 * nothing to elect and nowhere to move it, and the answers say so as Kafka's do. Handlers run on event loops. Start reading at
 * {@link io.sluice.broker.replica.ElectLeadersHandler}.
 */
@NullMarked
package io.sluice.broker.replica;

import org.jspecify.annotations.NullMarked;
