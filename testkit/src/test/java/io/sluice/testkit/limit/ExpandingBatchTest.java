package io.sluice.testkit.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.broker.BrokerKind;
import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.client.TopicSetup;
import io.sluice.testkit.fuzz.Bystander;
import io.sluice.testkit.fuzz.ProcessUsage;
import io.sluice.testkit.process.Settings;
import io.sluice.testkit.wire.RawConnection;
import io.sluice.testkit.wire.SimpleRequests;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Small batches that become huge when they are decompressed, sent where the node must look inside: they are refused, its
 * memory stays flat and others are served.
 */
@Tag("limits")
class ExpandingBatchTest {
    private static final int MEBIBYTE = 1 << 20;
    private static final int MAX_GROWTH_MEBIBYTES = 96;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final List<CompressionType> CODECS =
            List.of(CompressionType.GZIP, CompressionType.SNAPPY, CompressionType.LZ4, CompressionType.ZSTD);

    /**
     * A batch that must be refused.
     *
     * @param what why
     */
    private record Bomb(String what, MemoryRecords records) {}

    @Test
    void refusesWhatExpandsTooFarWhereItMustBeDecompressed() throws Exception {
        int rounds = Settings.amount("sluice.testkit.limits.bombs", 2, 25);
        List<Bomb> bombs = bombs();
        try (BrokerUnderTest broker = BrokerKind.candidate().start(Map.of())) {
            Map<String, String> large = Map.of("max.message.bytes", Integer.toString(64 * MEBIBYTE));
            List<String> topics = List.of("other-codec", "plain", "compacted");
            TopicSetup.create(broker.bootstrapServers(), "other-codec", 1, with(large, "compression.type", "lz4"));
            TopicSetup.create(broker.bootstrapServers(), "plain", 1, with(large, "compression.type", "uncompressed"));
            TopicSetup.create(broker.bootstrapServers(), "compacted", 1, with(large, "cleanup.policy", "compact"));
            TopicSetup.create(broker.bootstrapServers(), "bystander", 1);
            try (Bystander bystander = new Bystander(broker.address(), "bystander");
                    RawConnection connection = RawConnection.open(broker.address(), TIMEOUT)) {
                sendAll(connection, topics, bombs);
                ProcessUsage before = ProcessUsage.of(broker.pid());
                ProcessUsage most = before;
                for (int round = 0; round < rounds; round++) {
                    sendAll(connection, topics, bombs);
                    ProcessUsage now = ProcessUsage.of(broker.pid());
                    most = now.residentMebibytes() > most.residentMebibytes() ? now : most;
                }
                System.out.println("limits: " + rounds * topics.size() * bombs.size() + " expanding batches: " + before
                        + " became " + most + ", the bystander's slowest round took " + bystander.slowestMillis()
                        + " ms");
                assertThat(most.residentMebibytes()).isLessThan(before.residentMebibytes() + MAX_GROWTH_MEBIBYTES);
                for (String topic : topics) {
                    assertThat(send(connection, topic, batch(CompressionType.GZIP, 1, 100, 100)))
                            .as("a harmless batch to %s", topic)
                            .isEqualTo(Errors.NONE);
                }
                assertThat(bystander.failure()).isNull();
                assertThat(bystander.rounds()).isPositive();
            }
        }
    }

    private static void sendAll(RawConnection connection, List<String> topics, List<Bomb> bombs) throws Exception {
        for (String topic : topics) {
            for (Bomb bomb : bombs) {
                boolean sameCodec = topic.equals("other-codec")
                        && bomb.records.batches().iterator().next().compressionType() == CompressionType.LZ4;
                if (!sameCodec) {
                    assertThat(send(connection, topic, bomb.records))
                            .as("%s to %s", bomb.what, topic)
                            .isEqualTo(Errors.MESSAGE_TOO_LARGE);
                }
            }
        }
    }

    private static Errors send(RawConnection connection, String topic, MemoryRecords records) throws Exception {
        ProduceResponseData answer = connection.call(
                ProduceResponseData.class,
                SimpleRequests.PRODUCE_BY_NAME,
                SimpleRequests.produce(topic, 0, (short) -1, records));
        return Errors.forCode(SimpleRequests.errorOf(answer));
    }

    private static Map<String, String> with(Map<String, String> configs, String key, String value) {
        Map<String, String> all = new java.util.HashMap<>(configs);
        all.put(key, value);
        return all;
    }

    /** More than 100 times their size in every codec that can do that, and more than 256 MiB at less than 100 times. */
    private static List<Bomb> bombs() {
        List<Bomb> bombs = new ArrayList<>();
        for (CompressionType codec : CODECS) {
            MemoryRecords records = batch(codec, 128, MEBIBYTE, 0);
            int times = 128 * MEBIBYTE / records.sizeInBytes();
            System.out.println("limits: " + codec + " makes 128 MiB " + times + " times smaller");
            if (times > 100) {
                bombs.add(new Bomb(codec + " of " + times + " times its size", records));
            }
        }
        assertThat(bombs).hasSizeGreaterThanOrEqualTo(3);
        for (CompressionType codec : List.of(CompressionType.GZIP, CompressionType.ZSTD)) {
            MemoryRecords records = batch(codec, 270, MEBIBYTE, 16 << 10);
            assertThat(270 * MEBIBYTE / records.sizeInBytes()).isLessThan(100);
            bombs.add(new Bomb(codec + " of 270 MiB", records));
        }
        return bombs;
    }

    /** Keyed records that begin with noise and go on with zeros. */
    private static MemoryRecords batch(CompressionType codec, int records, int valueBytes, int noiseBytes) {
        Random random = new Random(valueBytes);
        try (MemoryRecordsBuilder builder = MemoryRecords.builder(
                ByteBuffer.allocate(MEBIBYTE),
                RecordBatch.CURRENT_MAGIC_VALUE,
                Compression.of(codec).build(),
                TimestampType.CREATE_TIME,
                0)) {
            byte[] noise = new byte[noiseBytes];
            for (int i = 0; i < records; i++) {
                byte[] value = new byte[valueBytes];
                random.nextBytes(noise);
                System.arraycopy(noise, 0, value, 0, noiseBytes);
                builder.append(0, ("key " + i).getBytes(StandardCharsets.UTF_8), value);
            }
            return builder.build();
        }
    }
}
