package io.sluice.broker.fetch;

import io.netty.channel.DefaultFileRegion;
import io.netty.channel.FileRegion;
import io.sluice.storage.log.LogSlice;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Shares one slice among the file regions made of it: the slice is released when all of them are, and the lease itself.
 * Regions are released by the channel when they are sent, fail or are dropped. Safe on every thread.
 */
final class SliceLease {
    private final LogSlice slice;
    private final AtomicInteger holders = new AtomicInteger(1);

    /** Takes over the slice. */
    SliceLease(LogSlice slice) {
        this.slice = slice;
    }

    /** A region that keeps the slice until it is released. */
    FileRegion region(LogSlice.Piece.FileRegion piece) {
        holders.incrementAndGet();
        return new LeasedRegion(this, piece);
    }

    void release() {
        if (holders.decrementAndGet() == 0) {
            slice.release();
        }
    }

    /** Netty's own region closes the file at the end; this one gives it back to the slice. */
    private static final class LeasedRegion extends DefaultFileRegion {
        private final SliceLease lease;

        LeasedRegion(SliceLease lease, LogSlice.Piece.FileRegion piece) {
            super(piece.channel(), piece.position(), piece.length());
            this.lease = lease;
        }

        @Override
        protected void deallocate() {
            lease.release();
        }
    }
}
