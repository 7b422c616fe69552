package io.sluice.broker.net;

import static io.sluice.broker.fixture.Requests.apiVersions;
import static io.sluice.broker.fixture.Requests.baseOffset;
import static io.sluice.broker.fixture.Requests.metadata;
import static io.sluice.broker.fixture.Requests.metadataAnswer;
import static io.sluice.broker.fixture.Requests.produce;
import static io.sluice.broker.fixture.Requests.produceAnswer;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.broker.fixture.BrokerFixture;
import io.sluice.broker.fixture.RawClient;
import io.sluice.broker.fixture.RecordedLog;
import io.sluice.broker.fixture.ScriptedHandler;
import io.sluice.broker.fixture.SharedTime;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.ApiVersionsResponse;
import org.apache.kafka.common.requests.JoinGroupRequest;
import org.apache.kafka.common.requests.JoinGroupResponse;
import org.apache.kafka.common.requests.MetadataRequest;
import org.apache.kafka.common.requests.MetadataResponse;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.ProduceResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The memory that requests of all connections share. */
class RequestBudgetTest {
    private static final int MIB = 1 << 20;
    private static final int STEP_MILLIS = 250;

    private final SharedTime time = new SharedTime();
    private final ScriptedHandler<ProduceRequest> produce = ScriptedHandler.keeping(ApiKeys.PRODUCE, true);
    private final ApiHandler<MetadataRequest> metadata =
            ScriptedHandler.doing(ApiKeys.METADATA, call -> call.respond(metadataAnswer("c")));
    private final ScriptedHandler<JoinGroupRequest> join = ScriptedHandler.keeping(ApiKeys.JOIN_GROUP, false);
    private final List<RawClient> clients = new ArrayList<>();
    private final ExecutorService senders = Executors.newCachedThreadPool();

    @SuppressWarnings("NullAway.Init") // set by start(), which every test calls first
    private BrokerFixture broker;

    @SuppressWarnings("NullAway.Init") // set by start(), which every test calls first
    private RawClient bystander;

    private long idleBytes;

    private void start(long budgetBytes, long directBytes) throws IOException {
        broker = BrokerFixture.options()
                .memory(directBytes)
                .time(time, time)
                .config(Map.of(
                        "num.network.threads", "1",
                        "queued.max.request.bytes", Long.toString(budgetBytes),
                        "socket.receive.buffer.bytes", "65536"))
                .start(produce, metadata, join);
        bystander = broker.connect();
        passLoop();
        idleBytes = broker.allocator().usedBytes();
    }

    @AfterEach
    void stop() throws IOException {
        senders.shutdownNow();
        for (RawClient client : clients) {
            client.close();
        }
        bystander.close();
        broker.close();
    }

    private void passLoop() throws IOException {
        for (int i = 0; i < 5; i++) {
            bystander.call(apiVersions(), ApiVersionsResponse.class);
        }
    }

    private RawClient client() throws IOException {
        RawClient client = broker.connect();
        clients.add(client);
        return client;
    }

    /** Sends and waits for the answer, on a thread of its own. */
    private Future<Long> sendAndAwait(int bytes) throws IOException {
        RawClient client = client();
        return senders.submit(() -> baseOffset(client.call(produce(1, bytes), ProduceResponse.class)));
    }

    private static long get(Future<Long> answer) throws InterruptedException, ExecutionException, TimeoutException {
        return answer.get(20, TimeUnit.SECONDS);
    }

    @Test
    void stopsReadingWhenTheBudgetIsUsedUpAndGoesOnInTurnWhenMemoryComesBack() throws Exception {
        start(4L * MIB, 64L * MIB);
        List<Future<Long>> answers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            answers.add(sendAndAwait(MIB));
        }
        List<Call<ProduceRequest>> inFlight = new ArrayList<>();
        inFlight.add(produce.next());
        for (int i = 0; i < 20; i++) {
            passLoop();
        }
        assertThat(broker.allocator().usedBytes() - idleBytes).isLessThanOrEqualTo(6L * MIB);
        assertThat(produce.kept()).isLessThanOrEqualTo(4);
        for (int i = 0; i < 20; i++) {
            Call<ProduceRequest> call = inFlight.isEmpty() ? produce.next() : inFlight.remove(0);
            call.respond(produceAnswer(i));
            assertThat(broker.allocator().usedBytes() - idleBytes).isLessThanOrEqualTo(6L * MIB);
        }
        for (Future<Long> answer : answers) {
            assertThat(get(answer)).isBetween(0L, 19L);
        }
        assertMemoryBack();
    }

    private void assertMemoryBack() throws IOException {
        for (int i = 0; i < 1_000 && broker.allocator().usedBytes() != idleBytes; i++) {
            passLoop();
        }
        assertThat(broker.allocator().usedBytes()).isEqualTo(idleBytes);
    }

    @Test
    void servesSmallRequestsWhileLargeOnesWait() throws Exception {
        start(MIB, 64L * MIB);
        Future<Long> first = sendAndAwait(900_000);
        Call<ProduceRequest> holding = produce.next();
        Future<Long> waiting = sendAndAwait(900_000);
        for (int i = 0; i < 20; i++) {
            passLoop();
            assertThat(bystander.call(metadata("t"), MetadataResponse.class).clusterId())
                    .isEqualTo("c");
        }
        assertThat(produce.kept()).isZero();
        holding.respond(produceAnswer(1));
        assertThat(get(first)).isEqualTo(1);
        produce.next().respond(produceAnswer(2));
        assertThat(get(waiting)).isEqualTo(2);
    }

    @Test
    void finishesFramesThatAreAllHalfThere() throws Exception {
        start(4L * MIB, 64L * MIB);
        byte[] frame = RawClient.frame(new RequestHeader(ApiKeys.PRODUCE, (short) 9, "x", 1), produce(1, 2 * MIB));
        List<Future<?>> sent = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            RawClient client = client();
            client.write(Arrays.copyOf(frame, MIB / 2));
            sent.add(senders.submit(() -> {
                client.write(Arrays.copyOfRange(frame, MIB / 2, frame.length));
                return client.receiveFrame().getInt();
            }));
        }
        for (int i = 0; i < 8; i++) {
            produce.next().respond(produceAnswer(i));
        }
        for (Future<?> each : sent) {
            assertThat(each.get(20, TimeUnit.SECONDS)).isEqualTo(1);
        }
        assertMemoryBack();
    }

    @Test
    void disconnectsWhoHoldsMemoryWithHalfAFrameWhileOthersWait() throws Exception {
        start(2L * MIB, 64L * MIB);
        try (RecordedLog log = new RecordedLog()) {
            byte[] frame = RawClient.frame(new RequestHeader(ApiKeys.PRODUCE, (short) 9, "x", 1), produce(1, 8 * MIB));
            for (int i = 0; i < 2; i++) {
                RawClient client = client();
                senders.execute(() -> writeInVain(client, Arrays.copyOf(frame, 7 * MIB)));
            }
            for (int i = 0; i < 1_000 && !metricsText().contains("sluice_net_request_memory_waiters 1.0"); i++) {
                passLoop();
            }
            assertThat(metricsText()).contains("sluice_net_request_memory_waiters 1.0");
            Future<Long> honest = sendAndAwait(MIB);
            for (int i = 0; i < 1_000 && produce.kept() == 0; i++) {
                time.advanceMillis(STEP_MILLIS);
                passLoop();
            }
            produce.next().respond(produceAnswer(5));
            assertThat(get(honest)).isEqualTo(5);
            assertThat(log.lines())
                    .anySatisfy(line ->
                            assertThat(line).contains("its request did not arrive while others wait for memory"));
        }
    }

    /** The node stops reading in the middle; in the end it, or this test, closes the connection. */
    private static void writeInVain(RawClient client, byte[] bytes) {
        try {
            client.write(bytes);
        } catch (IOException e) {
            assertThat(e).isInstanceOf(SocketException.class);
        }
    }

    private String metricsText() throws IOException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        broker.metrics().writeText(text);
        return text.toString(StandardCharsets.UTF_8);
    }

    @Test
    void takesARequestOfFiftyMegabytes() throws Exception {
        start(100L * MIB, 128L * MIB);
        Future<Long> answer = sendAndAwait(50 * MIB);
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
                .isGreaterThan(50 * MIB);
        assertThat(broker.allocator().usedBytes() - idleBytes).isBetween(50L * MIB, 51L * MIB);
        call.respond(produceAnswer(50));
        assertThat(get(answer)).isEqualTo(50);
        assertMemoryBack();
    }

    @Test
    void waitsWhereTheBudgetHasRoomAndTheAllocatorHasNone() throws Exception {
        start(60L * MIB, 64L * MIB);
        io.netty.buffer.ByteBuf others = broker.allocator().directBuffer(63 * MIB, 63 * MIB);
        Future<Long> answer = sendAndAwait(2 * MIB);
        advance(10);
        assertThat(produce.kept()).isZero();
        others.release();
        for (int i = 0; i < 1_000 && produce.kept() == 0; i++) {
            time.advanceMillis(STEP_MILLIS);
            passLoop();
        }
        produce.next().respond(produceAnswer(1));
        assertThat(get(answer)).isEqualTo(1);
    }

    private void advance(int steps) throws IOException {
        for (int i = 0; i < steps; i++) {
            time.advanceMillis(STEP_MILLIS);
            passLoop();
        }
    }

    @Test
    void disconnectsInTheEndWhereTheAllocatorHasNoneForLong() throws Exception {
        start(60L * MIB, 64L * MIB);
        io.netty.buffer.ByteBuf others = broker.allocator().directBuffer(63 * MIB, 63 * MIB);
        try (RecordedLog log = new RecordedLog()) {
            Future<Long> answer = sendAndAwait(2 * MIB);
            for (int i = 0; i < 1_000 && !answer.isDone(); i++) {
                advance(1);
            }
            assertThat(answer).failsWithin(20, TimeUnit.SECONDS);
            assertThat(log.lines())
                    .anySatisfy(line ->
                            assertThat(line).contains("no direct memory").contains("for a request"));
        } finally {
            others.release();
        }
        assertMemoryBack();
    }

    @Test
    void keepsTheFrameOfACallUntilItIsAnsweredThoughTheClientIsGone() throws Exception {
        start(4L * MIB, 64L * MIB);
        RawClient client = client();
        client.send(produce(1, 100_000));
        Call<ProduceRequest> call = produce.next();
        client.close();
        for (int i = 0; i < 1_000 && broker.server().connections().size() > 1; i++) {
            passLoop();
        }
        assertThat(broker.allocator().usedBytes() - idleBytes).isGreaterThan(100_000);
        call.respond(produceAnswer(1));
        assertMemoryBack();
    }

    @Test
    void countsARequestThatWaitsOnTheHeapUntilItIsAnswered() throws Exception {
        start(4L * MIB, 64L * MIB);
        List<Future<?>> answers = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            RawClient client = client();
            answers.add(senders.submit(() -> client.call(joinGroup(MIB), JoinGroupResponse.class)));
        }
        Call<JoinGroupRequest> first = join.next();
        for (int i = 0; i < 50; i++) {
            passLoop();
        }
        assertThat(join.kept()).isLessThan(5);
        first.respond(joinAnswer());
        for (int i = 1; i < 16; i++) {
            join.next().respond(joinAnswer());
        }
        for (Future<?> answer : answers) {
            assertThat(answer.get(20, TimeUnit.SECONDS)).isNotNull();
        }
        passLoop();
        assertThat(metricsText()).contains("sluice_net_request_memory_bytes 0.0");
        assertMemoryBack();
    }

    @Test
    void refusesARequestThatWouldWaitWithMoreThanAGroupMayHold() throws Exception {
        start(16L * MIB, 64L * MIB);
        try (RecordedLog log = new RecordedLog()) {
            RawClient client = client();
            writeInVain(
                    client,
                    RawClient.frame(new RequestHeader(ApiKeys.JOIN_GROUP, (short) 7, "x", 1), joinGroup(3 * MIB)));
            assertThat(client.isClosedByNode()).isTrue();
            assertThat(log.lines()).hasSize(1);
        }
    }

    private static JoinGroupRequest joinGroup(int metadataBytes) {
        JoinGroupRequestData data = new JoinGroupRequestData().setGroupId("g").setProtocolType("consumer");
        data.protocols()
                .add(new JoinGroupRequestData.JoinGroupRequestProtocol()
                        .setName("range")
                        .setMetadata(new byte[metadataBytes]));
        return new JoinGroupRequest.Builder(data).build((short) 7);
    }

    private static JoinGroupResponse joinAnswer() {
        return new JoinGroupResponse(new JoinGroupResponseData().setProtocolName("range"), (short) 7);
    }
}
