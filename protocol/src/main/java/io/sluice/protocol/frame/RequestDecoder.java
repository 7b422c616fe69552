package io.sluice.protocol.frame;

import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.apache.kafka.common.requests.RequestHeader;
import org.jspecify.annotations.Nullable;

/** Reads requests out of whole frames. Stateless; safe on every thread. */
public final class RequestDecoder {
    /** Bytes that the API key and the version take at the beginning of every request. */
    public static final int API_AND_VERSION_BYTES = 4;

    private static final long MAX_HEAP_BYTES = 40L << 20;

    /** Ten thousand topics with a setting or two each can be created; {@link KeyWatch} has an eye on them. */
    private static final int MAX_READS_OF_WATCHED = 200_000;

    /** Where elements that are alike take a second or two: enough for a thousand topics. */
    private static final int MAX_READS_OF_HASHED = 6_000;

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
        FrameReadable readable = new FrameReadable(frame, maxHeapBytes, maxReads(api), watch(api));
        try {
            RequestHeader header = readHeader(readable, api.requestHeaderVersion(version));
            if (!api.isVersionSupported(version)) {
                return new DecodedRequest(header, unsupportedApiVersions(api, version), readable.heapBytes());
            }
            if (ConfigKeys.concern(api)) {
                ConfigKeys.require(frame, api, version);
            }
            AbstractRequest body = AbstractRequest.parseRequest(api, version, readable).request;
            if (frame.hasRemaining()) {
                throw new MalformedRequestException(frame.remaining() + " bytes follow the body");
            }
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

    /** Fewer where lists are read into Kafka's hash tables. */
    private static int maxReads(ApiKeys api) {
        return switch (api) {
            case PRODUCE, CREATE_TOPICS, ALTER_CONFIGS, INCREMENTAL_ALTER_CONFIGS -> MAX_READS_OF_WATCHED;
            case JOIN_GROUP, CREATE_PARTITIONS -> MAX_READS_OF_HASHED;
            default -> Integer.MAX_VALUE;
        };
    }

    private static @Nullable KeyWatch watch(ApiKeys api) {
        return api == ApiKeys.PRODUCE || api == ApiKeys.CREATE_TOPICS ? new KeyWatch(api) : null;
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
