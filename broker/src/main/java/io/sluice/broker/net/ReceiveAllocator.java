package io.sluice.broker.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * Tells Netty where to put what it receives for one connection: into the frame under assembly, or into the event loop's
 * shared buffer. One read a turn: the connection asks for the next when it wants one.
 */
final class ReceiveAllocator implements RecvByteBufAllocator {
    private final ServerConnection connection;

    ReceiveAllocator(ServerConnection connection) {
        this.connection = connection;
    }

    @Override
    @SuppressWarnings("deprecation") // the transports still ask for this type
    public Handle newHandle() {
        return new OneRead(connection);
    }

    private static final class OneRead implements ExtendedHandle {
        private final ServerConnection connection;
        private int lastBytes;
        private int attemptedBytes;

        OneRead(ServerConnection connection) {
            this.connection = connection;
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator unused) {
            return connection.receiveSpace();
        }

        @Override
        public int guess() {
            return LoopState.SCRATCH_BYTES;
        }

        @Override
        public void reset(ChannelConfig config) {
            lastBytes = 0;
        }

        @Override
        public void incMessagesRead(int count) {}

        @Override
        public void lastBytesRead(int bytes) {
            lastBytes = bytes;
        }

        @Override
        public int lastBytesRead() {
            return lastBytes;
        }

        @Override
        public void attemptedBytesRead(int bytes) {
            attemptedBytes = bytes;
        }

        @Override
        public int attemptedBytesRead() {
            return attemptedBytes;
        }

        @Override
        public boolean continueReading() {
            return false;
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMore) {
            return false;
        }

        @Override
        public void readComplete() {}
    }
}
