package io.sluice.cli.record;

import io.sluice.base.error.ExitCode;
import io.sluice.base.error.FileFailures;
import io.sluice.base.error.UserException;
import io.sluice.cli.output.Assignment;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Sends each line as a record.
 *
 * @param topic where to
 * @param partition null lets the producer choose
 * @param keySeparator what ends the key in a line; null for records without keys
 * @param headers what every record gets
 */
record LineSender(
        String topic, @Nullable Integer partition, @Nullable String keySeparator, List<Assignment> headers) {
    /** Hears how far the sending has got. */
    interface Watcher {
        /** One more line was handed over. */
        void onLine(LineReader lines);
    }

    /**
     * Sends all lines and waits for their acknowledgements. What was sent before a line that cannot be sent is waited
     * for all the same.
     *
     * @throws UserException for the first record that was not acknowledged, else for the line that cannot be sent
     */
    void send(LineReader lines, SendTally tally, Watcher watcher) {
        try {
            byte[] line;
            while ((line = lines.next()) != null && !tally.isOver()) {
                tally.send(toRecord(line, lines.lineNumber()), lines.lineNumber());
                watcher.onLine(lines);
            }
        } catch (UserException e) {
            throw stopped(tally, e.exitCode(), e.line(), e);
        } catch (IOException e) {
            throw stopped(tally, ExitCode.IO_ERROR, "Cannot read the lines to send: " + FileFailures.text(e) + ".", e);
        }
        tally.flush();
    }

    private static UserException stopped(SendTally tally, ExitCode code, String line, Exception cause) {
        tally.flush();
        long before = tally.acknowledged();
        String rest =
                before == 1 ? " The 1 record before it was sent." : " The " + before + " records before it were sent.";
        return new UserException(code, line + rest, cause);
    }

    private ProducerRecord<byte[], byte[]> toRecord(byte[] line, long lineNumber) {
        if (keySeparator == null) {
            return withHeaders(null, line);
        }
        byte[] separator = keySeparator.getBytes(StandardCharsets.UTF_8);
        int at = indexOf(line, separator);
        if (at < 0) {
            throw new UserException(
                    ExitCode.BAD_DATA,
                    "Line " + lineNumber + " has no key separator '" + keySeparator + "', so sending stopped there.");
        }
        return withHeaders(Arrays.copyOf(line, at), Arrays.copyOfRange(line, at + separator.length, line.length));
    }

    private ProducerRecord<byte[], byte[]> withHeaders(byte @Nullable [] key, byte[] value) {
        ProducerRecord<byte[], byte[]> made = new ProducerRecord<>(topic, partition, key, value);
        headers.forEach(
                header -> made.headers().add(header.key(), header.value().getBytes(StandardCharsets.UTF_8)));
        return made;
    }

    private static int indexOf(byte[] line, byte[] wanted) {
        for (int start = 0; start + wanted.length <= line.length; start++) {
            if (Arrays.equals(line, start, start + wanted.length, wanted, 0, wanted.length)) {
                return start;
            }
        }
        return -1;
    }
}
