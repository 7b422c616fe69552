package io.sluice.broker.share;

import io.sluice.base.id.PartitionId;

/** A partition as one group consumes it. */
record ShareKey(String groupId, PartitionId partition) {}
