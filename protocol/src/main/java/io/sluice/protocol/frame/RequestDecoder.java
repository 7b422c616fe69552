package io.sluice.protocol.frame;

import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.apache.kafka.common.requests.RequestHeader;

/** Reads requests out of whole frames. Stateless; safe on every thread. */
public final class RequestDecoder {
    /** Bytes that the API key and the version take at the beginning of every request. */
    public static final int API_AND_VERSION_BYTES = 4;

    private static final long MAX_HEAP_BYTES = 40L << 20;

    private RequestDecoder() {}

    /** As {@link #decode(ByteBuffer, ApiKeys, short, long)}, of at most 40 MiB on the heap. */
    public static DecodedRequest decode(ByteBuffer frame, ApiKeys api, short version) throws MalformedRequestException {
        return decode(frame, api, version, MAX_HEAP_BYTES);
    }

    /**
     * Reads a header and a body.
     *
     * @param frame position at the API key, limit at the end; its position moves
     * @param api what the API key says
     * @param version what the version field says; supported, but for ApiVersions, whose body is then left unread
     * @param maxHeapBytes what the request's objects may take, as counted in {@link DecodedRequest#heapBytes}
     * @throws MalformedRequestException when the bytes are not exactly one such request, or it is too large
     */
    @SuppressWarnings(
            "checkstyle:IllegalCatch") // the generated readers fail on bad bytes in more ways than one can name
    public static DecodedRequest decode(ByteBuffer frame, ApiKeys api, short version, long maxHeapBytes)
            throws MalformedRequestException {
        FrameReadable readable = new FrameReadable(frame, maxHeapBytes);
        try {
            RequestHeader header = readHeader(readable, api.requestHeaderVersion(version));
            if (!api.isVersionSupported(version)) {
                return new DecodedRequest(header, unsupportedApiVersions(api, version), readable.heapBytes());
            }
            RequestShape shape = RequestShape.of(api, version);
            RequestShape.Extent apart = shape == null ? null : shape.require(frame, ApartLists.areOf(api));
            AbstractRequest body = apart == null
                    ? AbstractRequest.parseRequest(api, version, readable).request
                    : parseApart(frame, api, version, readable, apart);
            // Bytes behind the body are let be, as Kafka does: librdkafka 2.15 sends some with Metadata.
            return new DecodedRequest(header, body, readable.heapBytes());
        } catch (FrameReadable.TooLargeException e) {
            throw new MalformedRequestException(e.reason(), e);
        } catch (RuntimeException e) {
            throw new MalformedRequestException(
                    readable.wasCutShort()
                            ? "it has a list of more elements than one request may have"
                            : "the body cannot be read",
                    e);
        }
    }

    /** The elements of the list are read where they lie, everything else from a copy without them. */
    private static AbstractRequest parseApart(
            ByteBuffer frame, ApiKeys api, short version, FrameReadable elements, RequestShape.Extent list)
            throws MalformedRequestException {
        elements.addHeap(ApartLists.bytesWithout(frame, list)); // before it is taken
        ByteBuffer rest = ApartLists.without(frame, list);
        FrameReadable others = new FrameReadable(rest, elements.heapLeft());
        AbstractRequest body = AbstractRequest.parseRequest(api, version, others).request;
        elements.addHeap(others.heapBytes());
        frame.position(list.elements());
        ApartLists.add(body, elements, list.count());
        if (frame.position() != list.end()) {
            throw new MalformedRequestException("its list ends elsewhere than it says");
        }
        frame.position(frame.limit());
        return body;
    }

    private static RequestHeader readHeader(FrameReadable readable, short headerVersion) {
        RequestHeaderData data = new RequestHeaderData(readable, headerVersion);
        if (data.clientId() == null) {
            data.setClientId("");
        }
        return new RequestHeader(data, headerVersion);
    }

    /** A client asks in the newest version it knows, before it knows ours: it is answered in version 0 (KIP-511). */
    private static AbstractRequest unsupportedApiVersions(ApiKeys api, short version) throws MalformedRequestException {
        if (api != ApiKeys.API_VERSIONS) {
            throw new MalformedRequestException("version " + version + " is not supported");
        }
        return new ApiVersionsRequest(new ApiVersionsRequestData(), (short) 0, version);
    }
}
