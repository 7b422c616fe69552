package io.sluice.broker.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.sluice.base.memory.MemoryExhaustedException;
import io.sluice.protocol.frame.FrameAssembler;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's connection: bytes become frames, frames calls, answers bytes again, in order. {@link ConnectionState} has
 * the picture of its life. The socket is read one buffer at a time and only while the next frame can be put to use: nothing
 * queues up here but what was in that buffer.
 *
 * <p>A call starts when all before it have been answered, or when all in flight are of its own API and that is pipelined.
 * None starts while the client has not taken enough of its earlier answers. On the event loop only.
 */
final class ServerConnection extends ChannelInboundHandlerAdapter implements CheckWheel.Entry {
    private static final Logger LOG = LoggerFactory.getLogger(ServerConnection.class);
    private static final int MAX_CALLS_IN_FLIGHT = 64;
    private static final int BYTES_A_READ_WHEN_EXHAUSTED = 512;
    private static final int SCARCE_PARTS = 6;
    private static final long MEMORY_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Front front;
    private final LoopState loopState;
    private final Peer peer;
    private final Channel channel;
    private final RequestLease lease;
    private final FrameAssembler assembler;
    private final ResponseWriter writer;
    private final CallStarter starter;
    private final Deque<PendingCall> calls = new ArrayDeque<>();
    private ConnectionState state = new ConnectionState.Serving();

    /** Received and not cut into frames yet: the buffer being read, or a copy of its end, or empty. */
    private ByteBuf input = Unpooled.EMPTY_BUFFER;

    private boolean inputOwned;
    private boolean receivingInPlace;
    private boolean frameWaits;
    private boolean pumping;
    private boolean readRequested;
    private long receivedNanos;
    private long activeNanos;
    private long assemblyNanos;
    private long stallNanos;
    private long stallMark;

    ServerConnection(Front front, LoopState loopState, Peer peer, Channel channel) {
        this.front = front;
        this.loopState = loopState;
        this.peer = peer;
        this.channel = channel;
        this.lease = new RequestLease(front.requestMemory, front.allocator, loopState.loop());
        this.assembler = new FrameAssembler(lease, front);
        this.writer = new ResponseWriter(channel, front.responseMemory, peer);
        this.starter = new CallStarter(front, this, lease, assembler);
        long now = front.clock.nanoTime();
        this.receivedNanos = now;
        this.activeNanos = now;
        this.assemblyNanos = now;
        this.stallNanos = now;
    }

    Peer peer() {
        return peer;
    }

    EventLoop loop() {
        return loopState.loop();
    }

    /** Runs a task on the event loop, at once if this is it. */
    void onLoop(Runnable task) {
        if (loop().inEventLoop()) {
            task.run();
        } else {
            loop().execute(task);
        }
    }

    // ---- what the channel reports

    @Override
    public void channelActive(ChannelHandlerContext context) {
        loopState.wheel().add(this);
        maybeRead();
    }

    /** Where the transport is to put what it receives next. */
    ByteBuf receiveSpace() {
        ByteBuf space = assembler.space();
        receivingInPlace = space != null;
        if (space != null) {
            return space;
        }
        return front.requestMemory.isExhausted() ? loopState.scratch(BYTES_A_READ_WHEN_EXHAUSTED) : loopState.scratch();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf received = (ByteBuf) message;
        readRequested = false;
        receivedNanos = front.clock.nanoTime();
        activeNanos = receivedNanos;
        peer.received(received.readableBytes());
        writer.beginReadTurn();
        try {
            if (receivingInPlace) {
                assembler.received(received.readableBytes());
                pump();
            } else if (input.isReadable()) {
                keep(received);
                pump();
            } else {
                pumpBorrowed(received);
                keep(received);
            }
        } finally {
            receivingInPlace = false;
            received.release();
        }
    }

    private void pumpBorrowed(ByteBuf received) {
        dropInput();
        input = received;
        try {
            pump();
        } finally {
            input = Unpooled.EMPTY_BUFFER;
        }
    }

    /** Copies what is left of the shared buffer behind what is left from before. */
    private void keep(ByteBuf received) {
        if (!received.isReadable() || state instanceof ConnectionState.Closed) {
            return;
        }
        assembler.forgetView();
        ByteBuf kept = lease.take(input.readableBytes() + received.readableBytes());
        kept.writeBytes(input).writeBytes(received);
        dropInput();
        input = kept;
        inputOwned = true;
    }

    private void dropInput() {
        if (inputOwned) {
            lease.giveBack(input);
            input = Unpooled.EMPTY_BUFFER;
            inputOwned = false;
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        writer.endReadTurn();
        maybeRead();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (channel.isWritable()) {
            writer.flush();
            pump();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        state = state.toClosed();
        assembler.close();
        dropInput();
        lease.close();
        front.requestHeap.cancel(this);
        writer.close();
        calls.forEach(this::abandon);
        calls.clear();
        peer.takeCloseTasks().forEach(this::runCloseTask);
        front.table.remove(this);
    }

    /** A call in flight keeps its frame until its handler answers; the rest goes now. */
    private void abandon(PendingCall call) {
        front.responseMemory.add(-call.takeReservation());
        PendingCall.Answer answer = call.answer();
        if (answer != null) {
            PendingCall.releaseParts(answer);
        }
    }

    @SuppressWarnings("checkstyle:IllegalCatch") // one task's defect must not keep the others from running
    private void runCloseTask(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            LOG.atError().setCause(e).log("A task for the end of a connection failed");
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof IOException) {
            // The client reset the connection: nothing to tell.
            ChannelFuture unused = channel.close();
        } else if (cause instanceof MemoryExhaustedException) {
            close(CloseReason.NO_MEMORY, "for a request");
        } else {
            LOG.atError()
                    .addKeyValue("client", peer.remoteAddress())
                    .setCause(cause)
                    .log("A connection failed");
            close(CloseReason.DEFECT, "");
        }
    }

    // ---- requests

    /** Starts what can start, then reads if more is wanted. */
    private void pump() {
        if (pumping) {
            return;
        }
        pumping = true;
        try {
            frameWaits = false;
            while (state instanceof ConnectionState.Serving && startNext()) {}
        } catch (MemoryExhaustedException e) {
            close(CloseReason.NO_MEMORY, "for a request");
        } finally {
            pumping = false;
        }
        if (!input.isReadable()) {
            dropInput();
        }
        maybeRead();
    }

    private boolean startNext() {
        boolean assemblingBefore = assembler.isAssembling();
        switch (assembler.advance(input)) {
            case NEED_BYTES -> {
                assemblyNanos = assemblingBefore ? assemblyNanos : activeNanos;
                return false;
            }
            case NEED_MEMORY -> {
                awaitMemory();
                return false;
            }
            case BAD_SIZE -> {
                close(CloseReason.BAD_FRAME, "");
                return false;
            }
            default -> {
                return startFrame();
            }
        }
    }

    private boolean startFrame() {
        PendingCall latest = calls.peekLast();
        ServedApi api = starter.identify();
        if (api == null) {
            return false;
        }
        boolean inTurn =
                latest == null || (api.isPipelined() && latest.api() == api && calls.size() < MAX_CALLS_IN_FLIGHT);
        if (!inTurn || !hasTakenEnough()) {
            frameWaits = true;
            return false;
        }
        if (!front.requestHeap.admits(this, assembler.frame().readableBytes())) {
            awaitHeap();
            return false;
        }
        PendingCall call = starter.decode(api, input, receivedNanos);
        front.requestHeap.endAdmission(this);
        if (call == null) {
            return false;
        }
        calls.add(call);
        starter.dispatch(call);
        return true;
    }

    /** Whether the client has taken so much of its answers that it may have another. */
    private boolean hasTakenEnough() {
        if (!writer.isClear() || writer.pendingMemoryBytes() >= front.maxPendingBytes) {
            return false;
        }
        if (front.responseMemory.isShort() && !writer.isDrained()) {
            writer.awaitDrained(this::pump);
            return false;
        }
        return true;
    }

    /** Stops reading until the frame under assembly may grow. */
    private void awaitMemory() {
        hold(Hold.MEMORY);
        if (lease.wasAllocatorEmpty()) {
            front.scheduler.schedule(() -> release(Hold.MEMORY), MEMORY_RETRY_NANOS, loop());
        } else {
            lease.await(assembler.missingBytes(), () -> release(Hold.MEMORY));
        }
    }

    /** Stops reading until the frame that is there may be decoded. */
    private void awaitHeap() {
        hold(Hold.HEAP);
        front.requestHeap.await(this, loop(), this::onHeapAdmitted);
    }

    /** Where the frame cannot be put to use just then, others go first. */
    private void onHeapAdmitted() {
        release(Hold.HEAP);
        front.requestHeap.endAdmission(this);
    }

    private void maybeRead() {
        if (!readRequested && !frameWaits && writer.isClear() && state instanceof ConnectionState.Serving) {
            readRequested = true;
            channel.read();
        }
    }

    // ---- answers

    /** A call was answered: sends what is next in order. */
    void onAnswered(PendingCall call, PendingCall.Answer answer) {
        ByteBuf frame = call.takeFrame();
        if (frame != null) {
            lease.endCall(frame);
        }
        releaseRequest(call);
        if (state instanceof ConnectionState.Closed) {
            front.responseMemory.add(-call.takeReservation());
            PendingCall.releaseParts(answer);
            return;
        }
        call.setAnswer(answer);
        PendingCall head = calls.peek();
        while (head != null && head.answer() != null && !(state instanceof ConnectionState.Closed)) {
            calls.remove();
            starter.send(head, writer);
            head = calls.peek();
        }
        maybeFinishDraining();
        pump();
    }

    /** The call's request takes no heap any more. */
    void releaseRequest(PendingCall call) {
        lease.endHeapCall(call.takeHeapBytes());
        front.requestHeap.release(call.takeDecodedBytes());
    }

    int reserveResponse(int wantedBytes) {
        long room = front.maxPendingBytes - writer.pendingMemoryBytes();
        return room <= 0 ? 0 : front.responseMemory.reserve((int) Math.min(wantedBytes, room));
    }

    void releaseResponse(int reservedBytes) {
        front.responseMemory.add(-reservedBytes);
    }

    /** Reads nothing for a while. */
    void mute(int millis) {
        hold(Hold.MUTED);
        front.scheduler.schedule(() -> release(Hold.MUTED), TimeUnit.MILLISECONDS.toNanos(millis), loop());
    }

    // ---- life

    void hold(Hold hold) {
        if (state instanceof ConnectionState.Serving serving) {
            state = serving.toHeld(hold);
        } else if (state instanceof ConnectionState.Held held) {
            state = held.toHeld(hold);
        }
    }

    void release(Hold hold) {
        if (state instanceof ConnectionState.Held held) {
            state = held.toReleased(hold);
            assemblyNanos = lease.wasAllocatorEmpty() ? assemblyNanos : front.clock.nanoTime();
            pump();
        }
    }

    /** Starts nothing more and closes when everything in flight has been answered and sent. */
    void drain() {
        if (state instanceof ConnectionState.Serving serving) {
            state = serving.toDraining();
        } else if (state instanceof ConnectionState.Held held) {
            state = held.toDraining();
        }
        maybeFinishDraining();
    }

    private void maybeFinishDraining() {
        if (state instanceof ConnectionState.Draining && calls.isEmpty() && writer.isClear()) {
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        }
    }

    /** Closes at once and says why. */
    void close(CloseReason reason, String detail) {
        if (!(state instanceof ConnectionState.Closed)) {
            state = state.toClosed();
            front.log.onClose(peer.remoteAddress(), peer.listenerName(), reason, detail);
            writer.flush();
            ChannelFuture unused = channel.close();
        }
    }

    @Override
    public boolean check(long nowNanos) {
        if (state instanceof ConnectionState.Closed) {
            return false;
        }
        writer.count();
        checkStalled(nowNanos);
        checkSlowRequest(nowNanos);
        checkIdle(nowNanos);
        maybeFinishDraining();
        return true;
    }

    private void checkStalled(long nowNanos) {
        long mark = writer.progress();
        if (writer.isDrained() || mark != stallMark) {
            stallMark = mark;
            stallNanos = nowNanos;
            activeNanos = writer.isDrained() ? activeNanos : nowNanos;
            return;
        }
        long limit = front.responseMemory.isScarce() ? front.stallNanos / SCARCE_PARTS : front.stallNanos;
        if (nowNanos - stallNanos >= limit) {
            close(
                    CloseReason.NOT_READING,
                    writer.pendingMemoryBytes() + " bytes pending, none taken for "
                            + TimeUnit.NANOSECONDS.toMillis(nowNanos - stallNanos) + " ms");
        }
    }

    private void checkSlowRequest(long nowNanos) {
        if (!assembler.isAssembling() || nowNanos - assemblyNanos < front.assemblyNanos) {
            return;
        }
        if (lease.wasAllocatorEmpty()) {
            close(CloseReason.NO_MEMORY, "for a request");
        } else if (state instanceof ConnectionState.Serving && front.requestMemory.waiting() > 0) {
            close(CloseReason.SLOW_REQUEST, "");
        }
    }

    private void checkIdle(long nowNanos) {
        if (calls.isEmpty() && writer.isDrained() && nowNanos - activeNanos >= front.idleNanos) {
            close(CloseReason.IDLE, "");
        }
    }
}
