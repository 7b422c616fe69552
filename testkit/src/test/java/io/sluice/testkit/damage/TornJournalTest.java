package io.sluice.testkit.damage;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.broker.SluiceNode;
import io.sluice.testkit.client.TopicSetup;
import io.sluice.testkit.wire.RawConnection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The last block of a journal, of which only the beginning is as it was written. */
class TornJournalTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int RECORDS = 10;
    private static final int BLOCK_MAGIC = 0x534c4a42;
    private static final int ALIGNMENT = 4096;
    private static final int SEQUENCE = 24;
    private static final int FIRST_ENTRY = 48;

    @TempDir
    private Path directory;

    private final NumberedPartition partition = new NumberedPartition("torn", 0, 1_000, RECORDS);

    @Test
    void isLeftOutAndTheStartWarnsOfIt() throws Exception {
        Path data = directory.resolve("data");
        try (BrokerUnderTest broker = SluiceNode.start(directory.resolve("node"), data, Map.of())) {
            TopicSetup.create(broker.bootstrapServers(), "torn", 1);
            try (RawConnection connection = RawConnection.open(broker.address(), TIMEOUT)) {
                partition.write(connection);
            }
            broker.kill9();
            broker.start();
            assertThat(warnings(broker)).as("nothing is torn").isEmpty();
            try (RawConnection connection = RawConnection.open(broker.address(), TIMEOUT)) {
                partition.append(connection, RECORDS);
            }
            broker.kill9();
            Block last = lastBlock(data);
            NumberedPartition.flip(last.file(), last.position() + FIRST_ENTRY + 20, 1);
            broker.start();

            assertThat(warnings(broker))
                    .singleElement()
                    .asString()
                    .contains("file=" + last.file(), "block=" + last.sequence(), "position=" + last.position());
            try (RawConnection connection = RawConnection.open(broker.address(), TIMEOUT)) {
                assertThat(partition.read(connection, 0, 1 << 20).records()).isEqualTo(RECORDS);
            }
        }
    }

    private static List<String> warnings(BrokerUnderTest broker) throws IOException {
        return Files.readAllLines(broker.outputFile()).stream()
                .filter(line -> line.contains(" WARN ") && line.contains("the last block of the journal is not whole"))
                .toList();
    }

    private record Block(Path file, int position, long sequence) {}

    /** That with the largest number, of all files. */
    private static Block lastBlock(Path data) throws IOException {
        Block last = new Block(data, 0, -1);
        try (Stream<Path> files = Files.list(data.resolve("journal"))) {
            for (Path file : files.toList()) {
                ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
                for (int at = 0; at + ALIGNMENT <= bytes.limit(); at += ALIGNMENT) {
                    if (bytes.getInt(at) == BLOCK_MAGIC && bytes.getLong(at + SEQUENCE) > last.sequence) {
                        last = new Block(file, at, bytes.getLong(at + SEQUENCE));
                    }
                }
            }
        }
        return last;
    }
}
