package io.sluice.testkit.fuzz;

import io.sluice.protocol.frame.DecodedRequest;
import io.sluice.protocol.frame.MalformedRequestException;
import io.sluice.protocol.frame.RequestDecoder;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.RequestHeader;
import org.jspecify.annotations.Nullable;

/**
 * What is sent.
 *
 * @param spoiling what was done to it
 * @param api that it asks for, as far as its bytes say one that is served
 * @param version that it asks for, if served
 * @param bytes with the size in front
 * @param expectation what a right node does with it
 * @param answerHeader what the answer is to be read by; null when none is to come
 */
@SuppressWarnings("ArrayRecordComponent") // equal to itself only
record SpoiledFrame(
        Spoiling spoiling,
        @Nullable ApiKeys api,
        short version,
        byte[] bytes,
        Expectation expectation,
        @Nullable RequestHeader answerHeader) {
    /** What is to happen to a frame. */
    enum Expectation {
        /** It can be read, so an answer comes at once; handlers may close the connection instead. */
        ANSWER,
        /** It can be read and wants no answer. */
        NO_ANSWER,
        /** It can be read and is answered when other clients have done their part, or later than anybody waits here. */
        LATE_ANSWER,
        /** It cannot be read: the connection is closed. */
        CLOSE,
        /** It is not whole: the node waits for the rest. */
        NOTHING
    }

    /** Judges a frame whose size is right. */
    static SpoiledFrame of(Spoiling spoiling, byte[] content, Corpus corpus) {
        byte[] bytes = ByteBuffer.allocate(Integer.BYTES + content.length)
                .putInt(content.length)
                .put(content)
                .array();
        if (content.length < RequestDecoder.API_AND_VERSION_BYTES) {
            return new SpoiledFrame(spoiling, null, (short) 0, bytes, Expectation.CLOSE, null);
        }
        ByteBuffer frame = ByteBuffer.wrap(content);
        short key = frame.getShort(0);
        short version = frame.getShort(Short.BYTES);
        ApiKeys api = ApiKeys.hasId(key) ? ApiKeys.forId(key) : null;
        if (api == null || corpus.versions(api).isEmpty()) {
            return new SpoiledFrame(spoiling, null, version, bytes, Expectation.CLOSE, null);
        }
        if (api != ApiKeys.API_VERSIONS && !corpus.versions(api).contains(version)) {
            return new SpoiledFrame(spoiling, api, version, bytes, Expectation.CLOSE, null);
        }
        try {
            DecodedRequest decoded = RequestDecoder.decode(frame, api, version);
            RequestHeader answer = new RequestHeader(
                    api, decoded.body().version(), "", decoded.header().correlationId());
            return new SpoiledFrame(spoiling, api, version, bytes, expectation(api, decoded), answer);
        } catch (MalformedRequestException e) {
            return new SpoiledFrame(spoiling, api, version, bytes, Expectation.CLOSE, null);
        }
    }

    private static Expectation expectation(ApiKeys api, DecodedRequest decoded) {
        if (decoded.body() instanceof ProduceRequest produce && produce.acks() == 0) {
            return Expectation.NO_ANSWER;
        }
        boolean late = api == ApiKeys.JOIN_GROUP || api == ApiKeys.SYNC_GROUP;
        return late ? Expectation.LATE_ANSWER : Expectation.ANSWER;
    }

    /** For messages: enough to send it again. */
    String describe() {
        return spoiling + " of " + (api == null ? "nothing" : api.name + " v" + version) + ", expected " + expectation
                + ": " + HexFormat.of().formatHex(bytes);
    }
}
