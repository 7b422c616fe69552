package io.sluice.broker.net;

import static io.sluice.broker.fixture.Requests.apiVersions;
import static io.sluice.broker.fixture.Requests.metadata;
import static io.sluice.broker.fixture.Requests.metadataAnswer;
import static io.sluice.broker.fixture.Requests.produce;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.sluice.base.error.UserException;
import io.sluice.base.memory.CountedAllocator;
import io.sluice.broker.api.Call;
import io.sluice.broker.fixture.BrokerFixture;
import io.sluice.broker.fixture.RawClient;
import io.sluice.broker.fixture.RecordedLog;
import io.sluice.broker.fixture.ScriptedHandler;
import io.sluice.broker.fixture.SharedTime;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.ApiVersionsResponse;
import org.apache.kafka.common.requests.MetadataRequest;
import org.apache.kafka.common.requests.MetadataResponse;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.RequestHeader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How connections begin and end. */
class ConnectionLifeTest {
    private static final int STEP_MILLIS = 250;

    private final SharedTime time = new SharedTime();
    private final ScriptedHandler<MetadataRequest> metadata = ScriptedHandler.keeping(ApiKeys.METADATA, false);
    private final ScriptedHandler<ProduceRequest> produce = ScriptedHandler.keeping(ApiKeys.PRODUCE, true);
    private final List<RawClient> clients = new ArrayList<>();

    @SuppressWarnings("NullAway.Init") // set by start(), which every test calls first
    private BrokerFixture broker;

    private void start(Transport transport, Map<String, String> more) {
        Map<String, String> config = new HashMap<>(more);
        config.put("num.network.threads", "1");
        broker = BrokerFixture.options()
                .transport(transport)
                .time(time, time)
                .config(config)
                .start(metadata, produce);
    }

    @AfterEach
    void stop() throws IOException {
        for (RawClient client : clients) {
            client.close();
        }
        broker.close();
    }

    private RawClient client() throws IOException {
        RawClient client = broker.connect();
        clients.add(client);
        return client;
    }

    private static void ping(RawClient client) throws IOException {
        for (int i = 0; i < 5; i++) {
            client.call(apiVersions(), ApiVersionsResponse.class);
        }
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void closesSilentConnectionsAfterTheIdleTimeOutAndKeepsOthers(Transport transport) throws IOException {
        start(transport, Map.of("connections.max.idle.ms", "10000"));
        RawClient busy = client();
        ping(busy);
        for (int i = 0; i < 50; i++) {
            client();
        }
        for (int i = 0; i < 1_000 && broker.server().connections().size() < 51; i++) {
            ping(busy);
        }
        assertThat(broker.server().connections().size()).isEqualTo(51);
        int steps = 0;
        while (broker.server().connections().size() > 1 && steps < 100) {
            time.advanceMillis(STEP_MILLIS);
            ping(busy);
            steps++;
        }
        assertThat(steps * STEP_MILLIS).isBetween(10_000, 16_000);
        for (RawClient client : clients.subList(1, 51)) {
            assertThat(client.isClosedByNode()).isTrue();
        }
    }

    @Test
    void waitsForAnAnswerHoweverLongItTakes() throws Exception {
        start(Transport.best(), Map.of("connections.max.idle.ms", "1000"));
        RawClient waiting = client();
        waiting.send(metadata("t"));
        Call<MetadataRequest> call = metadata.next();
        RawClient busy = client();
        for (int i = 0; i < 40; i++) {
            time.advanceMillis(STEP_MILLIS);
            ping(busy);
        }
        call.respond(metadataAnswer("late"));
        assertThat(((MetadataResponse) waiting.receive()).clusterId()).isEqualTo("late");
    }

    @Test
    void readsNothingWhileTheClientIsThrottledAndAnswersAtOnce() throws Exception {
        start(Transport.best(), Map.of());
        RawClient client = client();
        client.send(metadata("a"));
        client.send(metadata("b"));
        Call<MetadataRequest> first = metadata.next();
        first.throttle(3_000);
        first.respond(metadataAnswer("1"));
        assertThat(((MetadataResponse) client.receive()).throttleTimeMs()).isEqualTo(3_000);
        RawClient other = client();
        ping(other);
        time.advanceMillis(2_900);
        ping(other);
        assertThat(metadata.kept()).isZero();
        time.advanceMillis(200);
        metadata.next().respond(metadataAnswer("2"));
        assertThat(((MetadataResponse) client.receive()).clusterId()).isEqualTo("2");
    }

    @Test
    void refusesConnectionsAboveTheLimitAndTakesNewOnesWhenSomeHaveGone() throws IOException {
        try (RecordedLog log = new RecordedLog()) {
            start(Transport.best(), Map.of("max.connections", "2"));
            RawClient first = client();
            ping(first);
            RawClient second = client();
            ping(second);
            RawClient third = client();
            assertThat(third.isClosedByNode()).isTrue();
            assertThat(log.lines())
                    .singleElement()
                    .satisfies(line -> assertThat(line).startsWith("WARN Refused a connection: too many are open"));
            second.close();
            for (int i = 0; i < 1_000 && broker.server().connections().size() > 1; i++) {
                ping(first);
            }
            ping(client());
        }
    }

    @Test
    void refusesConnectionsAboveTheLimitOfOneAddress() throws IOException {
        try (RecordedLog log = new RecordedLog()) {
            start(Transport.best(), Map.of("max.connections.per.ip", "1"));
            ping(client());
            assertThat(client().isClosedByNode()).isTrue();
            assertThat(log.lines()).hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void answersWhatIsInFlightBeforeItStops(Transport transport) throws Exception {
        start(transport, Map.of("sluice.shutdown.drain.ms", "20000"));
        RawClient client = client();
        client.send(metadata("t"));
        Call<MetadataRequest> call = metadata.next();
        RawClient idle = client();
        ping(idle);
        CountDownLatch stopped = new CountDownLatch(1);
        Thread stopping = new Thread(
                () -> {
                    broker.server().close();
                    stopped.countDown();
                },
                "stopping");
        stopping.start();
        assertThat(idle.isClosedByNode()).isTrue();
        assertThat(stopped.getCount()).isEqualTo(1);
        call.respond(metadataAnswer("last"));
        assertThat(((MetadataResponse) client.receive()).clusterId()).isEqualTo("last");
        assertThat(client.isClosedByNode()).isTrue();
        assertThat(stopped.await(20, TimeUnit.SECONDS)).isTrue();
        assertThatThrownBy(this::client).isInstanceOf(IOException.class);
    }

    @Test
    void stopsThoughACallIsNeverAnswered() throws Exception {
        start(Transport.best(), Map.of("sluice.shutdown.drain.ms", "50"));
        RawClient client = client();
        client.send(metadata("t"));
        Call<MetadataRequest> call = metadata.next();
        broker.server().close();
        assertThat(client.isClosedByNode()).isTrue();
        call.respond(metadataAnswer("too late"));
    }

    /** Its socket is accepted, but its event loop gets to it only when the stop has closed all connections it knew of. */
    @Test
    void closesAConnectionThatWasAcceptedJustBeforeTheStop() throws Exception {
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        broker = BrokerFixture.options()
                .config(Map.of("num.network.threads", "2", "sluice.shutdown.drain.ms", "60000"))
                .start(ScriptedHandler.<MetadataRequest>doing(ApiKeys.METADATA, call -> {
                    busy.countDown();
                    await(goOn);
                    call.respond(metadataAnswer("c"));
                }));
        RawClient blocking = client();
        ping(blocking);
        RawClient onTheOtherLoop = client();
        ping(onTheOtherLoop);
        blocking.send(metadata("t"));
        await(busy);
        RawClient late = client();
        Thread stopping = new Thread(broker.server()::close, "stopping");
        stopping.start();
        assertThat(onTheOtherLoop.isClosedByNode()).isTrue();
        goOn.countDown();
        assertThat(late.isClosedByNode()).isTrue();
        stopping.join(20_000);
        assertThat(stopping.isAlive()).isFalse();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void tellsWhenARequestArrivedNotWhenItsTurnCame() throws Exception {
        start(Transport.best(), Map.of());
        RawClient client = client();
        client.send(metadata("a"));
        Call<MetadataRequest> first = metadata.next();
        client.send(metadata("b"));
        ping(client());
        long arrived = time.nanoTime();
        time.advanceMillis(3_000);
        first.respond(metadataAnswer("1"));
        Call<MetadataRequest> second = metadata.next();
        assertThat(second.receivedNanos()).isEqualTo(arrived);
        second.respond(metadataAnswer("2"));
    }

    @Test
    void closesWhereEvenTheReserveOfMemoryIsUsedUp() throws Exception {
        start(Transport.best(), Map.of());
        RawClient client = client();
        byte[] first = RawClient.frame(new RequestHeader(ApiKeys.METADATA, (short) 9, "c", 1), metadata("t"));
        byte[] second = RawClient.frame(new RequestHeader(ApiKeys.PRODUCE, (short) 9, "c", 2), produce(1, 100));
        client.write(ByteBuffer.allocate(first.length + second.length)
                .put(first)
                .put(second)
                .array());
        Call<MetadataRequest> call = metadata.next();
        RawClient other = client();
        ping(other);
        CountedAllocator allocator = broker.allocator();
        int free = (int) (allocator.limitBytes() - allocator.usedBytes());
        List<ByteBuf> all =
                List.of(allocator.directBuffer(free), allocator.reservedBuffer((int) (allocator.limitBytes() / 10)));
        try (RecordedLog log = new RecordedLog()) {
            call.respondNothing();
            assertThat(client.isClosedByNode()).isTrue();
            assertThat(log.lines())
                    .anySatisfy(line ->
                            assertThat(line).contains("no direct memory").contains("for a request"));
        } finally {
            all.forEach(ByteBuf::release);
        }
        assertThat(produce.kept()).isZero();
        ping(other);
    }

    @Test
    void namesTheAddressThatCannotBeBound() throws IOException {
        start(Transport.best(), Map.of());
        assertThatThrownBy(
                        () -> broker.server().start(List.of(ListenerConfig.of("SECOND", "127.0.0.1", broker.port()))))
                .isInstanceOf(UserException.class)
                .hasMessageStartingWith("Cannot listen on 127.0.0.1:" + broker.port() + " (listener SECOND): ")
                .hasMessageEndingWith("Stop what uses the address, or set another port.");
    }

    @Test
    void runsTasksForTheEndOfAConnection() throws Exception {
        start(Transport.best(), Map.of());
        RawClient client = client();
        client.send(metadata("t"));
        Call<MetadataRequest> call = metadata.next();
        CountDownLatch closed = new CountDownLatch(2);
        call.connection().onClose(() -> {
            throw new IllegalStateException("a defect in one task");
        });
        call.connection().onClose(closed::countDown);
        try (RecordedLog log = new RecordedLog()) {
            client.close();
            for (int i = 0; i < 1_000 && broker.server().connections().size() > 0; i++) {
                ping(client());
                clients.remove(clients.size() - 1).close();
            }
            call.connection().onClose(closed::countDown);
            assertThat(closed.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(log.lines())
                    .containsExactly("ERROR A task for the end of a connection failed"
                            + " thrown=java.lang.IllegalStateException");
        }
        call.respond(metadataAnswer("nobody"));
    }

    @Test
    void listsWhoIsConnectedAndWhatTheyDid() throws Exception {
        start(Transport.best(), Map.of());
        RawClient client = client();
        client.send(metadata("t"));
        Call<MetadataRequest> call = metadata.next();
        for (int i = 0; i < 20; i++) {
            call.connection().noteTopic("topic-" + i);
        }
        call.connection().noteTopic("topic-10");
        call.respond(metadataAnswer("c"));
        client.receive();
        ConnectionInfo info = broker.server().connections().snapshot().get(0);
        assertThat(info.address()).isEqualTo("127.0.0.1:" + client.localPort());
        assertThat(info.listener()).isEqualTo("PLAINTEXT");
        assertThat(info.clientId()).isEqualTo("raw");
        assertThat(info.requests()).isEqualTo(1);
        assertThat(info.bytesIn()).isPositive();
        assertThat(info.bytesOut()).isPositive();
        assertThat(info.sinceEpochMillis()).isEqualTo(1_800_000_000_000L);
        assertThat(info.topics()).hasSize(16).startsWith("topic-10", "topic-19", "topic-18");
    }

    @Test
    void countsRequestsErrorsAndBytes() throws Exception {
        start(Transport.best(), Map.of());
        RawClient client = client();
        client.send(metadata("t"));
        Call<MetadataRequest> call = metadata.next();
        time.advanceMillis(3);
        call.respond(call.request().getErrorResponse(0, new org.apache.kafka.common.errors.InvalidTopicException()));
        client.receive();
        ping(client);
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        broker.metrics().writeText(text);
        assertThat(text.toString(StandardCharsets.UTF_8))
                .contains("sluice_net_requests_total{api=\"Metadata\"} 1.0")
                .contains("sluice_net_request_errors_total{api=\"Metadata\",error=\"INVALID_TOPIC_EXCEPTION\"} 1.0")
                .contains("sluice_net_request_seconds_bucket{api=\"Metadata\",le=\"0.002\"} 0")
                .contains("sluice_net_request_seconds_bucket{api=\"Metadata\",le=\"0.005\"} 1")
                .contains("sluice_net_connections{listener=\"PLAINTEXT\"} 1.0")
                .contains("sluice_net_connections_opened_total{listener=\"PLAINTEXT\"} 1.0");
    }
}
