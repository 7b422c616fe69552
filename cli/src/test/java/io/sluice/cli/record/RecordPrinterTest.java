package io.sluice.cli.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.output.ResultStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

class RecordPrinterTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private String print(RecordFormat format, long timestamp, byte[] value) {
        ResultStream stream = new ResultStream(out);
        ConsumerRecord<byte[], byte[]> read = new ConsumerRecord<>(
                "t",
                0,
                7,
                timestamp,
                TimestampType.CREATE_TIME,
                -1,
                value.length,
                null,
                value,
                new RecordHeaders(),
                Optional.empty());
        new RecordPrinter(stream, format, null, ZoneOffset.UTC).print(read);
        stream.flush();
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void hasNoTimeForARecordWithoutATimestamp() {
        assertThat(print(RecordFormat.json, -1, new byte[] {'a'})).contains("\"offset\":7,\"timestamp\":null,");
    }

    @Test
    void writesTimesWithTheirZone() {
        assertThat(print(RecordFormat.json, 0, new byte[] {'a'}))
                .contains("\"timestamp\":\"1970-01-01T00:00:00.000Z\"");
    }

    @Test
    void leavesBytesAsTheyAre() {
        print(RecordFormat.text, 0, new byte[] {(byte) 0xff, 'a'});

        assertThat(out.toByteArray()).containsExactly(0xff, 'a', '\n');
    }
}
