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

    private static final int MAX_READS = 1_000_000;

    private RequestDecoder() {}

    /**
     * Reads a header and a body.
     *
     * @param frame position at the API key, limit at the end; its position moves
     * @param api what the API key says
     * @param version what the version field says; supported, but for ApiVersions, whose body is then left unread
     * @throws MalformedRequestException when the bytes are not exactly one such request
     */
    @SuppressWarnings(
            "checkstyle:IllegalCatch") // the generated readers fail on bad bytes in more ways than one can name
    public static DecodedRequest decode(ByteBuffer frame, ApiKeys api, short version) throws MalformedRequestException {
        try {
            FrameReadable readable = new FrameReadable(frame, MAX_READS);
            RequestHeader header = readHeader(readable, api.requestHeaderVersion(version));
            if (!api.isVersionSupported(version)) {
                return new DecodedRequest(header, unsupportedApiVersions(api, version));
            }
            AbstractRequest body = AbstractRequest.parseRequest(api, version, readable).request;
            if (readable.remaining() > 0) {
                throw new MalformedRequestException(readable.remaining() + " bytes follow the body");
            }
            return new DecodedRequest(header, body);
        } catch (RuntimeException e) {
            throw new MalformedRequestException("the body cannot be read", e);
        }
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
