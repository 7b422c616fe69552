package io.sluice.storage.log;

import io.netty.buffer.ByteBuf;
import io.sluice.protocol.record.BatchView;

/** Appends as who has asked the coordinator: what begins a transaction is verified first. */
public final class VerifiedAppend {
    private VerifiedAppend() {}

    /** Appends under the log's own epoch. */
    public static AppendResult append(PartitionLog log, ByteBuf batch, AppendOrigin origin) {
        return log.append(batch, log.leaderEpoch(), origin, guardOf(log, new BatchView().wrap(batch)));
    }

    private static long guardOf(PartitionLog log, BatchView view) {
        return view.isTransactional() && !view.isControl()
                ? log.beginVerification(view.producerId(), view.producerEpoch(), view.baseSequence(), false)
                : PartitionLog.NO_GUARD;
    }
}
