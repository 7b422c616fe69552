package io.sluice.broker.handshake;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.fixture.BrokerFixture;
import io.sluice.broker.fixture.RawClient;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.requests.ApiVersionsRequest;
import org.apache.kafka.common.requests.ApiVersionsResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.SaslHandshakeRequest;
import org.apache.kafka.common.requests.SaslHandshakeResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ApiVersionsHandlerTest {
    private BrokerFixture broker;
    private RawClient client;

    @BeforeEach
    void start() throws IOException {
        broker = BrokerFixture.start(new SaslHandshakeHandler());
        client = broker.connect();
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        broker.close();
    }

    private static ApiVersionsRequest request(int version, String name, String softwareVersion) {
        return new ApiVersionsRequest(
                new ApiVersionsRequestData().setClientSoftwareName(name).setClientSoftwareVersion(softwareVersion),
                (short) version);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5})
    void advertisesExactlyTheHandlersRegistered(int version) throws IOException {
        ApiVersionsResponse response = client.call(request(version, "test", "1.0"), ApiVersionsResponse.class);
        assertThat(response.data().errorCode()).isZero();
        assertThat(response.data().apiKeys())
                .extracting(key -> key.apiKey() + ":" + key.minVersion() + ".." + key.maxVersion())
                .containsExactly("17:0..1", "18:0..5");
    }

    @Test
    void leavesFeaturesFromLevelZeroOutOfVersionThree() throws IOException {
        ApiVersionsResponseData three = client.call(request(3, "test", "1.0"), ApiVersionsResponse.class)
                .data();
        assertThat(three.supportedFeatures()).isEmpty();
        assertThat(three.finalizedFeatures())
                .extracting(feature -> feature.name() + "=" + feature.maxVersionLevel())
                .containsExactly("group.version=1", "share.version=2", "streams.version=1", "transaction.version=2");
        ApiVersionsResponseData four = client.call(request(4, "test", "1.0"), ApiVersionsResponse.class)
                .data();
        assertThat(four.supportedFeatures())
                .extracting(feature -> feature.name() + " " + feature.minVersion() + ".." + feature.maxVersion())
                .containsExactly(
                        "group.version 0..1", "share.version 0..2", "streams.version 0..1", "transaction.version 0..2");
    }

    @Test
    void answersAnUnknownVersionInVersionZeroWithItsOwnRangeOnly() throws IOException {
        ByteBuffer body = ByteBuffer.allocate(64);
        body.putShort(ApiKeys.API_VERSIONS.id).putShort((short) 99).putInt(7);
        body.putShort((short) -1).put((byte) 0).put((byte) 77).flip();
        client.write(ByteBuffer.allocate(4 + body.remaining())
                .putInt(body.remaining())
                .put(body)
                .array());
        ByteBuffer answer = client.receiveFrame();
        assertThat(answer.getInt()).isEqualTo(7);
        ApiVersionsResponseData data = new ApiVersionsResponseData(new ByteBufferAccessor(answer), (short) 0);
        assertThat(answer.remaining()).isZero();
        assertThat(data.errorCode()).isEqualTo((short) 35);
        assertThat(data.apiKeys())
                .extracting(key -> key.apiKey() + ":" + key.minVersion() + ".." + key.maxVersion())
                .containsExactly("18:0..5");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "-x", "x-", "naïve"})
    void refusesAnInvalidSoftwareNameWithoutKeys(String name) throws IOException {
        ApiVersionsResponse response = client.call(request(3, name, "1.0"), ApiVersionsResponse.class);
        assertThat(response.data().errorCode()).isEqualTo((short) 42);
        assertThat(response.data().apiKeys()).isEmpty();
        ApiVersionsResponse other = client.call(request(3, "fine", name), ApiVersionsResponse.class);
        assertThat(other.data().errorCode()).isEqualTo((short) 42);
    }

    @Test
    void servesAClientWithoutAnId() throws IOException {
        client.write(RawClient.frame(new RequestHeader(ApiKeys.API_VERSIONS, (short) 0, null, 3), request(0, "", "")));
        ByteBuffer answer = client.receiveFrame();
        assertThat(answer.getInt()).isEqualTo(3);
        assertThat(answer.getShort()).isZero();
    }

    @Test
    void keepsWhatTheClientSaysOfItself() throws IOException {
        client.call(request(3, "test-client", "1.2.3"), ApiVersionsResponse.class);
        assertThat(broker.server().connections().snapshot())
                .singleElement()
                .satisfies(
                        info -> assertThat(info.softwareName() + " " + info.softwareVersion() + " " + info.clientId())
                                .isEqualTo("test-client 1.2.3 raw"));
    }

    @Test
    void refusesAHandshakeWhereThereIsNoAuthentication() throws IOException {
        SaslHandshakeResponse response = client.call(
                new SaslHandshakeRequest(
                        new org.apache.kafka.common.message.SaslHandshakeRequestData().setMechanism("PLAIN"),
                        (short) 1),
                SaslHandshakeResponse.class);
        assertThat(response.data().errorCode()).isEqualTo((short) 34);
    }
}
