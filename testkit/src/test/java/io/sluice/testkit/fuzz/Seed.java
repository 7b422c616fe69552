package io.sluice.testkit.fuzz;

import io.sluice.testkit.wire.RawConnection;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.requests.AbstractRequest;

/**
 * A right request to be spoiled.
 *
 * @param frame header and body, without the size
 * @param fields where its fields are
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares them
record Seed(ApiKeys api, short version, byte[] frame, List<Field> fields) {
    /**
     * A field of a request.
     *
     * @param position of its first byte in the frame
     * @param length in bytes
     */
    record Field(int position, int length, Kind kind) {}

    /** What a field is. */
    enum Kind {
        /** One, two, four or eight bytes of a number. */
        NUMBER,
        /** A number of seven bits a byte: in flexible versions the lengths, counts and tags. */
        VARINT,
        /** Text, bytes or records. */
        BYTES
    }

    /**
     * A request in one version.
     *
     * @throws RuntimeException when it cannot be said in that version
     */
    static Seed of(ApiKeys api, short version, ApiMessage body) {
        byte[] frame = RawConnection.encode(version, "fuzz", 1, body);
        FieldTrace trace = new FieldTrace(ByteBuffer.wrap(frame));
        RequestHeaderData header = new RequestHeaderData(trace, api.requestHeaderVersion(version));
        AbstractRequest.parseRequest(api, header.requestApiVersion(), trace);
        return new Seed(api, version, frame, trace.fields());
    }
}
