package io.sluice.testkit.damage;

import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.wire.RawConnection;
import io.sluice.testkit.wire.SimpleRequests;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;

/** A partition in which each batch holds one record that says which offset it has; knows where its batches lie in the file. */
final class NumberedPartition {
    private static final int LENGTH_FIELD = 8;
    private static final int LENGTH_FROM = 12;

    private final String topic;
    private final int partition;
    private final int valueBytes;
    private final int count;

    /**
     * @param valueBytes size of each record's value
     * @param count how many records it is to hold
     */
    NumberedPartition(String topic, int partition, int valueBytes, int count) {
        this.topic = topic;
        this.partition = partition;
        this.valueBytes = valueBytes;
        this.count = count;
    }

    /** What one fetch brought: records, an error, or neither. */
    record Outcome(short error, int records) {}

    String name() {
        return topic + "-" + partition;
    }

    void write(RawConnection connection) throws IOException {
        for (long offset = 0; offset < count; offset++) {
            append(connection, offset);
        }
    }

    /** Writes the record that the next offset is to have. */
    void append(RawConnection connection, long offset) throws IOException {
        SimpleRequests.requireNoError(connection.call(
                ProduceResponseData.class,
                SimpleRequests.PRODUCE_BY_NAME,
                SimpleRequests.produce(topic, partition, (short) -1, value(offset))));
    }

    private byte[] value(long offset) {
        byte[] value = new byte[valueBytes];
        Arrays.fill(value, (byte) 'x');
        byte[] text = (name() + " " + offset + ";").getBytes(StandardCharsets.UTF_8);
        System.arraycopy(text, 0, value, 0, text.length);
        return value;
    }

    /**
     * Fetches from an offset on.
     *
     * @throws AssertionError when something is served that was not written there
     */
    Outcome read(RawConnection connection, long offset, int maxBytes) throws IOException {
        FetchResponseData.PartitionData answer = connection
                .call(
                        FetchResponseData.class,
                        SimpleRequests.FETCH_BY_NAME,
                        SimpleRequests.fetch(topic, partition, offset, 0, maxBytes))
                .responses()
                .get(0)
                .partitions()
                .get(0);
        int records = 0;
        if (answer.records() instanceof MemoryRecords served) {
            for (Record each : served.records()) {
                requireAsWritten(each, offset + records);
                records++;
            }
        }
        return new Outcome(answer.errorCode(), records);
    }

    private void requireAsWritten(Record record, long offset) {
        byte[] value = new byte[record.valueSize()];
        record.value().get(value);
        if (record.offset() != offset || !Arrays.equals(value, value(offset))) {
            throw new AssertionError(name() + " served as offset " + offset + " what was not written there: offset "
                    + record.offset() + ", " + value.length + " bytes");
        }
    }

    /** The file of its only segment. */
    Path segment(BrokerUnderTest broker) throws IOException {
        try (Stream<Path> files = Files.walk(broker.dataDirectory().resolve("logs"))) {
            return files.filter(file -> file.toString().contains("-" + name() + "/")
                            && file.toString().endsWith(".log"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** Where each batch begins, and the end of the last. */
    List<Integer> batchPositions(Path segment) throws IOException {
        List<Integer> positions = new ArrayList<>();
        try (FileChannel file = FileChannel.open(segment)) {
            int position = 0;
            for (int i = 0; i < count; i++) {
                positions.add(position);
                ByteBuffer length = ByteBuffer.allocate(Integer.BYTES);
                file.read(length, position + LENGTH_FIELD);
                position += LENGTH_FROM + length.getInt(0);
            }
            positions.add(position);
        }
        return positions;
    }

    static byte byteAt(Path file, int position) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            channel.read(one, position);
            return one.get(0);
        }
    }

    /** Changes one byte of a file, through the page cache; returns what it is now. */
    static byte flip(Path file, int position, int bits) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            channel.read(one, position);
            one.put(0, (byte) (one.get(0) ^ bits));
            channel.write(one.rewind(), position);
            return one.get(0);
        }
    }
}
