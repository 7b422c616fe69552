package io.sluice.broker.net;

import static io.sluice.broker.fixture.Requests.apiVersions;
import static io.sluice.broker.fixture.Requests.metadata;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.DefaultFileRegion;
import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.api.Call;
import io.sluice.broker.fixture.BrokerFixture;
import io.sluice.broker.fixture.RawClient;
import io.sluice.broker.fixture.RecordedLog;
import io.sluice.broker.fixture.ScriptedHandler;
import io.sluice.broker.fixture.SharedTime;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.ApiVersionsResponse;
import org.apache.kafka.common.requests.MetadataRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clients that ask and do not read. */
class SlowReaderTest {
    private static final int MIB = 1 << 20;
    private static final int STEP_MILLIS = 250;
    private static final int SMALL_BUFFER = 16 << 10;

    private final SharedTime time = new SharedTime();
    private final RecordedLog log = new RecordedLog();
    private final List<RawClient> clients = new ArrayList<>();
    private final AtomicInteger started = new AtomicInteger();

    @SuppressWarnings("NullAway.Init") // set by start(), which every test calls first
    private BrokerFixture broker;

    @SuppressWarnings("NullAway.Init") // set by start(), which every test calls first
    private RawClient bystander;

    private long idleBytes;

    @TempDir
    private Path directory;

    private void start(Transport transport, Map<String, String> more, ApiHandler<MetadataRequest> handler)
            throws IOException {
        Map<String, String> config = new java.util.HashMap<>(more);
        config.put("num.network.threads", "1");
        config.put("socket.send.buffer.bytes", Integer.toString(SMALL_BUFFER));
        config.put("sluice.connection.stall.timeout.ms", "60000");
        broker = BrokerFixture.options()
                .transport(transport)
                .time(time, time)
                .config(config)
                .start(handler);
        bystander = broker.connect();
        bystander.call(apiVersions(), ApiVersionsResponse.class);
        idleBytes = broker.allocator().usedBytes();
    }

    @AfterEach
    void stop() throws IOException {
        for (RawClient client : clients) {
            client.close();
        }
        bystander.close();
        broker.close();
        log.close();
    }

    private RawClient slowClient() throws IOException {
        RawClient client = new RawClient(broker.port(), "slow", SMALL_BUFFER);
        clients.add(client);
        return client;
    }

    /**
     * The one event loop has looked at everything sent before: each round trip is served in a later turn than the one
     * before, and a new connection takes a few turns to be accepted, registered and read.
     */
    private void passLoop() throws IOException {
        for (int i = 0; i < 5; i++) {
            bystander.call(apiVersions(), ApiVersionsResponse.class);
        }
    }

    private ApiHandler<MetadataRequest> answering(int bytes) {
        return ScriptedHandler.doing(ApiKeys.METADATA, call -> {
            started.incrementAndGet();
            ByteBuf body = broker.allocator().directBuffer(bytes, bytes);
            call.respondEncoded(List.of(body.writerIndex(bytes)));
        });
    }

    private void advanceUntilClosed(long connections) throws IOException {
        for (int i = 0; i < 1_000 && broker.server().connections().size() > connections; i++) {
            time.advanceMillis(STEP_MILLIS);
            passLoop();
        }
        assertThat(broker.server().connections().size()).isEqualTo(connections);
    }

    /** The memory of an answer may be given back a moment after the client has it. */
    private void assertMemoryBack() throws IOException {
        for (int i = 0; i < 1_000 && broker.allocator().usedBytes() != idleBytes; i++) {
            passLoop();
        }
        assertThat(broker.allocator().usedBytes()).isEqualTo(idleBytes);
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void startsNoFurtherCallForAClientThatDoesNotReadAndClosesItAfterTheTimeOut(Transport transport)
            throws IOException {
        start(transport, Map.of(), answering(4 * MIB));
        RawClient slow = slowClient();
        for (int i = 0; i < 10; i++) {
            slow.send(metadata("t"));
        }
        passLoop();
        time.advanceMillis(30_000);
        passLoop();
        assertThat(started).hasValue(1);
        assertThat(broker.allocator().usedBytes()).isBetween(idleBytes + MIB, idleBytes + 5 * MIB);
        advanceUntilClosed(1);
        assertMemoryBack();
        assertThat(log.lines())
                .singleElement()
                .satisfies(line -> assertThat(line)
                        .startsWith("WARN Closed a connection: the client does not read its answers client=")
                        .contains("bytes pending, none taken for 6"));
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void holdsFileRegionsBackLikeMemory(Transport transport) throws IOException {
        Path file = directory.resolve("region");
        try (RandomAccessFile random = new RandomAccessFile(file.toFile(), "rw")) {
            random.setLength(64L * MIB);
        }
        List<Long> released = new java.util.concurrent.CopyOnWriteArrayList<>();
        start(transport, Map.of(), ScriptedHandler.doing(ApiKeys.METADATA, call -> {
            started.incrementAndGet();
            call.respondEncoded(regions(file, released));
        }));
        RawClient slow = slowClient();
        slow.send(metadata("t"));
        slow.send(metadata("t"));
        passLoop();
        assertThat(started).hasValue(1);
        assertThat(released).isEmpty();
        advanceUntilClosed(1);
        passLoop();
        assertThat(released).hasSize(4);
        assertMemoryBack();
    }

    private static List<Object> regions(Path file, List<Long> released) {
        List<Object> regions = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            regions.add(new CountedRegion(file, i * 16L * MIB, 16L * MIB, released));
        }
        return regions;
    }

    /** Notes when its file is closed. */
    private static final class CountedRegion extends DefaultFileRegion {
        private final List<Long> released;

        CountedRegion(Path file, long position, long bytes, List<Long> released) {
            super(file.toFile(), position, bytes);
            this.released = released;
        }

        @Override
        protected void deallocate() {
            released.add(position());
            super.deallocate();
        }
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void sendsMemoryAndFileRegionsInOrder(Transport transport) throws IOException {
        Path file = directory.resolve("mixed");
        try (FileChannel channel = FileChannel.open(
                file, java.nio.file.StandardOpenOption.CREATE, java.nio.file.StandardOpenOption.WRITE)) {
            ByteBuffer pattern = ByteBuffer.allocate(MIB);
            for (int i = 0; i < MIB / 4; i++) {
                pattern.putInt(i);
            }
            channel.write(pattern.flip());
        }
        start(transport, Map.of(), ScriptedHandler.doing(ApiKeys.METADATA, call -> {
            ByteBuf front = broker.allocator().directBuffer(4).writeInt(-7);
            ByteBuf back = broker.allocator().directBuffer(4).writeInt(-8);
            call.respondEncoded(List.of(front, new DefaultFileRegion(file.toFile(), 0, MIB), back));
        }));
        RawClient client = slowClient();
        client.send(metadata("t"));
        ByteBuffer answer = client.receiveUnread();
        assertThat(answer.remaining()).isEqualTo(5 + 4 + MIB + 4);
        assertThat(answer.getInt(5)).isEqualTo(-7);
        for (int i = 0; i < MIB / 4; i++) {
            assertThat(answer.getInt(9 + 4 * i)).isEqualTo(i);
        }
        assertThat(answer.getInt(9 + MIB)).isEqualTo(-8);
    }

    @Test
    void keepsAClientThatReadsSlowlyButReads() throws IOException {
        start(Transport.best(), Map.of(), answering(2 * MIB));
        RawClient slow = slowClient();
        slow.send(metadata("t"));
        int size = ByteBuffer.wrap(slow.readBytes(4)).getInt();
        for (int left = size; left > 0; left -= 64 << 10) {
            assertThat(slow.readBytes(Math.min(left, 64 << 10))).isNotEmpty();
            time.advanceMillis(20_000);
            passLoop();
        }
        assertThat(broker.server().connections().size()).isEqualTo(2);
        assertThat(log.lines()).isEmpty();
    }

    @Test
    void keepsTwoHundredSuchClientsWithinTheGlobalBudgetWhileOthersAreServed() throws IOException {
        long budget = 16L * MIB;
        AtomicLong refused = new AtomicLong();
        start(
                Transport.best(),
                Map.of("sluice.response.memory.bytes", Long.toString(budget)),
                ScriptedHandler.doing(ApiKeys.METADATA, call -> answerWhatIsGranted(call, refused)));
        for (int i = 0; i < 200; i++) {
            RawClient slow = slowClient();
            for (int j = 0; j < 10; j++) {
                slow.send(metadata("t"));
            }
        }
        passLoop();
        long most = 0;
        int served = 0;
        for (int i = 0; i < 100; i++) {
            bystander.send(metadata("t"));
            served += bystander.receiveUnread().remaining() > 1_000 ? 1 : 0;
            most = Math.max(most, broker.allocator().usedBytes() - idleBytes);
        }
        assertThat(most).isLessThanOrEqualTo(budget + MIB);
        assertThat(served).isEqualTo(100);
        assertThat(refused).hasValue(0);
        advanceUntilClosed(1);
        assertMemoryBack();
    }

    private void answerWhatIsGranted(Call<MetadataRequest> call, AtomicLong refused) {
        int granted = call.reserveResponse(MIB);
        if (granted == 0) {
            refused.incrementAndGet();
        }
        ByteBuf body = broker.allocator().directBuffer(granted, granted);
        call.respondEncoded(List.of(body.writerIndex(granted)));
    }

    @Test
    void disconnectsSoonerWhenResponseMemoryIsScarce() throws IOException {
        start(Transport.best(), Map.of("sluice.response.memory.bytes", "5000000"), answering(4 * MIB));
        slowClient().send(metadata("t"));
        passLoop();
        advanceUntilClosed(1);
        assertThat(log.lines())
                .singleElement()
                .satisfies(line -> assertThat(line).containsPattern("none taken for 1\\d\\d\\d\\d ms"));
    }

    @Test
    void stopsReadingRequestsOfAClientThatDoesNotRead() throws IOException {
        start(Transport.best(), Map.of(), answering(MIB));
        RawClient slow = slowClient();
        slow.send(metadata("t"));
        passLoop();
        long received = receivedBytes();
        for (int i = 0; i < 20; i++) {
            slow.send(metadata("a topic with a long name, to fill what is read"));
            passLoop();
        }
        assertThat(receivedBytes()).isEqualTo(received);
    }

    private long receivedBytes() {
        return broker.server().connections().snapshot().get(1).bytesIn();
    }
}
