package io.sluice.broker.net;

import static io.sluice.broker.fixture.Requests.apiVersions;
import static io.sluice.broker.fixture.Requests.baseOffset;
import static io.sluice.broker.fixture.Requests.metadata;
import static io.sluice.broker.fixture.Requests.metadataAnswer;
import static io.sluice.broker.fixture.Requests.produce;
import static io.sluice.broker.fixture.Requests.produceAnswer;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.api.Call;
import io.sluice.broker.fixture.BrokerFixture;
import io.sluice.broker.fixture.RawClient;
import io.sluice.broker.fixture.ScriptedHandler;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.ApiVersionsResponse;
import org.apache.kafka.common.requests.MetadataRequest;
import org.apache.kafka.common.requests.MetadataResponse;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.ProduceResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Order of requests and answers on one connection, on every transport. */
class RequestOrderTest {
    private final ScriptedHandler<ProduceRequest> produce = ScriptedHandler.keeping(ApiKeys.PRODUCE, true);
    private final ScriptedHandler<MetadataRequest> metadata = ScriptedHandler.keeping(ApiKeys.METADATA, false);

    @SuppressWarnings("NullAway.Init") // set by start(), which every test calls first
    private BrokerFixture broker;

    @SuppressWarnings("NullAway.Init") // set by start(), which every test calls first
    private RawClient client;

    private void start(Transport transport) throws IOException {
        broker = BrokerFixture.options()
                .transport(transport)
                .config(Map.of("num.network.threads", "1"))
                .start(produce, metadata);
        client = broker.connect();
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        broker.close();
    }

    /** One event loop serves everybody, and each round trip takes another turn of it: what came before was looked at. */
    private void passLoop() throws IOException {
        try (RawClient other = broker.connect()) {
            for (int i = 0; i < 5; i++) {
                other.call(apiVersions(), ApiVersionsResponse.class);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void answersInTheOrderAskedThoughHandlersFinishInAnother(Transport transport) throws Exception {
        start(transport);
        for (int i = 0; i < 3; i++) {
            client.send(produce(1, 100));
        }
        List<Call<ProduceRequest>> calls = List.of(produce.next(), produce.next(), produce.next());
        calls.get(2).respond(produceAnswer(2));
        calls.get(1).respond(produceAnswer(1));
        calls.get(0).respond(produceAnswer(0));
        for (int i = 0; i < 3; i++) {
            assertThat(baseOffset((ProduceResponse) client.receive())).isEqualTo(i);
        }
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void startsOneCallAtATimeWhereTheHandlerIsNotPipelined(Transport transport) throws Exception {
        start(transport);
        client.send(metadata("a"));
        client.send(metadata("b"));
        Call<MetadataRequest> first = metadata.next();
        passLoop();
        assertThat(metadata.kept()).isZero();
        first.respond(metadataAnswer("1"));
        Call<MetadataRequest> second = metadata.next();
        assertThat(second.request().topics()).containsExactly("b");
        second.respond(metadataAnswer("2"));
        assertThat(((MetadataResponse) client.receive()).clusterId()).isEqualTo("1");
        assertThat(((MetadataResponse) client.receive()).clusterId()).isEqualTo("2");
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void startsARequestOfAnotherApiWhenAllPipelinedOnesHaveBeenAnswered(Transport transport) throws Exception {
        start(transport);
        client.send(produce(1, 100));
        client.send(produce(1, 100));
        client.send(metadata("a"));
        Call<ProduceRequest> first = produce.next();
        Call<ProduceRequest> second = produce.next();
        second.respond(produceAnswer(2));
        passLoop();
        assertThat(metadata.kept()).isZero();
        first.respond(produceAnswer(1));
        metadata.next().respond(metadataAnswer("m"));
        assertThat(baseOffset((ProduceResponse) client.receive())).isEqualTo(1);
        assertThat(baseOffset((ProduceResponse) client.receive())).isEqualTo(2);
        assertThat(((MetadataResponse) client.receive()).clusterId()).isEqualTo("m");
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void servesARequestThatArrivesByteByByte(Transport transport) throws Exception {
        start(transport);
        byte[] frame = RawClient.frame(new RequestHeader(ApiKeys.METADATA, (short) 9, "x", 5), metadata("topic"));
        for (byte one : frame) {
            client.write(new byte[] {one});
        }
        Call<MetadataRequest> call = metadata.next();
        assertThat(call.request().topics()).containsExactly("topic");
        assertThat(call.header().correlationId()).isEqualTo(5);
        call.respond(metadataAnswer("x"));
        assertThat(client.receiveFrame().getInt()).isEqualTo(5);
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void servesRequestsOfEverySizeSentWithoutAPause(Transport transport) throws Exception {
        start(transport);
        int[] sizes = {1, 16_000, 65_536, 100, 1_000_000, 3, 70_000, 300_000};
        Thread sender = new Thread(() -> send(sizes), "sender");
        sender.start();
        for (int i = 0; i < sizes.length; i++) {
            Call<ProduceRequest> call = produce.next();
            assertThat(call.request()
                            .data()
                            .topicData()
                            .iterator()
                            .next()
                            .partitionData()
                            .get(0)
                            .records()
                            .sizeInBytes())
                    .isGreaterThan(sizes[i])
                    .isLessThan(sizes[i] + 200);
            call.respond(produceAnswer(i));
        }
        sender.join();
        for (int i = 0; i < sizes.length; i++) {
            assertThat(baseOffset((ProduceResponse) client.receive())).isEqualTo(i);
        }
    }

    private void send(int[] sizes) {
        try {
            for (int size : sizes) {
                client.send(produce(1, size));
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void startsNothingWhileSuspended(Transport transport) throws Exception {
        start(transport);
        client.send(produce(1, 100));
        Call<ProduceRequest> first = produce.next();
        first.suspendConnection();
        passLoop();
        client.send(produce(1, 100));
        passLoop();
        assertThat(produce.kept()).isZero();
        first.respond(produceAnswer(0));
        assertThat(baseOffset((ProduceResponse) client.receive())).isZero();
        passLoop();
        assertThat(produce.kept()).isZero();
        first.resumeConnection();
        produce.next().respond(produceAnswer(1));
        assertThat(baseOffset((ProduceResponse) client.receive())).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void sendsNoByteForACallThatEndsWithNothing(Transport transport) throws Exception {
        start(transport);
        client.sendUnanswered(produce(0, 100));
        client.send(produce(1, 100));
        produce.next().respondNothing();
        produce.next().respond(produceAnswer(7));
        assertThat(baseOffset((ProduceResponse) client.receive())).isEqualTo(7);
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void sendsEarlierAnswersBeforeAHandlerClosesTheConnection(Transport transport) throws Exception {
        start(transport);
        client.send(produce(1, 100));
        client.sendUnanswered(produce(0, 100));
        Call<ProduceRequest> first = produce.next();
        produce.next().closeConnection("a failed append without acknowledgement");
        first.respond(produceAnswer(3));
        assertThat(baseOffset((ProduceResponse) client.receive())).isEqualTo(3);
        assertThat(client.readByte()).isEqualTo(-1);
    }
}
