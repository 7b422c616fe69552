package io.sluice.broker.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.FileRegion;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Sends answers to one connection: hands a part to the channel only while the channel is writable, file regions included,
 * and keeps the rest. What it and the channel hold in memory is counted in the response memory. On the event loop only.
 */
final class ResponseWriter {
    private final Channel channel;
    private final ResponseMemory memory;
    private final Peer peer;
    private final Queue<Object> queue = new ArrayDeque<>();
    private final Runnable scheduledFlush = this::flushScheduled;
    private long queuedMemoryBytes;
    private long regionBytesInChannel;
    private long countedBytes;
    private long handedOverBytes;
    private boolean flushScheduled;
    private boolean unflushed;
    private boolean inReadTurn;
    private boolean drainAwaited;
    private boolean closed;

    ResponseWriter(Channel channel, ResponseMemory memory, Peer peer) {
        this.channel = channel;
        this.memory = memory;
        this.peer = peer;
    }

    /** Takes over a part. It is sent with the next flush, which follows by itself. */
    void write(Object part) {
        int bytes = memoryBytes(part);
        if (queue.isEmpty() && channel.isWritable()) {
            handOver(part);
        } else {
            queue.add(part);
            queuedMemoryBytes += bytes;
        }
        if (!inReadTurn && !flushScheduled) {
            flushScheduled = true;
            channel.eventLoop().execute(scheduledFlush);
        }
    }

    private void flushScheduled() {
        flushScheduled = false;
        flush();
    }

    /** From here to {@link #endReadTurn} answers are gathered, and flushed together at its end. */
    void beginReadTurn() {
        inReadTurn = true;
    }

    /** Flushes what the turn's requests were answered with. */
    void endReadTurn() {
        inReadTurn = false;
        if (unflushed || !queue.isEmpty()) {
            flush();
        }
    }

    /** Sends as much as the channel takes. */
    void flush() {
        if (closed) {
            return;
        }
        flushChannel();
        while (!queue.isEmpty() && channel.isWritable()) {
            Object part = queue.remove();
            queuedMemoryBytes -= memoryBytes(part);
            handOver(part);
            if (queue.isEmpty() || !channel.isWritable()) {
                flushChannel();
            }
        }
        count();
    }

    private void flushChannel() {
        if (unflushed) {
            unflushed = false;
            channel.flush();
        }
    }

    private void handOver(Object part) {
        unflushed = true;
        if (part instanceof FileRegion region) {
            long bytes = region.count();
            handedOverBytes += bytes;
            regionBytesInChannel += bytes;
            peer.sent(bytes);
            channel.write(region).addListener(future -> regionBytesInChannel -= bytes);
        } else {
            int bytes = memoryBytes(part);
            handedOverBytes += bytes;
            peer.sent(bytes);
            ChannelFuture unused = channel.write(part, channel.voidPromise());
        }
    }

    /** Bytes that a part has on the wire. */
    static long sizeOf(Object part) {
        return part instanceof FileRegion region ? region.count() : memoryBytes(part);
    }

    private static int memoryBytes(Object part) {
        return part instanceof ByteBuf buffer ? buffer.readableBytes() : 0;
    }

    /** Brings the response memory up to date. */
    void count() {
        long now = closed ? 0 : pendingMemoryBytes();
        if (now != countedBytes) {
            memory.add(now - countedBytes);
            countedBytes = now;
        }
    }

    /** Memory of answers that the client has not taken. */
    long pendingMemoryBytes() {
        ChannelOutboundBuffer outbound = outbound();
        long inChannel = outbound == null ? 0 : outbound.totalPendingWriteBytes() - regionBytesInChannel;
        return queuedMemoryBytes + Math.max(0, inChannel);
    }

    /** Whether the client has taken so much that another answer may follow. */
    boolean isClear() {
        return queue.isEmpty() && channel.isWritable();
    }

    /** Whether the client has taken everything. */
    boolean isDrained() {
        ChannelOutboundBuffer outbound = outbound();
        return queue.isEmpty() && (outbound == null || outbound.isEmpty());
    }

    /** Calls the task when the client has taken everything handed to the channel so far. One such task at a time. */
    void awaitDrained(Runnable task) {
        if (!drainAwaited) {
            drainAwaited = true;
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(future -> {
                drainAwaited = false;
                count();
                task.run();
            });
        }
    }

    /** A figure that grows with every byte that the client takes, in no unit. */
    long progress() {
        ChannelOutboundBuffer outbound = outbound();
        return outbound == null
                ? handedOverBytes
                : handedOverBytes - outbound.totalPendingWriteBytes() + outbound.currentProgress();
    }

    private @Nullable ChannelOutboundBuffer outbound() {
        return channel.unsafe().outboundBuffer();
    }

    /** Releases what was not sent. */
    void close() {
        closed = true;
        queue.forEach(ReferenceCountUtil::release);
        queue.clear();
        queuedMemoryBytes = 0;
        count();
    }
}
