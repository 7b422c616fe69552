package io.sluice.testkit.damage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.broker.SluiceNode;
import io.sluice.testkit.client.TopicSetup;
import io.sluice.testkit.process.Await;
import io.sluice.testkit.process.Commands;
import io.sluice.testkit.process.Settings;
import io.sluice.testkit.wire.RawConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * One byte of a segment is another one: in a file that was cold when the node started, and in the page cache of a node that
 * runs. The batch is answered with CORRUPT_MESSAGE and never served as data, a line of the log says where it lies, all
 * other partitions serve, and {@code sluice log dump} finds it.
 */
@Tag("limits")
class FlippedByteTest {
    private static final String TOPIC = "flipped";
    private static final int RECORDS = 20;
    /** The first fits into one read at the end of a log, the other makes reads go to the disk and to file regions. */
    private static final int[] VALUE_BYTES = {6_000, 100_000};

    private static final int HEADER_BYTES = 61;
    private static final int LENGTH_FIELD = 8;
    private static final int LENGTH_FIELD_END = 12;
    private static final int FORMAT_FIELD = 16;
    private static final int LARGE_READ = 1 << 20;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    @TempDir
    private Path directory;

    /** Segments come to the disk early, so that the journal of a stopped node does not put back what was changed. */
    private static final Map<String, String> CONFIGS =
            Map.of("sluice.journal.checkpoint.bytes", Integer.toString(1 << 20));

    private static final int FILLER_RECORDS = 16;

    /**
     * A byte that was changed.
     *
     * @param position where its batch begins
     * @param now what the byte is now
     */
    private record Flip(NumberedPartition partition, Path segment, int batch, int position, int byteOfBatch, byte now) {
        /** Whether a node that started since then has put back what the journal still held. */
        boolean isMended() throws IOException {
            return NumberedPartition.byteAt(segment, position + byteOfBatch) != now;
        }

        @Override
        public String toString() {
            return partition.name() + ": byte " + byteOfBatch + " of batch " + batch + " at " + position;
        }
    }

    @Test
    void isReportedAndNotServed() throws Exception {
        Random random = new Random(Settings.seed("sluice.testkit.damage.seed"));
        // Each kind of record and each state of the node has its share of the header's bytes; all of them in the
        // profile.
        int flips = Settings.amount("sluice.testkit.damage.flips", 24, 4 * HEADER_BYTES + 40);
        Path data = directory.resolve("data");
        try (BrokerUnderTest broker = SluiceNode.start(directory.resolve("node"), data, CONFIGS)) {
            List<NumberedPartition> partitions = write(broker, flips + 2);
            broker.stop();
            List<Flip> cold = flip(broker, partitions.subList(0, flips / 2), random, 0);
            broker.start();
            List<Flip> all = leaveOutMended(broker, cold);
            all.addAll(flip(broker, partitions.subList(flips / 2, flips), random, 1));
            try (RawConnection connection = RawConnection.open(broker.address(), TIMEOUT)) {
                for (Flip flip : all) {
                    requireReported(broker, connection, flip);
                }
                for (NumberedPartition unharmed : partitions.subList(flips, flips + 2)) {
                    readUntilDamage(connection, unharmed, RECORDS);
                }
            }
            requireRefusedByTheJavaClient(broker, all.get(0));
            requireAppended(broker, all);
            broker.stop();
            requireDumped(data, all);
        }
    }

    private static List<NumberedPartition> write(BrokerUnderTest broker, int count) throws Exception {
        TopicSetup.create(broker.bootstrapServers(), TOPIC, count);
        List<NumberedPartition> partitions = new ArrayList<>();
        try (RawConnection connection = RawConnection.open(broker.address(), TIMEOUT)) {
            for (int i = 0; i < count; i++) {
                NumberedPartition partition =
                        new NumberedPartition(TOPIC, i, VALUE_BYTES[i % VALUE_BYTES.length], RECORDS);
                partition.write(connection);
                partitions.add(partition);
            }
        }
        TopicSetup.create(broker.bootstrapServers(), "filler", 1);
        try (RawConnection connection = RawConnection.open(broker.address(), TIMEOUT)) {
            new NumberedPartition("filler", 0, 1_000_000, FILLER_RECORDS).write(connection);
        }
        return partitions;
    }

    /** What the journal still held is as it was; most is not. */
    private static List<Flip> leaveOutMended(BrokerUnderTest broker, List<Flip> cold) throws IOException {
        List<Flip> left = new ArrayList<>();
        try (RawConnection connection = RawConnection.open(broker.address(), TIMEOUT)) {
            for (Flip flip : cold) {
                if (flip.isMended()) {
                    readUntilDamage(connection, flip.partition, RECORDS);
                } else {
                    left.add(flip);
                }
            }
        }
        System.out.println("damage: of " + cold.size() + " bytes flipped in a stopped node its journal mended "
                + (cold.size() - left.size()));
        assertThat(left).hasSizeGreaterThan(cold.size() / 2);
        return left;
    }

    /** Changes one byte of each partition: bytes of headers in turn, then any. */
    private static List<Flip> flip(BrokerUnderTest broker, List<NumberedPartition> partitions, Random random, int salt)
            throws IOException {
        List<Flip> flips = new ArrayList<>();
        int headers = partitions.size() - partitions.size() / 6;
        for (int i = 0; i < partitions.size(); i++) {
            NumberedPartition partition = partitions.get(i);
            Path segment = partition.segment(broker);
            List<Integer> positions = partition.batchPositions(segment);
            int batch = random.nextInt(RECORDS);
            int start = positions.get(batch);
            int size = positions.get(batch + 1) - start;
            int step = Math.max(1, 2 * HEADER_BYTES / headers);
            int byteOfBatch = i < headers ? (i / 2 * step + salt % step) % HEADER_BYTES : random.nextInt(size);
            byte now = NumberedPartition.flip(segment, start + byteOfBatch, 1 << random.nextInt(8));
            flips.add(new Flip(partition, segment, batch, start, byteOfBatch, now));
        }
        return flips;
    }

    private static void requireReported(BrokerUnderTest broker, RawConnection connection, Flip flip) throws Exception {
        readUntilDamage(connection, flip.partition, flip.batch);
        assertThat(flip.partition.read(connection, flip.batch, LARGE_READ))
                .as("%s, again", flip)
                .isEqualTo(new NumberedPartition.Outcome(Errors.CORRUPT_MESSAGE.code(), 0));
        assertThat(flip.partition.read(connection, flip.batch, 1))
                .as("%s, one byte", flip)
                .isEqualTo(new NumberedPartition.Outcome(Errors.CORRUPT_MESSAGE.code(), 0));
        for (int offset = 0; offset < RECORDS; offset++) {
            NumberedPartition.Outcome outcome = flip.partition.read(connection, offset, 1);
            boolean mayBeRefused = offset >= flip.batch;
            assertThat(outcome.error() == 0 ? outcome.records() > 0 : mayBeRefused)
                    .as("%s: offset %s is answered with %s", flip, offset, outcome)
                    .isTrue();
        }
        Await.until("a line of the log about " + flip, TIMEOUT, () -> linesAbout(broker, flip), count -> count > 0);
    }

    private static long linesAbout(BrokerUnderTest broker, Flip flip) throws IOException {
        try (Stream<String> lines = Files.lines(broker.outputFile())) {
            return lines.filter(line -> line.contains("a damaged batch is not served")
                            && line.contains("log=" + flip.partition.name() + " ")
                            && line.contains("file=" + flip.segment + " ")
                            && line.contains("offset=" + flip.batch))
                    .count();
        }
    }

    /** Reads as a consumer does, in large pieces, and gets everything before the damage. */
    private static void readUntilDamage(RawConnection connection, NumberedPartition partition, int damagedOffset)
            throws IOException {
        int offset = 0;
        NumberedPartition.Outcome outcome = partition.read(connection, offset, LARGE_READ);
        while (outcome.error() == 0 && outcome.records() > 0) {
            offset += outcome.records();
            outcome = partition.read(connection, offset, LARGE_READ);
        }
        assertThat(offset)
                .as("records of %s before the damage", partition.name())
                .isEqualTo(damagedOffset);
        short expected = damagedOffset < RECORDS ? Errors.CORRUPT_MESSAGE.code() : 0;
        assertThat(outcome)
                .as("%s at offset %s", partition.name(), offset)
                .isEqualTo(new NumberedPartition.Outcome(expected, 0));
    }

    private static void requireRefusedByTheJavaClient(BrokerUnderTest broker, Flip flip) {
        Map<String, Object> config = Map.of(
                ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                broker.bootstrapServers(),
                ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
                ByteArrayDeserializer.class,
                ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
                ByteArrayDeserializer.class);
        String[] name = flip.partition.name().split("-", -1);
        TopicPartition partition = new TopicPartition(name[0], Integer.parseInt(name[1]));
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(config)) {
            consumer.assign(List.of(partition));
            consumer.seek(partition, flip.batch);
            assertThatThrownBy(() -> consumer.poll(TIMEOUT))
                    .isInstanceOf(KafkaException.class)
                    .hasMessageContaining("corrupt")
                    .hasMessageContaining(flip.partition.name());
        }
    }

    /** A damaged batch does not keep its partition from taking more. */
    private static void requireAppended(BrokerUnderTest broker, List<Flip> flips) throws IOException {
        try (RawConnection connection = RawConnection.open(broker.address(), TIMEOUT)) {
            for (Flip flip : flips) {
                flip.partition.append(connection, RECORDS);
                NumberedPartition.Outcome outcome = flip.partition.read(connection, RECORDS, 1);
                // Where a batch's length or format is damaged, nothing says where those behind it in this file begin.
                boolean unreachable = flip.byteOfBatch == FORMAT_FIELD
                        || (LENGTH_FIELD <= flip.byteOfBatch && flip.byteOfBatch < LENGTH_FIELD_END);
                assertThat(outcome.error() == 0 ? outcome.records() == 1 : unreachable)
                        .as("%s, what was appended afterwards is answered with %s", flip, outcome)
                        .isTrue();
            }
        }
    }

    private static void requireDumped(Path data, List<Flip> flips) throws Exception {
        Commands.Outcome dump = Commands.attempt(
                List.of(
                        SluiceNode.launcher().toString(),
                        "log",
                        "dump",
                        data.toString(),
                        "--topic",
                        TOPIC,
                        "--summary"),
                Duration.ofSeconds(60));
        assertThat(dump.exitStatus()).as(dump.output()).isEqualTo(65);
        for (Flip flip : flips) {
            assertThat(dump.output()).as("the dump about %s", flip).contains("damage file=" + flip.segment + " ");
        }
    }
}
