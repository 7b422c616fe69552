package io.sluice.broker.net;

import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCountUtil;
import io.sluice.broker.api.Call;
import io.sluice.broker.api.Connection;
import io.sluice.protocol.frame.DecodedRequest;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.jspecify.annotations.Nullable;

/**
 * A call in flight. The fields below the line belong to the event loop; answering is safe on every thread, and what was
 * answered is handed over to the loop.
 */
final class PendingCall implements Call<AbstractRequest> {
    private static final VarHandle ANSWERED;

    static {
        try {
            ANSWERED = MethodHandles.lookup().findVarHandle(PendingCall.class, "answered", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final ServerConnection owner;
    private final ServedApi api;
    private final RequestHeader header;
    private final short answerVersion;
    private final long receivedNanos;
    private volatile int throttleMillis;

    @SuppressWarnings("unused") // through ANSWERED
    private volatile boolean answered;

    // ---- event loop only
    private @Nullable AbstractRequest request;
    private @Nullable ByteBuf frame;
    private int heapBytes;
    private long decodedBytes;
    private @Nullable Answer answer;
    private int reservedBytes;

    /** What a call was answered with. */
    sealed interface Answer {
        /** A response still to be encoded. */
        record Response(AbstractResponse response) implements Answer {}

        /** A body encoded already; owned by the answer. */
        record Encoded(List<Object> parts) implements Answer {}

        /** No bytes. */
        record Nothing() implements Answer {}

        /** The end of the connection. */
        record Close(CloseReason reason, String detail) implements Answer {}
    }

    /**
     * A call that begins.
     *
     * @param frame what the request's buffers point into, given back when the call is answered; null if they point nowhere
     * @param heapBytes the size of a request that was read onto the heap; 0 where there is a frame
     * @param receivedNanos when its last byte arrived
     */
    PendingCall(
            ServerConnection owner,
            ServedApi api,
            DecodedRequest decoded,
            @Nullable ByteBuf frame,
            int heapBytes,
            long receivedNanos) {
        this.owner = owner;
        this.api = api;
        this.header = decoded.header();
        this.request = decoded.body();
        this.answerVersion = decoded.body().version();
        this.frame = frame;
        this.heapBytes = heapBytes;
        this.decodedBytes = api.waitsForOthers() ? 0 : RequestHeap.counted(decoded.heapBytes());
        this.receivedNanos = receivedNanos;
    }

    @Override
    public AbstractRequest request() {
        AbstractRequest known = request;
        if (known == null) {
            throw new IllegalStateException("the request was let go");
        }
        return known;
    }

    /** The request, unless the handler has let go of it. */
    @Nullable AbstractRequest requestIfKept() {
        return request;
    }

    /** The version to answer in: the request's, but for an ApiVersions of a version that is not served. */
    short answerVersion() {
        return answerVersion;
    }

    @Override
    public ByteBuf keep(ByteBuffer part) {
        ByteBuf kept = frame;
        if (kept == null) {
            throw new IllegalStateException("the call was answered, or its request points into no frame");
        }
        return new FramePart(kept, part);
    }

    @Override
    public RequestHeader header() {
        return header;
    }

    @Override
    public Connection connection() {
        return owner.peer();
    }

    @Override
    public Executor executor() {
        return owner.loop();
    }

    @Override
    public long receivedNanos() {
        return receivedNanos;
    }

    @Override
    public void respond(AbstractResponse response) {
        finish(new Answer.Response(response));
    }

    @Override
    public void respondEncoded(List<Object> parts) {
        finish(new Answer.Encoded(parts));
    }

    @Override
    public void respondNothing() {
        finish(new Answer.Nothing());
    }

    @Override
    public void closeConnection(String reason) {
        finish(new Answer.Close(CloseReason.HANDLER, reason));
    }

    private void finish(Answer given) {
        if (!tryFinish(given)) {
            releaseParts(given);
            throw new IllegalStateException("a call of " + api.api() + " was answered twice");
        }
    }

    /** Answers unless that has happened already. */
    boolean tryFinish(Answer given) {
        if (!ANSWERED.compareAndSet(this, false, true)) {
            return false;
        }
        if (owner.loop().inEventLoop()) {
            owner.onAnswered(this, given);
            return true;
        }
        try {
            owner.loop().execute(() -> owner.onAnswered(this, given));
        } catch (RejectedExecutionException e) {
            // The node has stopped and the loop with it: nobody is left to send to.
            releaseParts(given);
        }
        return true;
    }

    @Override
    public int reserveResponse(int wantedBytes) {
        int granted = owner.reserveResponse(wantedBytes);
        reservedBytes += granted;
        return granted;
    }

    @Override
    public void releaseResponse() {
        owner.releaseResponse(takeReservation());
    }

    @Override
    public void forgetRequest() {
        request = null;
        owner.releaseRequest(this);
    }

    @Override
    public void throttle(int millis) {
        throttleMillis = millis;
    }

    @Override
    public void countError(Errors error) {
        api.countError(error);
    }

    @Override
    public void suspendConnection() {
        owner.onLoop(() -> owner.hold(Hold.SUSPENDED));
    }

    @Override
    public void resumeConnection() {
        owner.onLoop(() -> owner.release(Hold.SUSPENDED));
    }

    ServedApi api() {
        return api;
    }

    int throttleMillis() {
        return throttleMillis;
    }

    /** The answer, once there is one. */
    @Nullable Answer answer() {
        return answer;
    }

    void setAnswer(Answer given) {
        answer = given;
    }

    /** The frame, to be given back; null from then on. */
    @Nullable ByteBuf takeFrame() {
        ByteBuf taken = frame;
        frame = null;
        return taken;
    }

    /** The bytes of the request counted on the heap, to be given back; 0 from then on. */
    int takeHeapBytes() {
        int taken = heapBytes;
        heapBytes = 0;
        return taken;
    }

    /** What the request's objects are counted as, until it is taken. */
    long decodedBytes() {
        return decodedBytes;
    }

    /** What the request's objects were counted as, to be given back; 0 from then on. */
    long takeDecodedBytes() {
        long taken = decodedBytes;
        decodedBytes = 0;
        return taken;
    }

    /** The memory reserved for the answer, to be given back; 0 from then on. */
    int takeReservation() {
        int taken = reservedBytes;
        reservedBytes = 0;
        return taken;
    }

    /** Releases what an answer that will not be sent holds. */
    static void releaseParts(Answer given) {
        if (given instanceof Answer.Encoded encoded) {
            encoded.parts().forEach(ReferenceCountUtil::release);
        }
    }
}
