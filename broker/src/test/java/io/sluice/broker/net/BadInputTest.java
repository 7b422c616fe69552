package io.sluice.broker.net;

import static io.sluice.broker.fixture.Requests.apiVersions;
import static io.sluice.broker.fixture.Requests.metadata;
import static io.sluice.broker.fixture.Requests.metadataAnswer;
import static io.sluice.broker.fixture.Requests.produceAnswer;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.api.ApiHandler;
import io.sluice.broker.fixture.BrokerFixture;
import io.sluice.broker.fixture.RawClient;
import io.sluice.broker.fixture.RecordedLog;
import io.sluice.broker.fixture.Requests;
import io.sluice.broker.fixture.ScriptedHandler;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.ApiVersionsResponse;
import org.apache.kafka.common.requests.MetadataRequest;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.RequestHeader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What clients must not send, and what becomes of them and of others. */
class BadInputTest {
    private static final int FUZZED_FRAMES = Integer.getInteger("sluice.fuzz.frames", 5_000);
    private static final long FUZZ_SEED = Long.getLong("sluice.fuzz.seed", 20_260_101L);

    private final RecordedLog log = new RecordedLog();
    private BrokerFixture broker;
    private RawClient bystander;

    @BeforeEach
    void start() throws IOException {
        ApiHandler<MetadataRequest> metadata =
                ScriptedHandler.doing(ApiKeys.METADATA, call -> call.respond(metadataAnswer("c")));
        broker = BrokerFixture.start(metadata, new ProduceFromZero());
        bystander = broker.connect();
    }

    @AfterEach
    void stop() throws IOException {
        bystander.call(apiVersions(), ApiVersionsResponse.class);
        bystander.close();
        broker.close();
        log.close();
    }

    /** Advertises versions that cannot be read any more, as Produce does for librdkafka's sake. */
    private static final class ProduceFromZero implements ApiHandler<ProduceRequest> {
        @Override
        public ApiKeys api() {
            return ApiKeys.PRODUCE;
        }

        @Override
        public short oldestVersion() {
            return 0;
        }

        @Override
        public void handle(io.sluice.broker.api.Call<ProduceRequest> call) {
            call.respond(produceAnswer(0));
        }
    }

    private static byte[] sized(int size, byte... content) {
        return ByteBuffer.allocate(4 + content.length).putInt(size).put(content).array();
    }

    private static byte[] header(int key, int version, int correlationId) {
        return ByteBuffer.allocate(10)
                .putShort((short) key)
                .putShort((short) version)
                .putInt(correlationId)
                .putShort((short) -1)
                .array();
    }

    private void assertCloses(byte[] bytes, String line) throws IOException {
        try (RawClient client = broker.connect()) {
            client.write(bytes);
            assertThat(client.isClosedByNode()).isTrue();
        }
        assertThat(log.lines()).anySatisfy(found -> assertThat(found).contains(line));
    }

    @Test
    void closesOnANegativeSize() throws IOException {
        assertCloses(sized(-1), "WARN Closed a connection: the frame's size is not allowed");
    }

    @Test
    void closesOnASizeOfTwoGigabytesWithoutReservingAnything() throws IOException {
        long before = broker.allocator().usedBytes();
        assertCloses(sized(Integer.MAX_VALUE), "the frame's size is not allowed");
        assertCloses(sized(100 * 1024 * 1024 + 1), "the frame's size is not allowed");
        assertThat(broker.allocator().usedBytes()).isEqualTo(before);
    }

    @Test
    void reservesLittleForALargeFrameThatDoesNotArrive() throws Exception {
        long before = broker.allocator().usedBytes();
        try (RawClient client = broker.connect()) {
            client.write(sized(100 * 1024 * 1024, header(ApiKeys.PRODUCE.id, 9, 1)));
            bystander.call(apiVersions(), ApiVersionsResponse.class);
            try (RawClient other = broker.connect()) {
                other.call(apiVersions(), ApiVersionsResponse.class);
            }
            assertThat(broker.allocator().usedBytes() - before).isLessThanOrEqualTo(256 << 10);
        }
    }

    @Test
    void closesOnALargeRequestThatIsNoProduce() throws IOException {
        byte[] large = new byte[300_000];
        System.arraycopy(header(ApiKeys.METADATA.id, 9, 1), 0, large, 0, 10);
        assertCloses(sized(17 << 20, large), "the frame's size is not allowed");
    }

    @Test
    void closesOnAnUnknownKey() throws IOException {
        assertCloses(sized(10, header(9999, 0, 1)), "unknown API key");
        assertCloses(sized(10, header(-5, 0, 1)), "");
    }

    @Test
    void closesOnAKeyThatKafkaKnowsAndNobodyServes() throws IOException {
        assertCloses(sized(10, header(ApiKeys.LEADER_AND_ISR.id, 0, 1)), "detail=\"key 4\"");
    }

    @Test
    void closesOnAnUnsupportedVersion() throws IOException {
        assertCloses(sized(10, header(ApiKeys.METADATA.id, 99, 1)), "detail=\"Metadata version 99\"");
        assertCloses(sized(10, header(ApiKeys.METADATA.id, -1, 1)), "");
    }

    @Test
    void closesOnAVersionThatIsAdvertisedOnlyForShow() throws IOException {
        assertCloses(sized(10, header(ApiKeys.PRODUCE.id, 2, 1)), "detail=\"Produce version 2\"");
    }

    @Test
    void closesOnARequestShorterThanItsHeader() throws IOException {
        assertCloses(sized(0), "malformed request");
        assertCloses(sized(3, (byte) 0, (byte) 3, (byte) 0), "");
        assertCloses(sized(8, Arrays.copyOf(header(ApiKeys.METADATA.id, 9, 1), 8)), "");
    }

    @Test
    void closesOnATruncatedBody() throws IOException {
        byte[] whole = RawClient.frame(new RequestHeader(ApiKeys.METADATA, (short) 9, "x", 1), metadata("topic"));
        byte[] cut = Arrays.copyOf(whole, whole.length - 3);
        ByteBuffer.wrap(cut).putInt(cut.length - 4);
        assertCloses(cut, "detail=\"Metadata version 9: the body cannot be read\"");
    }

    @Test
    void closesOnMillionsOfEmptyElements() throws IOException {
        int topics = 4_000_000;
        ByteBuffer request = ByteBuffer.allocate(32 + 2 * topics);
        request.putInt(0).put(header(ApiKeys.METADATA.id, 1, 1)).putInt(topics);
        request.position(request.position() + 2 * topics);
        request.putInt(0, request.position() - 4);
        byte[] bytes = Arrays.copyOf(request.array(), request.position());
        assertCloses(bytes, "it has a list of more elements than one request may have");
    }

    @Test
    void tellsOnceASecondAndNeverWhatWasSent() throws IOException {
        byte[] frame =
                RawClient.frame(new RequestHeader(ApiKeys.METADATA, (short) 9, "secret", 1), metadata("the secret"));
        byte[] cut = Arrays.copyOf(frame, frame.length - 3);
        ByteBuffer.wrap(cut).putInt(cut.length - 4);
        long begin = System.nanoTime();
        for (int i = 0; i < 20; i++) {
            try (RawClient client = broker.connect()) {
                client.write(cut);
                assertThat(client.isClosedByNode()).isTrue();
            }
        }
        long seconds = (System.nanoTime() - begin) / 1_000_000_000;
        List<String> lines = log.lines();
        assertThat(lines).isNotEmpty().hasSizeLessThanOrEqualTo((int) seconds + 2);
        assertThat(lines).noneMatch(line -> line.contains("secret") || line.contains("thrown="));
    }

    @Test
    void survivesFuzzedFramesWhileOthersAreServed() throws IOException {
        Random random = new Random(FUZZ_SEED);
        long before = broker.allocator().usedBytes();
        for (int i = 0; i < FUZZED_FRAMES; i++) {
            try (RawClient client = broker.connect()) {
                client.write(fuzzed(random));
                if (i % 50 == 0) {
                    bystander.call(apiVersions(), ApiVersionsResponse.class);
                    bystander.call(metadata("t"), org.apache.kafka.common.requests.MetadataResponse.class);
                }
                client.finishSending();
                assertThat(client.isClosedByNode()).isTrue();
            } catch (SocketException e) {
                // The node closed while bytes were still being sent, which is its right.
                assertThat(e).hasMessageNotContaining("refused");
            }
        }
        assertAllGone(before);
        assertThat(log.lines()).noneMatch(line -> line.startsWith("ERROR"));
    }

    private void assertAllGone(long usedBefore) throws IOException {
        for (int i = 0; i < 10_000 && !allGone(usedBefore); i++) {
            bystander.call(apiVersions(), ApiVersionsResponse.class);
        }
        assertThat(broker.server().connections().size()).isEqualTo(1);
        assertThat(broker.allocator().usedBytes()).isEqualTo(usedBefore);
    }

    private boolean allGone(long usedBefore) {
        return broker.server().connections().size() == 1 && broker.allocator().usedBytes() == usedBefore;
    }

    private static byte[] fuzzed(Random random) {
        return switch (random.nextInt(5)) {
            case 0 -> noise(random, random.nextInt(200));
            case 1 -> sized(random.nextInt(), noise(random, random.nextInt(100)));
            case 2 -> framed(random, noise(random, random.nextInt(300)));
            case 3 -> mutated(random, Requests.produce(1, random.nextInt(500)), ApiKeys.PRODUCE, 9);
            default -> mutated(random, metadata("topic-" + random.nextInt()), ApiKeys.METADATA, 9);
        };
    }

    private static byte[] noise(Random random, int bytes) {
        byte[] noise = new byte[bytes];
        random.nextBytes(noise);
        return noise;
    }

    /** A good size and a good key and version in front of noise. */
    private static byte[] framed(Random random, byte[] noise) {
        int[] keys = {ApiKeys.PRODUCE.id, ApiKeys.METADATA.id, ApiKeys.API_VERSIONS.id};
        return ByteBuffer.allocate(8 + noise.length)
                .putInt(4 + noise.length)
                .putShort((short) keys[random.nextInt(keys.length)])
                .putShort((short) random.nextInt(15))
                .put(noise)
                .array();
    }

    /** A good request with a few bytes changed, behind the size or in it. */
    private static byte[] mutated(
            Random random, org.apache.kafka.common.requests.AbstractRequest request, ApiKeys api, int version) {
        byte[] frame = RawClient.frame(new RequestHeader(api, (short) version, "fuzz", random.nextInt()), request);
        int from = random.nextInt(4) == 0 ? 0 : 4;
        for (int i = random.nextInt(8); i >= 0; i--) {
            frame[from + random.nextInt(frame.length - from)] = (byte) random.nextInt();
        }
        return frame;
    }
}
