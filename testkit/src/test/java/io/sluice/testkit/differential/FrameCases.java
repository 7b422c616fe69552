package io.sluice.testkit.differential;

import io.sluice.testkit.wire.RawConnection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.SaslAuthenticateRequestData;
import org.apache.kafka.common.message.SaslHandshakeRequestData;
import org.apache.kafka.common.protocol.ApiKeys;

/** Frames that are no request, and requests that the listener does not take. */
final class FrameCases {
    private FrameCases() {}

    static void addTo(Cases cases) {
        frame(cases, "unknown api key", header(999, 0));
        frame(cases, "negative api key", header(-1, 0));
        frame(cases, "unsupported version", header(ApiKeys.METADATA.id, 99));
        frame(cases, "negative version", header(ApiKeys.METADATA.id, -1));
        frame(cases, "produce v2", header(ApiKeys.PRODUCE.id, 2));
        frame(cases, "fetch v3", header(ApiKeys.FETCH.id, 3));
        frame(cases, "header alone", header(ApiKeys.METADATA.id, 9));
        frame(cases, "empty frame", new byte[0]);
        frame(cases, "three bytes", new byte[] {0, 3, 0});
        frame(cases, "api of controllers", header(ApiKeys.VOTE.id, 0));
        bytes(cases, "size -1", ByteBuffer.allocate(4).putInt(-1).array());
        bytes(cases, "size 0", ByteBuffer.allocate(4).putInt(0).array());
        bytes(
                cases,
                "size 2 GB",
                ByteBuffer.allocate(4).putInt(Integer.MAX_VALUE).array());
        bytes(cases, "size 101 MB", ByteBuffer.allocate(4).putInt(101 << 20).array());
        cases.newest(ApiKeys.METADATA, "truncated body", s -> truncated(s, 3));
        cases.newest(ApiKeys.METADATA, "body with bytes left over", FrameCases::overlong);
        cases.newest(ApiKeys.METADATA, "pipelined", FrameCases::pipelined);
        cases.newest(ApiKeys.METADATA, "half closed", FrameCases::halfClosed);
        cases.versions(
                ApiKeys.SASL_HANDSHAKE,
                0,
                1,
                "on a plaintext listener",
                s -> s.record("answer", new SaslHandshakeRequestData().setMechanism("PLAIN")));
        cases.everyVersion(
                ApiKeys.SASL_AUTHENTICATE,
                "on a plaintext listener",
                s -> s.record("answer", new SaslAuthenticateRequestData().setAuthBytes(new byte[] {1})));
    }

    private static byte[] header(int apiKey, int version) {
        return ByteBuffer.allocate(16)
                .putShort((short) apiKey)
                .putShort((short) version)
                .putInt(7)
                .putShort((short) -1)
                .array();
    }

    private static void frame(Cases cases, String name, byte[] content) {
        cases.newest(ApiKeys.METADATA, "frame: " + name, s -> {
            s.connection().sendFrame(content);
            s.recordReaction("reaction", s.connection());
        });
    }

    private static void bytes(Cases cases, String name, byte[] bytes) {
        cases.newest(ApiKeys.METADATA, "bytes: " + name, s -> {
            s.connection().sendBytes(bytes);
            s.recordReaction("reaction", s.connection());
        });
    }

    private static void truncated(Session s, int cut) throws IOException {
        byte[] frame = RawConnection.encode(s.version(), "testkit", 7, noTopics());
        s.connection().sendFrame(Arrays.copyOf(frame, frame.length - cut));
        s.recordReaction("reaction", s.connection());
    }

    private static void overlong(Session s) throws IOException {
        byte[] frame = RawConnection.encode(s.version(), "testkit", 7, noTopics());
        s.connection().sendFrame(Arrays.copyOf(frame, frame.length + 9));
        s.recordReaction("reaction", s.connection());
    }

    private static void pipelined(Session s) throws IOException {
        RawConnection connection = s.connection();
        connection.send(s.version(), noTopics());
        connection.send(0, new ApiVersionsRequestData());
        connection.send(1, noTopics());
        s.recordAnswer("first", connection.receive(ApiKeys.METADATA, s.version()));
        s.note("second", "" + connection.receive(ApiKeys.API_VERSIONS, 0).correlationId());
        s.recordAnswer("third", connection.receive(ApiKeys.METADATA, 1));
    }

    private static void halfClosed(Session s) throws IOException {
        s.connection().send(s.version(), noTopics());
        s.recordAnswer("answer", s.connection().receive(ApiKeys.METADATA, s.version()));
        s.connection().shutdownOutput();
        s.recordReaction("then", s.connection());
    }

    private static MetadataRequestData noTopics() {
        return new MetadataRequestData().setTopics(new java.util.ArrayList<>());
    }
}
