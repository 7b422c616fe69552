package io.sluice.testkit.fuzz;

import io.sluice.protocol.frame.DecodedRequest;
import io.sluice.protocol.frame.MalformedRequestException;
import io.sluice.protocol.frame.RequestDecoder;
import java.nio.ByteBuffer;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.FetchRequest;
import org.apache.kafka.common.requests.ShareFetchRequest;

/** Keeps requests that may wait as long as they say from waiting long, so that an answer that does not come is a finding. */
final class Waits {
    private static final int MAX_WAIT_MILLIS = 5;
    /** From this version on the replica id does not stand before the wait of a Fetch. */
    private static final short WAIT_FIRST_VERSION = 15;

    private Waits() {}

    /** The frame, its wait made short in place where it is a Fetch or a ShareFetch that can be read. */
    static byte[] shortened(byte[] content) {
        ByteBuffer frame = ByteBuffer.wrap(content);
        if (content.length < RequestDecoder.API_AND_VERSION_BYTES) {
            return content;
        }
        short key = frame.getShort(0);
        if (key != ApiKeys.FETCH.id && key != ApiKeys.SHARE_FETCH.id) {
            return content;
        }
        ApiKeys api = ApiKeys.forId(key);
        short version = frame.getShort(Short.BYTES);
        if (!api.isVersionSupported(version)) {
            return content;
        }
        try {
            DecodedRequest decoded = RequestDecoder.decode(frame.duplicate(), api, version);
            if (maxWait(decoded.body()) > MAX_WAIT_MILLIS) {
                frame.putInt(waitPosition(content, api, version), MAX_WAIT_MILLIS);
            }
        } catch (MalformedRequestException e) {
            // It is not going to wait.
            return content;
        }
        return content;
    }

    private static int maxWait(AbstractRequest request) {
        return request instanceof ShareFetchRequest share ? share.maxWait() : ((FetchRequest) request).maxWait();
    }

    private static int waitPosition(byte[] content, ApiKeys api, short version) {
        ByteBuffer frame = ByteBuffer.wrap(content);
        RequestHeaderData header =
                new RequestHeaderData(new ByteBufferAccessor(frame), api.requestHeaderVersion(version));
        if (header.requestApiKey() != api.id) {
            throw new IllegalStateException("Not a " + api + ": " + header);
        }
        if (api == ApiKeys.FETCH) {
            return frame.position() + (version < WAIT_FIRST_VERSION ? Integer.BYTES : 0);
        }
        skipCompactString(frame); // the group
        skipCompactString(frame); // the member
        return frame.position() + Integer.BYTES; // the session's epoch
    }

    /** A compact string has its length plus one before it, null a zero. */
    private static void skipCompactString(ByteBuffer frame) {
        int lengthPlusOne = new ByteBufferAccessor(frame).readUnsignedVarint();
        frame.position(frame.position() + Math.max(0, lengthPlusOne - 1));
    }
}
