package io.sluice.broker.net;

import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCountUtil;
import io.sluice.base.memory.MemoryExhaustedException;
import io.sluice.protocol.frame.DecodedRequest;
import io.sluice.protocol.frame.FrameAssembler;
import io.sluice.protocol.frame.MalformedRequestException;
import io.sluice.protocol.frame.RequestDecoder;
import io.sluice.protocol.frame.ResponseEncoder;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.errors.UnknownServerException;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns frames into calls and answers into bytes, for one connection. On the event loop only. */
final class CallStarter {
    private static final Logger LOG = LoggerFactory.getLogger(CallStarter.class);

    private final Front front;
    private final ServerConnection connection;
    private final RequestLease lease;
    private final FrameAssembler assembler;

    CallStarter(Front front, ServerConnection connection, RequestLease lease, FrameAssembler assembler) {
        this.front = front;
        this.connection = connection;
        this.lease = lease;
        this.assembler = assembler;
    }

    /** The API that the frame at hand asks for; null when it is none that is served, and the connection was closed. */
    @Nullable ServedApi identify() {
        ByteBuf frame = assembler.frame();
        if (frame.readableBytes() < RequestDecoder.API_AND_VERSION_BYTES) {
            connection.close(CloseReason.MALFORMED, "a request of " + frame.readableBytes() + " bytes");
            return null;
        }
        short key = frame.getShort(frame.readerIndex());
        ServedApi api = front.find(key);
        if (api == null) {
            connection.close(CloseReason.UNKNOWN_API, "key " + key);
            return null;
        }
        short version = versionOf(frame);
        if (!api.reads(version)) {
            connection.close(CloseReason.UNSUPPORTED_VERSION, api.api().name + " version " + version);
            return null;
        }
        return api;
    }

    private static short versionOf(ByteBuf frame) {
        return frame.getShort(frame.readerIndex() + Short.BYTES);
    }

    /** Reads the frame at hand and steps over it; null when it cannot be read, and the connection was closed. */
    @Nullable PendingCall decode(ServedApi api, ByteBuf input, long receivedNanos) {
        short version = versionOf(assembler.frame());
        int bytes = assembler.frame().readableBytes();
        ByteBuf kept = api.keepsFrame() ? own(input) : null;
        ByteBuffer view = kept != null ? kept.nioBuffer() : viewOf(api, assembler.frame());
        DecodedRequest decoded = null;
        try {
            decoded = RequestDecoder.decode(view, api.api(), version, front.requestHeap.maxBytesOfOne());
        } catch (MalformedRequestException e) {
            connection.close(CloseReason.MALFORMED, api.api().name + " version " + version + ": " + e.getMessage());
        }
        int heapBytes = kept == null && decoded != null ? bytes : 0;
        if (kept == null) {
            lease.beginHeapCall(heapBytes);
            stepOver(input);
        } else if (decoded == null) {
            lease.giveBack(kept);
        } else {
            lease.beginCall(kept);
        }
        if (decoded == null) {
            return null;
        }
        api.onRequest(bytes);
        connection.peer().requested(decoded.header().clientId());
        PendingCall call = new PendingCall(connection, api, decoded, kept, heapBytes, receivedNanos);
        front.requestHeap.add(call.decodedBytes());
        return call;
    }

    /** The frame as a buffer that outlives the input. */
    private ByteBuf own(ByteBuf input) {
        if (assembler.ownsFrame()) {
            return assembler.take();
        }
        ByteBuf frame = assembler.frame();
        ByteBuf copy = lease.take(frame.readableBytes());
        copy.writeBytes(frame, frame.readerIndex(), frame.readableBytes());
        assembler.consume(input);
        return copy;
    }

    private void stepOver(ByteBuf input) {
        if (assembler.ownsFrame()) {
            lease.giveBack(assembler.take());
            lease.onFrameWhole();
        } else {
            assembler.consume(input);
        }
    }

    /** What to decode from: requests that may refer to their bytes for long get a copy on the heap. */
    private static ByteBuffer viewOf(ServedApi api, ByteBuf frame) {
        if (!api.mayKeepBytes()) {
            return frame.nioBuffer();
        }
        byte[] copy = new byte[frame.readableBytes()];
        frame.getBytes(frame.readerIndex(), copy);
        return ByteBuffer.wrap(copy);
    }

    /** Hands the call to its handler. What a handler throws is a defect of ours and the client is told so. */
    @SuppressWarnings(
            "checkstyle:IllegalCatch") // a handler's defect must not take the connection's other calls with it
    void dispatch(PendingCall call) {
        try {
            call.api().handle(call);
        } catch (RuntimeException | LinkageError | AssertionError | StackOverflowError e) {
            logDefect(call, e, "A handler failed");
            call.tryFinish(unknownError(call));
        }
    }

    private static PendingCall.Answer unknownError(PendingCall call) {
        AbstractRequest request = call.requestIfKept();
        AbstractResponse response = request == null ? null : request.getErrorResponse(0, new UnknownServerException());
        return response == null
                ? new PendingCall.Answer.Close(CloseReason.DEFECT, "no answer was expected, or its request was let go")
                : new PendingCall.Answer.Response(response);
    }

    /** Sends a call's answer, counts it, and gives back what was reserved for it. */
    void send(PendingCall call, ResponseWriter writer) {
        PendingCall.Answer answer = call.answer();
        long bytes = 0;
        if (answer instanceof PendingCall.Answer.Response response) {
            bytes = sendResponse(call, response.response(), writer);
        } else if (answer instanceof PendingCall.Answer.Encoded encoded) {
            bytes = sendEncoded(call, encoded.parts(), writer);
        } else if (answer instanceof PendingCall.Answer.Close close) {
            connection.close(close.reason(), close.detail());
        }
        int reserved = call.takeReservation();
        if (reserved > 0) {
            writer.count();
            front.responseMemory.add(-reserved);
        }
        call.api().onAnswer(front.clock.nanoTime() - call.receivedNanos(), bytes);
        if (call.throttleMillis() > 0) {
            connection.mute(call.throttleMillis());
        }
    }

    private long sendResponse(PendingCall call, AbstractResponse response, ResponseWriter writer) {
        if (call.throttleMillis() > 0) {
            response.maybeSetThrottleTimeMs(call.throttleMillis());
        }
        ByteBuf encoded = encode(call, response);
        if (encoded == null) {
            return 0;
        }
        call.api().countErrors(response);
        int bytes = encoded.readableBytes();
        writer.write(encoded);
        return bytes;
    }

    /** The bytes of a response; null when there are none, and the connection was closed. */
    @SuppressWarnings("checkstyle:IllegalCatch") // a response that cannot be written in its version is a defect of ours
    private @Nullable ByteBuf encode(PendingCall call, AbstractResponse response) {
        try {
            return ResponseEncoder.encode(
                    call.header(), response.data(), call.answerVersion(), front.allocator::reservedBuffer);
        } catch (MemoryExhaustedException e) {
            connection.close(CloseReason.NO_MEMORY, call.api().api().name);
        } catch (RuntimeException e) {
            logDefect(call, e, "An answer cannot be encoded");
            connection.close(CloseReason.DEFECT, call.api().api().name);
        }
        return null;
    }

    private void logDefect(PendingCall call, Throwable cause, String message) {
        LOG.atError()
                .addKeyValue("api", call.api().api().name)
                .addKeyValue("version", call.header().apiVersion())
                .addKeyValue("client", connection.peer().remoteAddress())
                .setCause(cause)
                .log(message);
    }

    private long sendEncoded(PendingCall call, List<Object> parts, ResponseWriter writer) {
        long bodyBytes = 0;
        for (Object part : parts) {
            bodyBytes += ResponseWriter.sizeOf(part);
        }
        RequestHeader request = call.header();
        int headerBytes = ResponseEncoder.headerBytes(request);
        ByteBuf header;
        try {
            header = front.allocator.reservedBuffer(headerBytes);
        } catch (MemoryExhaustedException e) {
            parts.forEach(ReferenceCountUtil::release);
            connection.close(CloseReason.NO_MEMORY, call.api().api().name);
            return 0;
        }
        ResponseEncoder.writeHeader(request, Math.toIntExact(bodyBytes), header);
        writer.write(header);
        parts.forEach(writer::write);
        return headerBytes + bodyBytes;
    }
}
