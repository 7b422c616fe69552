package io.sluice.broker.produce;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.simulation.Batches;
import io.sluice.broker.simulation.RecordingCall;
import io.sluice.protocol.record.BatchView;
import io.sluice.protocol.record.CompressionCodec;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.ProduceResponseData.PartitionProduceResponse;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.ProduceRequest;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Record sets mutated by seed, to topics of every kind: each is answered with a code that says what is wrong, what is
 * stored is whole, and the next sound batch is served as ever.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ProduceFuzzTest {
    private static final long NOW = ProduceWorld.START_MILLIS;
    private static final int ROUNDS = 5_000;
    private static final List<String> TOPICS = List.of("plain", "compacted", "append-time", "lz4", "zstd", "small");
    private static final Set<Errors> ALLOWED = Set.of(
            Errors.NONE,
            Errors.CORRUPT_MESSAGE,
            Errors.INVALID_RECORD,
            Errors.INVALID_TIMESTAMP,
            Errors.MESSAGE_TOO_LARGE,
            Errors.UNSUPPORTED_COMPRESSION_TYPE,
            Errors.OUT_OF_ORDER_SEQUENCE_NUMBER,
            Errors.INVALID_PRODUCER_EPOCH,
            Errors.TRANSACTIONAL_ID_AUTHORIZATION_FAILED);

    private final ProduceWorld world = new ProduceWorld();

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13})
    void everyMutationIsAnswered(long seed) {
        world.createTopic("plain");
        world.createTopic("compacted", "cleanup.policy", "compact");
        world.createTopic("append-time", "message.timestamp.type", "LogAppendTime");
        world.createTopic("lz4", "compression.type", "lz4");
        world.createTopic("zstd", "compression.type", "zstd", "cleanup.policy", "compact");
        world.createTopic("small", "max.message.bytes", "300", "message.timestamp.before.max.ms", "1000");
        Random random = new Random(seed);
        Set<Errors> seen = new HashSet<>();
        for (int round = 0; round < ROUNDS; round++) {
            String topic = TOPICS.get(random.nextInt(TOPICS.size()));
            world.version = (short) (3 + random.nextInt(10));
            MemoryRecords records = mutated(random);
            RecordingCall<ProduceRequest> call = world.send(topic, 0, records);
            assertThat(call.isAnswered()).as("seed %d round %d", seed, round).isTrue();
            seen.add(Errors.forCode(world.answer(call).errorCode()));
        }
        assertThat(seen).isSubsetOf(ALLOWED).hasSizeGreaterThan(5);
        TOPICS.forEach(this::isWholeAndServes);
    }

    private void isWholeAndServes(String topic) {
        PartitionProduceResponse sound = world.produce(topic, Batches.of(NOW, "sound"));
        assertThat(Errors.forCode(sound.errorCode())).isEqualTo(Errors.NONE);
        ByteBuf contents = world.log(topic, 0).contents();
        BatchView view = new BatchView();
        long offset = 0;
        for (int index = 0; index < contents.readableBytes(); index = view.endIndex()) {
            assertThat(BatchView.isWholeAt(contents, index, contents.writerIndex()))
                    .isTrue();
            view.wrap(contents, index);
            assertThat(view.isCrcValid()).isTrue();
            assertThat(view.baseOffset()).isEqualTo(offset);
            offset = view.nextOffset();
        }
        assertThat(offset).isEqualTo(world.log(topic, 0).endOffset());
    }

    private static MemoryRecords mutated(Random random) {
        CompressionCodec codec = java.util.Objects.requireNonNull(CompressionCodec.find(random.nextInt(5)));
        MemoryRecords sound = Batches.batch(codec, batch -> {
            if (random.nextBoolean()) {
                batch.producer(random.nextInt(3), (short) random.nextInt(2), random.nextInt(4));
            }
            Batches.addAll(batch, NOW - random.nextInt(5_000), "a", "b".repeat(random.nextInt(200)), "c");
        });
        ByteBuffer source = sound.buffer();
        byte[] bytes = new byte[source.remaining()];
        source.get(bytes);
        for (int i = random.nextInt(6); i > 0; i--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        int length = random.nextInt(8) == 0 ? random.nextInt(bytes.length + 1) : bytes.length;
        ByteBuffer mutated = ByteBuffer.wrap(bytes, 0, length).slice();
        boolean whole = length >= BatchView.HEADER_BYTES
                && mutated.getInt(8) == length - BatchView.LOG_OVERHEAD
                && mutated.get(16) == BatchView.MAGIC;
        if (whole && random.nextInt(4) > 0) {
            // With a valid CRC, so that the damage gets past it.
            new BatchView().wrap(Unpooled.wrappedBuffer(mutated)).rewriteCrc();
        }
        return MemoryRecords.readableRecords(mutated);
    }
}
