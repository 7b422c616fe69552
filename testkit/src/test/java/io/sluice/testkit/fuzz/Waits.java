package io.sluice.testkit.fuzz;

import io.sluice.protocol.frame.DecodedRequest;
import io.sluice.protocol.frame.MalformedRequestException;
import io.sluice.protocol.frame.RequestDecoder;
import java.nio.ByteBuffer;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.requests.FetchRequest;

/** Keeps requests that may wait as long as they say from waiting long, so that an answer that does not come is a finding. */
final class Waits {
    private static final int MAX_WAIT_MILLIS = 5;
    /** From this version on the replica id does not stand before the wait. */
    private static final short WAIT_FIRST_VERSION = 15;

    private Waits() {}

    /** The frame, its wait made short in place where it is a Fetch that can be read. */
    static byte[] shortened(byte[] content) {
        ByteBuffer frame = ByteBuffer.wrap(content);
        if (content.length < RequestDecoder.API_AND_VERSION_BYTES || frame.getShort(0) != ApiKeys.FETCH.id) {
            return content;
        }
        short version = frame.getShort(Short.BYTES);
        if (!ApiKeys.FETCH.isVersionSupported(version)) {
            return content;
        }
        try {
            DecodedRequest decoded = RequestDecoder.decode(frame.duplicate(), ApiKeys.FETCH, version);
            if (((FetchRequest) decoded.body()).maxWait() > MAX_WAIT_MILLIS) {
                frame.putInt(waitPosition(content, version), MAX_WAIT_MILLIS);
            }
        } catch (MalformedRequestException e) {
            // It is not going to wait.
            return content;
        }
        return content;
    }

    private static int waitPosition(byte[] content, short version) {
        ByteBuffer frame = ByteBuffer.wrap(content);
        RequestHeaderData header =
                new RequestHeaderData(new ByteBufferAccessor(frame), ApiKeys.FETCH.requestHeaderVersion(version));
        if (header.requestApiKey() != ApiKeys.FETCH.id) {
            throw new IllegalStateException("Not a Fetch: " + header);
        }
        return frame.position() + (version < WAIT_FIRST_VERSION ? Integer.BYTES : 0);
    }
}
