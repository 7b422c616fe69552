package io.sluice.testkit.limit;

import io.sluice.testkit.broker.BrokerUnderTest;
import io.sluice.testkit.wire.RawConnection;
import io.sluice.testkit.wire.SimpleRequests;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;

/** Large numbered records in one partition, written one at a time and read back. One thread. */
final class Fill implements AutoCloseable {
    private static final Duration READ_TIMEOUT = Duration.ofSeconds(60);
    private static final int FETCH_BYTES = 8 << 20;

    private final RawConnection connection;
    private final String topic;
    private final byte[] value;
    /** Numbers of the records acknowledged; the place in the list is the offset. */
    private final List<Long> acknowledged = new ArrayList<>();

    private long next;

    Fill(BrokerUnderTest broker, String topic, int valueBytes) throws IOException {
        this.connection = RawConnection.open(broker.address(), READ_TIMEOUT);
        this.topic = topic;
        this.value = new byte[valueBytes];
        new Random(valueBytes).nextBytes(value);
    }

    /**
     * Sends the next record.
     *
     * @return the error code of the answer
     */
    short send() throws IOException {
        ByteBuffer.wrap(value).putLong(next++);
        ProduceResponseData answer = connection.call(
                ProduceResponseData.class,
                SimpleRequests.PRODUCE_BY_NAME,
                SimpleRequests.produce(topic, 0, (short) -1, value));
        if (SimpleRequests.errorOf(answer) == 0) {
            acknowledged.add(next - 1);
        }
        return SimpleRequests.errorOf(answer);
    }

    /** Sends records that must be taken. */
    void send(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            short error = send();
            if (error != 0) {
                throw new IOException("Record " + i + " was refused with " + error);
            }
        }
    }

    /** Numbers of the records acknowledged so far, by offset. */
    List<Long> acknowledged() {
        return List.copyOf(acknowledged);
    }

    /** Numbers of all records in the log, by offset. */
    List<Long> read() throws IOException {
        List<Long> numbers = new ArrayList<>();
        while (true) {
            FetchResponseData answer = connection.call(
                    FetchResponseData.class,
                    SimpleRequests.FETCH_BY_NAME,
                    SimpleRequests.fetch(topic, 0, numbers.size(), 0, FETCH_BYTES));
            FetchResponseData.PartitionData partition =
                    answer.responses().get(0).partitions().get(0);
            if (partition.errorCode() != 0) {
                throw new IOException("Fetch at offset " + numbers.size() + " failed: " + partition.errorCode());
            }
            int before = numbers.size();
            for (Record each : ((MemoryRecords) partition.records()).records()) {
                numbers.add(each.value().getLong());
            }
            if (numbers.size() == before) {
                return numbers;
            }
        }
    }

    @Override
    public void close() throws IOException {
        connection.close();
    }
}
