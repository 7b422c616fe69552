package io.sluice.broker.simulation;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.api.Call;
import io.sluice.broker.api.Connection;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.jspecify.annotations.Nullable;

/** A call that keeps its answer, and fails where it is answered twice. */
public final class RecordingCall<R extends AbstractRequest> implements Call<R> {
    private final R request;
    private final RequestHeader header;
    private final Connection connection;
    private final long receivedNanos;
    private @Nullable AbstractResponse response;
    private @Nullable List<Object> parts;
    private @Nullable String closeReason;
    private final List<Errors> errorsCounted = new ArrayList<>();
    private int reservedBytes;
    private boolean forgotten;
    private int responseMemory = Integer.MAX_VALUE;
    private Executor executor = Runnable::run;
    private boolean nothing;
    private boolean suspended;

    /** A call not answered yet. Its executor runs tasks at once, unless it is set. */
    public RecordingCall(R request, Connection connection, long receivedNanos) {
        this(request, connection, receivedNanos, "test-client");
    }

    /** A call of a client. */
    public RecordingCall(R request, Connection connection, long receivedNanos, @Nullable String clientId) {
        this.request = request;
        this.connection = connection;
        this.receivedNanos = receivedNanos;
        header = new RequestHeader(request.apiKey(), request.version(), clientId, 1);
    }

    /** Whether it has been answered, in whatever way. */
    public boolean isAnswered() {
        return response != null || parts != null || closeReason != null || nothing;
    }

    /** Whether it was answered with parts. */
    public boolean isAnsweredWithParts() {
        return parts != null;
    }

    /** The answer, which must have been given. */
    public AbstractResponse response() {
        if (response == null) {
            throw new AssertionError("not answered with a response: " + this);
        }
        return response;
    }

    /** The parts of the answer, which must have been given so. */
    public List<Object> parts() {
        if (parts == null) {
            throw new AssertionError("not answered with parts: " + this);
        }
        return parts;
    }

    /** Why the connection was closed, or null. */
    public @Nullable String closeReason() {
        return closeReason;
    }

    /** Whether it ended without bytes. */
    public boolean isNothing() {
        return nothing;
    }

    /** Whether the connection is suspended now. */
    public boolean isSuspended() {
        return suspended;
    }

    @Override
    public R request() {
        if (forgotten) {
            throw new IllegalStateException("the request was let go");
        }
        return request;
    }

    @Override
    public ByteBuf keep(ByteBuffer part) {
        return Unpooled.wrappedBuffer(part);
    }

    @Override
    public RequestHeader header() {
        return header;
    }

    @Override
    public Connection connection() {
        return connection;
    }

    @Override
    public Executor executor() {
        return executor;
    }

    @Override
    public long receivedNanos() {
        return receivedNanos;
    }

    @Override
    public void respond(AbstractResponse answer) {
        requireOpen();
        response = answer;
    }

    @Override
    public void respondEncoded(List<Object> encoded) {
        requireOpen();
        parts = encoded;
    }

    @Override
    public void respondNothing() {
        requireOpen();
        nothing = true;
    }

    @Override
    public void closeConnection(String reason) {
        requireOpen();
        closeReason = reason;
    }

    @Override
    public int reserveResponse(int wantedBytes) {
        int granted = Math.min(wantedBytes, responseMemory);
        reservedBytes += granted;
        return granted;
    }

    @Override
    public void releaseResponse() {
        requireOpen();
        reservedBytes = 0;
    }

    @Override
    public void forgetRequest() {
        requireOpen();
        forgotten = true;
    }

    /** Whether the handler needs the request no more. */
    public boolean hasLetGoOfRequest() {
        return forgotten;
    }

    /** Memory for the answer that is set aside now. */
    public int reservedBytes() {
        return reservedBytes;
    }

    @Override
    public void throttle(int throttleMillis) {
        throw new UnsupportedOperationException("no quotas yet");
    }

    @Override
    public void countError(Errors error) {
        errorsCounted.add(error);
    }

    /** Errors that the handler counted itself. */
    public List<Errors> errorsCounted() {
        return errorsCounted;
    }

    /** Sets where its tasks run. */
    public RecordingCall<R> withExecutor(Executor loop) {
        executor = loop;
        return this;
    }

    /** Sets how much memory an answer may take. */
    public RecordingCall<R> withResponseMemory(int bytes) {
        responseMemory = bytes;
        return this;
    }

    @Override
    public void suspendConnection() {
        suspended = true;
    }

    @Override
    public void resumeConnection() {
        suspended = false;
    }

    private void requireOpen() {
        if (isAnswered()) {
            throw new AssertionError("answered twice: " + this);
        }
    }

    @Override
    public String toString() {
        return "RecordingCall(" + request.apiKey() + ", response " + response + ", parts " + parts + ", close "
                + closeReason + ", nothing " + nothing + ")";
    }
}
