package io.sluice.protocol.frame;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.function.IntFunction;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.requests.RequestHeader;

/** Writes answers. Stateless; safe on every thread. */
public final class ResponseEncoder {
    private static final int SIZE_BYTES = 4;

    private ResponseEncoder() {}

    /**
     * Writes size, header and body into one buffer.
     *
     * @param request header of the request answered
     * @param body the answer's body, in the request's version
     * @param version the body's version
     * @param allocator gives a direct buffer of exactly so many bytes; who calls owns it afterwards
     */
    public static ByteBuf encode(RequestHeader request, Message body, short version, IntFunction<ByteBuf> allocator) {
        ObjectSerializationCache cache = new ObjectSerializationCache();
        int bodyBytes = body.size(cache, version);
        int headerBytes = headerBytes(request);
        ByteBuf buffer = allocator.apply(headerBytes + bodyBytes);
        boolean written = false;
        try {
            writeHeader(request, bodyBytes, buffer);
            ByteBuffer target = buffer.nioBuffer(headerBytes, bodyBytes);
            body.write(new ByteBufferAccessor(target), cache, version);
            if (target.hasRemaining()) {
                throw new IllegalStateException("the answer is shorter than it said");
            }
            buffer.writerIndex(headerBytes + bodyBytes);
            written = true;
        } finally {
            if (!written) {
                buffer.release();
            }
        }
        return buffer;
    }

    /** Bytes of the size field and the header of the answer to this request. */
    public static int headerBytes(RequestHeader request) {
        return SIZE_BYTES + Integer.BYTES + (hasTags(request) ? 1 : 0);
    }

    /** Writes the size field and the header in front of a body of {@code bodyBytes}. */
    public static void writeHeader(RequestHeader request, int bodyBytes, ByteBuf target) {
        target.writeInt(headerBytes(request) - SIZE_BYTES + bodyBytes);
        target.writeInt(request.correlationId());
        if (hasTags(request)) {
            target.writeByte(0);
        }
    }

    /** Header version 1 has a list of tagged fields, always empty. ApiVersions keeps version 0 for ever (KIP-511). */
    private static boolean hasTags(RequestHeader request) {
        ApiKeys api = request.apiKey();
        return api.responseHeaderVersion(request.apiVersion()) >= 1;
    }
}
