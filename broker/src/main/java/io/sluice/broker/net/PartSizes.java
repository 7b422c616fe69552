package io.sluice.broker.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.FileRegion;
import io.netty.channel.MessageSizeEstimator;

/**
 * Lets file regions count towards a channel's writability like memory does; Netty's own estimate of them is 0, which would
 * hand any number of them to a client that does not read.
 */
final class PartSizes implements MessageSizeEstimator {
    private static final Handle SIZES = part -> {
        if (part instanceof ByteBuf buffer) {
            return buffer.readableBytes();
        }
        return part instanceof FileRegion region ? (int) Math.min(Integer.MAX_VALUE, region.count()) : 0;
    };

    @Override
    public Handle newHandle() {
        return SIZES;
    }
}
