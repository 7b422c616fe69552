package io.sluice.cli.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.UserException;
import io.sluice.cli.output.Assignment;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

class LineSenderTest {
    private final MockProducer<byte[], byte[]> producer =
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
    private final SendTally tally = new SendTally(producer, "node:9092", Duration.ZERO, SendProbe.NONE);

    private static InputStream input(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    private void send(InputStream in) {
        new LineSender(
                        "orders",
                        null,
                        ":",
                        List.of(new Assignment("source", "test"), new Assignment("source", "again")))
                .send(new LineReader(in, 100), tally, lines -> {});
    }

    private UserException failure(InputStream in) {
        return catchThrowableOfType(UserException.class, () -> send(in));
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Test
    void sendsKeysValuesAndHeaders() {
        send(input("a:1\nbc:2:3\n"));

        assertThat(tally.acknowledgedBytes()).isEqualTo(7);
        assertThat(producer.history()).hasSize(2);
        ProducerRecord<byte[], byte[]> second = producer.history().get(1);
        assertThat(text(second.key())).isEqualTo("bc");
        assertThat(text(second.value())).isEqualTo("2:3");
        assertThat(second.headers().headers("source"))
                .extracting(header -> text(header.value()))
                .containsExactly("test", "again");
        assertThat(tally.acknowledged()).isEqualTo(2);
    }

    @Test
    void countsWhatWasSentBeforeALineWithoutASeparator() {
        UserException failure = failure(input("a:1\nb:2\nc\nd:4\n"));

        assertThat(failure.exitCode()).isEqualTo(ExitCode.BAD_DATA);
        assertThat(failure.line())
                .isEqualTo(
                        "Line 3 has no key separator ':', so sending stopped there. The 2 records before it were sent.");
        assertThat(producer.flushed()).isTrue();
    }

    @Test
    void tellsOfARefusedRecordBeforeALineWithoutASeparator() {
        producer.sendException = new RecordTooLargeException("too large");

        UserException failure = failure(input("a:1\nb:2\nc\n"));

        assertThat(failure.exitCode()).isEqualTo(ExitCode.FAILED);
        assertThat(failure.line()).contains("line 1 was not acknowledged", "too large");
    }

    @Test
    void countsWhatWasSentBeforeALineThatIsTooLong() {
        UserException failure = failure(input("a:1\n" + "x".repeat(200)));

        assertThat(failure.exitCode()).isEqualTo(ExitCode.BAD_DATA);
        assertThat(failure.line()).contains("Line 2", "The 1 record before it was sent.");
    }

    @Test
    void countsWhatWasSentBeforeTheInputFailed() {
        InputStream failing = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("Input/output error");
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                return read();
            }
        };

        UserException failure = failure(new SequenceInputStream(input("a:1\nb:2\n"), failing));

        assertThat(failure.exitCode()).isEqualTo(ExitCode.IO_ERROR);
        assertThat(failure.line())
                .isEqualTo("Cannot read the lines to send: Input/output error. The 2 records before it were sent.");
    }
}
